//! Metrics to be written, and what is wrong with some.

use std::io;

/// A metric: one name, any number of samples. All are gauges.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// Its name: letters, digits, `_` and `:`, not beginning with a digit. By custom it ends in the
    /// unit (`_bytes`, `_seconds`), or in `_info` if its value is always 1.
    pub name: &'static str,
    /// What it means, in a line.
    pub help: &'static str,
    /// Its samples. Without any, the family is left out.
    pub samples: Vec<Sample>,
}

/// A value of a [`Family`].
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Names and values of its labels, in any order. Names are letters, digits and `_`, don't begin
    /// with a digit or `__`, and differ from each other.
    pub labels: Vec<(&'static str, String)>,
    /// The value, in the unit that the family's name ends in. Whole numbers are exact up to 2^53;
    /// NaN and infinities may be written.
    pub value: f64,
}

/// Why metrics were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrometheusError {
    /// A metric's name breaks the rules of the format.
    #[error("metric name {0:?} is not valid")]
    MetricName(&'static str),
    /// Two families have one name.
    #[error("metric {0} is given twice")]
    DuplicateFamily(&'static str),
    /// A label's name breaks the rules of the format, or stands twice in one sample.
    #[error("metric {family}: label name {label:?} is not valid or is given twice")]
    LabelName {
        /// The metric.
        family: &'static str,
        /// The label.
        label: &'static str,
    },
    /// Two samples of a family have the same labels.
    #[error("metric {family} has two samples with the labels {{{labels}}}")]
    DuplicateSample {
        /// The metric.
        family: &'static str,
        /// The labels as in the output.
        labels: String,
    },
    /// The text could not be made.
    #[error("metrics can't be encoded: {0}")]
    Encode(String),
    /// The writer failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}
