//! Completions and man pages, as the shells and man take them.

use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_zinspect");

fn zinspect(arguments: &[&str]) -> Output {
    let output = Command::new(PROGRAM)
        .args(arguments)
        .output()
        .expect("run zinspect");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output
}

fn text(arguments: &[&str]) -> String {
    String::from_utf8(zinspect(arguments).stdout).expect("UTF-8")
}

/// Runs a script in a shell that finds zinspect; `None`, said on stderr, where there is no such shell.
fn shell(name: &str, arguments: &[&str], script: &str) -> Option<String> {
    let folder = std::path::Path::new(PROGRAM).parent().expect("folder");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let child = Command::new(name)
        .args(arguments)
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: {name} is not installed");
        return None;
    };
    let mut input = child.stdin.take().expect("stdin");
    std::io::Write::write_all(&mut input, script.as_bytes()).expect("write");
    drop(input);
    let output = child.wait_with_output().expect("end");
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn bash_completes_devices_columns_and_subcommands() {
    let script = text(&["gen", "completions", "bash"]);
    let devices = text(&["gen", "words", "devices"]);
    let first = devices.lines().next();
    let ask = |words: &[&str]| {
        let list: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let ask = format!(
            "{script}\nCOMP_WORDS=({}); COMP_CWORD={}; _zinspect_with_words zinspect '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            list.join(" "),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        shell("bash", &["--norc", "-s"], &ask)
    };
    let Some(top) = ask(&["zinspect", ""]) else {
        return;
    };
    assert!(top.lines().any(|line| line == "export"), "{top}");
    assert!(!top.lines().any(|line| line == "gen"), "{top}");
    if let Some(first) = first {
        assert!(top.lines().any(|line| line == first), "{top}");
    }
    let columns = ask(&["zinspect", "-c", "kname,size_"]).expect("bash");
    assert_eq!(
        columns.lines().next(),
        Some("kname,size_bytes"),
        "{columns}"
    );
}

#[test]
fn zsh_and_fish_take_their_scripts() {
    let zsh = text(&["gen", "completions", "zsh"]);
    assert!(zsh.starts_with("#compdef zinspect\n"));
    assert!(
        zsh.contains(":_zinspect_columns") && zsh.contains(":_zinspect_devices"),
        "{zsh}"
    );
    shell("zsh", &["-n", "/dev/stdin"], &zsh);
    let fish = text(&["gen", "completions", "fish"]);
    assert!(fish.contains("gen words devices"));
    shell("fish", &["--no-execute", "/dev/stdin"], &fish);
}

#[test]
fn there_is_a_man_page_for_each_subcommand_and_man_takes_it() {
    let folder = tempfile::tempdir().expect("folder");
    zinspect(&["gen", "man", folder.path().to_str().expect("UTF-8")]);
    let mut pages: Vec<String> = std::fs::read_dir(folder.path())
        .expect("list")
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    pages.sort();
    for page in [
        "zinspect.1",
        "zinspect-tree.1",
        "zinspect-capture.1",
        "zinspect-export-udev.1",
    ] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    assert!(!pages.contains(&"zinspect-gen.1".to_owned()), "{pages:?}");
    for page in pages {
        let checked = Command::new("groff")
            .args(["-Kutf8", "-man", "-Tutf8", "-ww", "-z"])
            .arg(folder.path().join(&page))
            .output();
        let Ok(checked) = checked else {
            eprintln!("skipped: groff is not installed");
            return;
        };
        let said = String::from_utf8_lossy(&checked.stderr);
        assert!(
            checked.status.success() && said.is_empty(),
            "{page}: {said}"
        );
    }
}
