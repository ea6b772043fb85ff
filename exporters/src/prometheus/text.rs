//! Checking and encoding, by the crate prometheus.

use std::collections::BTreeMap;
use std::io::Write;

use ::prometheus::TextEncoder;
use ::prometheus::proto::{Gauge, LabelPair, Metric, MetricFamily, MetricType};

use super::{Family, PrometheusError, Sample};
use crate::text::printable;

/// What to say in the header `Content-Type` when this is served over HTTP.
pub const CONTENT_TYPE: &str = ::prometheus::TEXT_FORMAT;

/// Labels in the order of their names.
type Labels = Vec<(&'static str, String)>;

/// Writes metrics as gauges, without time stamps.
///
/// Families come in the order of their names, samples in the order of their labels' values, labels
/// in the order of their names: the same metrics give the same text. Families without samples are
/// left out. Control characters in values of labels are escaped as [`printable`] does.
///
/// # Errors
///
/// Every family is checked before anything is written; see [`PrometheusError`].
pub fn write_prometheus(out: &mut dyn Write, families: &[Family]) -> Result<(), PrometheusError> {
    let mut sorted: BTreeMap<&str, MetricFamily> = BTreeMap::new();
    for family in families.iter().filter(|family| !family.samples.is_empty()) {
        if sorted.insert(family.name, encoded(family)?).is_some() {
            return Err(PrometheusError::DuplicateFamily(family.name));
        }
    }
    let sorted: Vec<MetricFamily> = sorted.into_values().collect();
    let text = TextEncoder::new()
        .encode_to_string(&sorted)
        .map_err(|error| PrometheusError::Encode(error.to_string()))?;
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

fn encoded(family: &Family) -> Result<MetricFamily, PrometheusError> {
    if !is_name(family.name, ":_") {
        return Err(PrometheusError::MetricName(family.name));
    }
    let mut samples: BTreeMap<Labels, f64> = BTreeMap::new();
    for sample in &family.samples {
        let labels = labels(family, sample)?;
        if samples.contains_key(&labels) {
            let labels: Vec<String> = labels
                .iter()
                .map(|(name, value)| format!("{name}={value:?}"))
                .collect();
            let (family, labels) = (family.name, labels.join(","));
            return Err(PrometheusError::DuplicateSample { family, labels });
        }
        samples.insert(labels, sample.value);
    }
    let mut encoded = MetricFamily::default();
    encoded.set_name(family.name.to_owned());
    encoded.set_help(family.help.to_owned());
    encoded.set_field_type(MetricType::GAUGE);
    encoded.set_metric(samples.into_iter().map(metric).collect());
    Ok(encoded)
}

fn labels(family: &Family, sample: &Sample) -> Result<Labels, PrometheusError> {
    let mut labels: Labels = sample
        .labels
        .iter()
        .map(|(name, value)| (*name, printable(value).into_owned()))
        .collect();
    labels.sort();
    for (at, (label, _)) in labels.iter().enumerate() {
        let again = at > 0 && labels[at - 1].0 == *label;
        if again || label.starts_with("__") || !is_name(label, "_") {
            return Err(PrometheusError::LabelName {
                family: family.name,
                label,
            });
        }
    }
    Ok(labels)
}

fn metric((labels, value): (Labels, f64)) -> Metric {
    let pair = |(name, value): (&str, String)| {
        let mut pair = LabelPair::default();
        pair.set_name(name.to_owned());
        pair.set_value(value);
        pair
    };
    let mut metric = Metric::from_label(labels.into_iter().map(pair).collect());
    let mut gauge = Gauge::default();
    gauge.set_value(value);
    metric.set_gauge(gauge);
    metric
}

/// Letters, digits and the given signs, not beginning with a digit.
fn is_name(name: &str, signs: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(labels: &[(&'static str, &str)], value: f64) -> Sample {
        let labels = labels
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        Sample { labels, value }
    }

    fn family(name: &'static str, samples: Vec<Sample>) -> Family {
        Family {
            name,
            help: "What it is.",
            samples,
        }
    }

    fn written(families: &[Family]) -> Result<String, String> {
        let mut out = Vec::new();
        write_prometheus(&mut out, families).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_text_is_in_order_whatever_the_input_is() {
        let text = written(&[
            family(
                "z_limit_bytes",
                vec![
                    sample(&[("name", "b"), ("kind", "x")], 4_294_966_784.0),
                    sample(&[("kind", "x"), ("name", "a\"\\\n\x1b")], 0.0),
                ],
            ),
            family("empty_bytes", vec![]),
            family("a_up", vec![sample(&[], f64::NAN)]),
        ]);
        let expected = r#"# HELP a_up What it is.
# TYPE a_up gauge
a_up NaN
# HELP z_limit_bytes What it is.
# TYPE z_limit_bytes gauge
z_limit_bytes{kind="x",name="a\"\\\\x0a\\x1b"} 0
z_limit_bytes{kind="x",name="b"} 4294966784
"#;
        assert_eq!(text.unwrap(), expected);
        assert_eq!(written(&[]).unwrap(), "");
    }

    #[test]
    fn the_same_labels_twice_are_an_error_that_names_the_family() {
        let twice = family(
            "m",
            vec![
                sample(&[("a", "1"), ("b", "2")], 1.0),
                sample(&[("b", "2"), ("a", "1")], 2.0),
            ],
        );
        assert_eq!(
            written(&[twice]).unwrap_err(),
            "metric m has two samples with the labels {a=\"1\",b=\"2\"}"
        );
    }

    #[test]
    fn names_are_checked() {
        let one = |labels: &[(&'static str, &str)]| vec![sample(labels, 1.0)];
        for (families, error) in [
            (
                vec![family("2m", one(&[]))],
                "metric name \"2m\" is not valid",
            ),
            (
                vec![family("m", one(&[])), family("m", one(&[]))],
                "metric m is given twice",
            ),
            (
                vec![family("m", one(&[("a-b", "")]))],
                "metric m: label name \"a-b\" is not valid or is given twice",
            ),
            (
                vec![family("m", one(&[("a", "1"), ("a", "2")]))],
                "metric m: label name \"a\" is not valid or is given twice",
            ),
        ] {
            assert_eq!(written(&families).unwrap_err(), error);
        }
    }

    #[test]
    fn the_content_type_is_that_of_the_text_format() {
        assert_eq!(CONTENT_TYPE, "text/plain; version=0.0.4");
    }
}
