//! What to show: the report and its columns, trees, pages and metrics, for the renderers.

pub mod detail;
pub mod fields;
pub mod metrics;
pub mod raw;
pub mod report;
pub mod section;
pub mod tree;
