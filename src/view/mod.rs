//! What to show: the report and its columns, trees, pages and metrics, for the renderers.

pub mod bench;
pub mod detail;
pub mod doctor;
pub mod extents;
pub mod fields;
pub mod file_fields;
pub mod file_page;
pub mod graph;
pub mod metrics;
pub mod probe;
pub mod properties;
pub mod raw;
pub mod report;
pub mod section;
pub mod summary;
pub mod tree;
pub mod watch;
