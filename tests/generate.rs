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

const VERDICTS: &[&str] = &["offload", "software", "unknown", "unmap", "unsupported"];

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
    assert!(top.lines().any(|line| line == "gen"), "{top}");
    if let Some(first) = first {
        assert!(top.lines().any(|line| line == first), "{top}");
        // In tree -i is a flag, in watch it takes seconds.
        for (words, offered) in [
            (&["zinspect", "export", ""][..], false),
            (&["zinspect", "export", "udev", ""], true),
            (&["zinspect", "tree", "-i", ""], true),
            (&["zinspect", "watch", "-i", ""], false),
            (&["zinspect", "-o", "json", "tree", ""], true),
            (&["zinspect", "--verdict", ""], false),
        ] {
            let answer = ask(words).expect("bash");
            let found = answer.lines().any(|line| line == first);
            assert_eq!(found, offered, "{words:?}: {answer}");
        }
    }
    for (words, expected) in [
        (&["zinspect", "--verdict", ""][..], VERDICTS),
        (&["zinspect", "--verdict", "=", "unm"], &["unmap"]),
        (&["zinspect", "--kind", "dm,m"], &["dm,md", "dm,mmc"]),
        (&["zinspect", "--columns", "na"], &["name"]),
        (&["zinspect", "--columns", "NA"], &["name"]),
        (&["zinspect", "--columns", "=", "kname,na"], &["kname,name"]),
    ] {
        let answer = ask(words).expect("bash");
        let mut answers: Vec<&str> = answer.lines().collect();
        answers.sort_unstable();
        assert_eq!(answers, expected, "{words:?}");
    }
    let columns = ask(&["zinspect", "-c", "kname,size_"]).expect("bash");
    assert!(
        columns.lines().any(|line| line == "kname,size_bytes"),
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
fn fish_completes_values_and_devices() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("zinspect.fish");
    std::fs::write(&file, text(&["gen", "completions", "fish"])).expect("write");
    let devices = text(&["gen", "words", "devices"]);
    let ask = |line: &str| {
        let ask = format!("source {}; complete -C '{line}'", file.display());
        let answer = shell("fish", &["--no-config", "-c", &ask], "")?;
        let words = answer.lines().map(|line| line.split('\t').next());
        Some(
            words
                .map(|word| word.unwrap_or_default().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    if ask("zinspect ").is_none() {
        return;
    }
    for (line, expected) in [
        ("zinspect -o nd", &["ndjson"][..]),
        ("zinspect --columns na", &["name"]),
        ("zinspect --columns kname,na", &["kname,name"]),
        ("zinspect -s si", &["size", "size_bytes", "sizelimit"]),
        ("zinspect --require ", &["offload", "unmap"]),
        ("zinspect --verdict ", VERDICTS),
        ("zinspect --kind m", &["md", "mmc"]),
        ("zinspect sda --no-i", &["--no-ioctl"]),
        ("zinspect doctor --fail-on ", &["error", "info", "warning"]),
    ] {
        let mut words = ask(line).expect("fish");
        words.sort();
        assert_eq!(words, expected, "{line}");
    }
    let Some(first) = devices.lines().next().map(str::to_owned) else {
        eprintln!("skipped: there is no device to complete");
        return;
    };
    for (line, offered) in [
        ("zinspect ", true),
        ("zinspect tree ", true),
        ("zinspect doctor ", true),
        ("zinspect probe ", true),
        ("zinspect bench ", true),
        ("zinspect watch ", true),
        ("zinspect export udev ", true),
        ("zinspect export ", false),
        ("zinspect serve ", false),
    ] {
        let words = ask(line).expect("fish");
        assert_eq!(words.contains(&first), offered, "{line}: {words:?}");
    }
}

/// What zsh lists after each line, by its own completion on a pseudo-terminal.
const ZSH: &str = r#"
zmodload zsh/zpty || exit 3
zpty -b z zsh -f -i
zpty -w z "PS1=; stty -echo; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; echo READY\$((1+1))"
zpty -r -m z text '*READY2*'
zpty -w z "LISTMAX=0; _end() { zle -I; print -r -- END\$((2+2)); zle kill-whole-line }; zle -N _end; bindkey '^X' _end; bindkey '^I' list-choices; echo READY\$((2+1))"
zpty -r -m z text '*READY3*'
while IFS= read -r line; do
    zpty -w -n z "$line"$'\t\x18'
    zpty -r -m z text '*END4*'
    print -r -- "== $line"
    print -r -- "${text#*$line}"
done
"#;

#[test]
fn zsh_completes_after_subcommands_and_beside_them() {
    if shell("zsh", &["-fc", "zmodload zsh/zpty"], "").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().to_str().expect("UTF-8");
    std::fs::write(
        folder.path().join("_zinspect"),
        text(&["gen", "completions", "zsh"]),
    )
    .expect("write");
    let devices = text(&["gen", "words", "devices"]);
    let first = devices.lines().next();
    let mut cases = vec![
        ("zinspect doctor --fail", "--fail-on"),
        ("zinspect doctor --fail-on ", "warning"),
        ("zinspect tree --inv", "--inverse"),
        ("zinspect serve --max", "--max-age"),
        ("zinspect export ud", "udev"),
        ("zinspect exp", "export"),
        ("zinspect gen comp", "completions"),
        ("zinspect sda --no-i", "--no-ioctl"),
        ("zinspect --columns size", "size_bytes"),
        ("zinspect --columns kname,size", "size_bytes"),
        ("zinspect --kind dm,nv", "nvme-head"),
        ("zinspect --verdict ", "unsupported"),
    ];
    match first {
        None => eprintln!("skipped: there is no device to complete"),
        Some(first) => cases.extend([
            ("zinspect ", first),
            ("zinspect tree ", first),
            ("zinspect watch ", first),
            ("zinspect export udev ", first),
            ("zinspect probe ", first),
        ]),
    }
    let lines: Vec<&str> = cases.iter().map(|(line, _)| *line).collect();
    // zpty waits for its text for ever.
    let asked = ["120", "zsh", "-fc", ZSH, "zsh", path];
    let answers = shell("timeout", &asked, &(lines.join("\n") + "\n")).expect("timeout");
    for (line, expected) in cases {
        let (_, answer) = answers
            .split_once(&format!("== {line}\n"))
            .expect("an answer for each line");
        let answer = answer.split("\n== ").next().unwrap_or_default();
        assert!(answer.contains(expected), "{line}: {answer}");
        assert!(!answer.contains("Cargo.toml"), "{line}: {answer}");
    }
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
    assert!(
        pages.contains(&"zinspect-gen-completions.1".to_owned()),
        "{pages:?}"
    );
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
