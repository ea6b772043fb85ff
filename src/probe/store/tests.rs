use super::*;

fn record(identity: &str, time: u64) -> Record {
    Record {
        version: VERSION,
        identity: identity.to_owned(),
        identity_lasts: true,
        boot_id: "boot".to_owned(),
        kname: "sda".to_owned(),
        target: "/dev/sda".to_owned(),
        mode: Mode::Preserve,
        time,
        results: vec![Tried {
            method: Method::BlkZeroOut,
            leg: None,
            outcome: Outcome::ZeroedUnmapped,
            bytes_per_second: Some(1e9),
        }],
        times_faster_than_writing: Some(8.5),
        summary: "fast".to_owned(),
        path: PathBuf::new(),
    }
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn read(folder: &Path) -> Store {
    Store::read(&[folder.to_owned()])
}

#[test]
fn what_was_kept_is_read_and_the_later_of_two_counts() {
    let text = |identity, time| serde_json::to_vec(&record(identity, time)).unwrap();
    let there = folder(&[("a.json", &text("naa.1", 5)), ("b.json", &text("naa.2", 6))]);
    let elsewhere = folder(&[("a.json", &text("naa.1", 4)), ("b.json", &text("naa.2", 7))]);
    let store = Store::read(&[there.path().to_owned(), elsewhere.path().to_owned()]);
    assert!(store.bad.is_empty(), "{:?}", store.bad);
    let expected = Record {
        path: there.path().join("a.json"),
        ..record("naa.1", 5)
    };
    assert_eq!(store.records["naa.1"], expected);
    assert_eq!(store.records["naa.2"].time, 7);
}

#[test]
fn no_folder_is_no_finding_and_what_tells_nothing_is_one() {
    let whole = serde_json::to_vec(&record("naa.1", 5)).unwrap();
    let (half, _) = whole.split_at(whole.len() / 2);
    let later = serde_json::to_vec(&Record {
        version: 2,
        ..record("naa.2", 6)
    });
    let there = folder(&[
        ("a.json", &whole),
        ("half.json", half),
        ("later.json", &later.unwrap()),
        ("empty.json", b""),
        ("long.json", &vec![b' '; 70_000]),
        ("words.json", br#"{"version": 1, "identity": 7}"#),
        // Not ours, and being written.
        ("notes.txt", b"x"),
        (".b.json.1.part", b"x"),
    ]);
    std::fs::create_dir(there.path().join("folder.json")).unwrap();
    let store = read(there.path());
    assert_eq!(store.records.len(), 1);
    let mut names: Vec<_> = store
        .bad
        .iter()
        .map(|bad| bad.path.file_name().unwrap().to_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "empty.json",
            "folder.json",
            "half.json",
            "later.json",
            "long.json",
            "words.json"
        ]
    );
    assert!(read(&there.path().join("gone")).bad.is_empty());
}

#[test]
fn a_pipe_in_the_folder_is_not_waited_for() {
    let there = folder(&[]);
    let pipe = there.path().join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(read(there.path()).bad.len(), 1);
}

#[test]
fn identities_that_differ_have_files_that_differ_with_plain_names() {
    let long = "x".repeat(300);
    let names: Vec<String> = [
        "naa.5",
        "a/b",
        "a_b",
        "a\nb",
        "..",
        "",
        &long,
        &format!("{long}y"),
    ]
    .iter()
    .map(|identity| name_of(identity))
    .collect();
    for (at, name) in names.iter().enumerate() {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        assert!(
            name.chars().all(plain) && name.len() < 200 && name.starts_with("id-"),
            "{name}"
        );
        assert!(!names[..at].contains(name), "{name}");
    }
}

#[test]
fn the_worst_fault_is_told_and_what_a_discard_leaves_is_none() {
    let tried = |method, outcome| Tried {
        method,
        leg: None,
        outcome,
        bytes_per_second: None,
    };
    let of = |results: Vec<Tried>| Record {
        results,
        ..record("naa.1", 5)
    };
    let harmless = of(vec![
        tried(Method::BlkDiscard, Outcome::NotZeroed),
        tried(Method::BlkZeroOut, Outcome::Rejected),
    ]);
    assert_eq!(harmless.fault(), None);
    let wrong = of(vec![
        tried(Method::BlkZeroOut, Outcome::TimedOut),
        tried(Method::UringDiscard, Outcome::CollateralDamage),
    ]);
    assert_eq!(
        wrong.fault().map(|tried| tried.method),
        Some(Method::UringDiscard)
    );
}

#[test]
fn numbers_that_no_probe_can_have_found_make_a_result_unreadable() {
    let speed = |speed| {
        let mut one = record("naa.1", 5);
        one.results[0].bytes_per_second = Some(speed);
        one
    };
    let times = |times| Record {
        times_faster_than_writing: Some(times),
        ..record("naa.1", 5)
    };
    for (one, what) in [
        (record("naa.1", 0), "is the clock right"),
        (record("naa.1", now() + 2 * DAY), "is the clock right"),
        (record("naa.1", u64::MAX), "is the clock right"),
        (times(0.0), "times faster"),
        (times(-1.0), "times faster"),
        (times(1e300), "times faster"),
        (speed(-1.0), "bytes a second"),
    ] {
        let error = Record::parse(&serde_json::to_vec(&one).unwrap()).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
    let mut infinite = times(1.0);
    infinite.times_faster_than_writing = Some(f64::INFINITY);
    assert!(infinite.check().is_err());
    for fine in [record("naa.1", now() + DAY / 2), times(3e7), speed(0.0)] {
        assert_eq!(Record::parse(&serde_json::to_vec(&fine).unwrap()), Ok(fine));
    }
}
