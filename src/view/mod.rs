//! What to show: the report and its columns, trees, pages and metrics, for the renderers.

pub mod detail;
pub mod extents;
pub mod fields;
pub mod file_fields;
pub mod file_page;
pub mod metrics;
pub mod raw;
pub mod report;
pub mod section;
pub mod tree;
