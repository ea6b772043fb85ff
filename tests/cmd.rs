//! Command × captured host: each file in `tests/cmd` holds command lines and their whole output.
//!
//! `make golden` writes them anew; the difference is to be read before it is committed.

#[test]
fn commands_on_captured_hosts() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .case("tests/cmd/*.trycmd")
        .case("README.md");
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    for document in ["report", "probe", "bench", "doctor", "extents"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_zinspect"))
            .args(["gen", "schema", document])
            .output()
            .expect("zinspect runs");
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let path = format!("docs/{document}-v1.schema.json");
        let committed: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect(&path)).expect("JSON");
        assert!(
            made == committed,
            "{path} is not what the types say: run `make golden`"
        );
    }
}
