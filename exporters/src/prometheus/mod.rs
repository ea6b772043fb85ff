//! Metrics in the Prometheus text format 0.0.4.

mod family;
mod text;

pub use family::{Family, PrometheusError, Sample};
pub use text::{CONTENT_TYPE, write_prometheus};
