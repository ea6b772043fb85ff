//! Files of overlays that this kernel mounts, in a mount namespace of their own.

use std::process::Command;

use tempfile::TempDir;

/// Runs a script with `$Z`, the program, in an empty tmpfs; `None` where overlays cannot be mounted.
fn in_namespace(script: &str) -> Option<String> {
    let folder = TempDir::new().expect("temporary folder");
    let begin =
        "set -e; mount -t tmpfs fixture \"$D\"; cd \"$D\"; mkdir l h m; touch b; echo x > l/low
        mount -t tmpfs upper h; mkdir h/u h/w";
    let run = |script: &str| {
        Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-c", script])
            .env("Z", env!("CARGO_BIN_EXE_zinspect"))
            .env("D", folder.path())
            .output()
    };
    let mount = "mount -t overlay o -o lowerdir=l,upperdir=$D/h/u,workdir=$D/h/w m";
    match run(&format!("{begin}; {mount}")) {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            println!("SKIPPED: no overlay can be mounted: {why}");
            return None;
        }
        Err(error) => {
            println!("SKIPPED: unshare: {error}");
            return None;
        }
    }
    let output = run(&format!("{begin}; {mount}; {script}")).expect("run");
    let text = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    Some(text.replace(folder.path().to_str().expect("a path"), "D"))
}

fn file(text: &str) -> serde_json::Value {
    let report: serde_json::Value = serde_json::from_str(text).expect("a report");
    report["files"][0].clone()
}

#[test]
fn a_bind_mount_of_one_file_leads_to_that_file_in_the_upper_layer() {
    let Some(text) = in_namespace("echo t > m/t; mount --bind m/t b; $Z -o json $D/b") else {
        return;
    };
    assert_eq!(file(&text)["upper_path"], "D/h/u/t");
    let text = in_namespace("mount --bind m/low b; $Z -o json $D/b").expect("a report");
    assert_eq!(file(&text)["upper_path"], "D/h/u");
}

#[test]
fn an_upper_layer_is_written_through_a_mount_of_its_own() {
    // The write succeeds, so the script does.
    let script = "echo t > m/t; mount -o remount,bind,ro h; echo more >> m/t; $Z -o json $D/m/t";
    let Some(text) = in_namespace(script) else {
        return;
    };
    let file = file(&text);
    assert_eq!(file["upper_path"], "D/h/u/t");
    assert_eq!(file["write_zeroes"]["call"], "fallocate", "not open");
}

#[test]
fn what_was_mounted_over_the_upper_layer_is_not_taken_for_it() {
    // Files made in one tick of the clock have the same times.
    let cover = "echo t > m/t; sleep 0.1; mount -t tmpfs cover h; mkdir h/u h/w";
    for (more, path) in [("true", "m/low"), ("echo t > h/u/t", "m/t")] {
        let Some(text) = in_namespace(&format!("{cover}; {more}; $Z -o json $D/{path}")) else {
            return;
        };
        let file = file(&text);
        assert_eq!(file["upper_path"], serde_json::Value::Null);
        assert_eq!(file["write_zeroes"]["supported"], serde_json::Value::Null);
        let summary = file["write_zeroes"]["summary"].as_str().expect("text");
        assert!(
            summary.contains("now is not the overlay's upper layer"),
            "{summary}"
        );
    }
}

#[test]
fn escapes_of_overlayfs_in_the_options_are_undone() {
    let script = r#"mkdir "$D/u,p:x y\\z" w n
        mount -t overlay o -o "lowerdir=l,upperdir=$D/u\,p:x y\\\\z,workdir=$D/w" n
        echo t > n/t; test -e "$D/u,p:x y\\z/t"; $Z -o json $D/n/t"#;
    let Some(text) = in_namespace(script) else {
        return;
    };
    assert_eq!(file(&text)["upper_path"], r"D/u,p:x y\z/t");
}

#[test]
fn the_root_of_a_container_leads_to_the_upper_layer_outside() {
    // The container has a directory of the upper layer's name, and it is not the upper layer.
    let script = "mkdir -p m/$D/h/u m/$D/h/w; echo wrong > m/$D/h/u/t; echo t > m/t; mkdir m/usr
        mount --bind /usr m/usr; for d in bin lib lib64; do test -L /$d && cp -P /$d m/ || true; done
        chroot m sleep 60 > /dev/null & sleep 0.3
        $Z -o json --pid $! /t; kill $!";
    let Some(text) = in_namespace(script) else {
        return;
    };
    assert_eq!(file(&text)["upper_path"], "D/h/u/t");
}
