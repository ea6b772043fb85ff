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
fn the_committed_schema_is_the_one_of_the_types() {
    let made = serde_json::to_value(zinspect::view::report::schema()).expect("serialize");
    let committed: serde_json::Value =
        serde_json::from_str(include_str!("../docs/report-v1.schema.json")).expect("parse");
    assert!(
        made == committed,
        "docs/report-v1.schema.json is not what the types say: run `make golden`"
    );
}
