//! What was found, put together: names, units, devices and the graph of them.

pub mod device;
pub mod ids;
pub mod plan;
pub mod text;
pub mod topology;
pub mod units;
pub(crate) mod words;
