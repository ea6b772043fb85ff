//! What `zinspect bench` shows: JSON, columns, Markdown, and a page with plots.

use std::borrow::Cow;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use zinspect_exporters::{Cell, Field, Unit};

use crate::bench::{Figure, Left, Measured};

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BenchReport {
    /// 1.
    pub schema_version: u32,
    /// The kernel's release.
    pub host: String,
    /// As it was given.
    pub target: String,
    /// Every figure.
    pub runs: Vec<Figure>,
    /// What was not measured, and why.
    pub not_measured: Vec<Left>,
}

impl BenchReport {
    /// From what was measured.
    pub fn new(kernel: &str, target: &str, measured: Measured) -> Self {
        Self {
            schema_version: 1,
            host: format!("Linux {kernel}"),
            target: target.to_owned(),
            runs: measured.figures,
            not_measured: measured.left,
        }
    }
}

/// A number as people write it: three figures, with a word for the thousands.
fn people(value: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    match STEPS.iter().find(|(step, _)| value.abs() >= *step) {
        Some((step, word)) => {
            let value = value / step;
            let digits = if value >= 100.0 {
                0
            } else if value >= 10.0 {
                1
            } else {
                2
            };
            format!("{value:.digits$}{word}")
        }
        None => format!("{value:.4}"),
    }
}

/// A number: for people, or as programs read it, every digit and no word.
fn number<const PLAIN: bool>(value: f64) -> String {
    if PLAIN {
        value.to_string()
    } else {
        people(value)
    }
}

/// The spread; a single sample has none.
fn spread<const PLAIN: bool>(figure: &Figure) -> Option<String> {
    (figure.samples.len() > 1).then(|| number::<PLAIN>(figure.spread))
}

/// A column for each part of a figure, with plain numbers or with those for people.
pub fn columns<const PLAIN: bool>() -> Vec<Field<Figure>> {
    let field = |key, header, help, get: fn(&Figure) -> Cell| Field {
        key,
        header,
        help,
        unit: Unit::None,
        tone: None,
        get,
    };
    vec![
        field("benchmark", "BENCHMARK", "which comparison", |f| {
            Cell::Text(Cow::Borrowed(f.benchmark))
        }),
        field("case", "CASE", "which of the things compared", |f| {
            Cell::Text(Cow::Owned(f.case.clone()))
        }),
        field("metric", "METRIC", "what was measured", |f| {
            Cell::Text(Cow::Borrowed(f.metric))
        }),
        field("median", "MEDIAN", "the middle sample", |f| {
            Cell::Text(Cow::Owned(number::<PLAIN>(f.median)))
        }),
        field("spread", "SPREAD", "between the quartiles", |f| {
            spread::<PLAIN>(f).map_or(Cell::Missing(""), |text| Cell::Text(Cow::Owned(text)))
        }),
        field("unit", "UNIT", "in what", |f| {
            Cell::Text(Cow::Borrowed(f.unit))
        }),
        field("samples", "SAMPLES", "each, in order", |f| {
            Cell::List(f.samples.iter().copied().map(number::<PLAIN>).collect())
        }),
        field("engine", "ENGINE", "how requests were sent", |f| {
            Cell::Text(f.engine.clone())
        }),
    ]
}

/// A table for a report.
pub fn markdown<const PLAIN: bool>(report: &BenchReport) -> String {
    let mut text = format!(
        "# {} on {}\n\n",
        escaped_md(&report.target),
        escaped_md(&report.host)
    );
    text += "| benchmark | case | metric | median | spread | unit | engine |\n|---|---|---|--:|--:|---|---|\n";
    for figure in &report.runs {
        let (median, spread) = (number::<PLAIN>(figure.median), spread::<PLAIN>(figure));
        let spread = spread.as_deref().unwrap_or("-");
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {median} | {spread} | {} | {} |",
            figure.benchmark,
            escaped_md(&figure.case),
            figure.metric,
            figure.unit,
            figure.engine
        );
    }
    for left in &report.not_measured {
        let _ = writeln!(
            text,
            "\nNot measured: {}, {}: {}",
            left.benchmark,
            escaped_md(&left.case),
            escaped_md(&left.why)
        );
    }
    text
}

fn escaped_md(text: &str) -> String {
    // Viewers of Markdown take HTML too.
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

const STYLE: &str = "body{font:14px/1.4 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
text{font:12px sans-serif;fill:currentColor}rect{fill:#4a7ebb}line{stroke:currentColor}\
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}}";

/// One file with a plot for each benchmark and metric: a bar for each case, from 0, with its spread.
pub fn html(report: &BenchReport) -> String {
    let title = format!(
        "zinspect bench: {} on {}",
        escaped(&report.target),
        escaped(&report.host)
    );
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style><h1>{title}</h1>\n"
    );
    let mut plots: Vec<(&str, &str)> = Vec::new();
    for figure in &report.runs {
        if !plots.contains(&(figure.benchmark, figure.metric)) {
            plots.push((figure.benchmark, figure.metric));
        }
    }
    for (benchmark, metric) in plots {
        let of_plot = |figure: &&Figure| figure.benchmark == benchmark && figure.metric == metric;
        let figures: Vec<&Figure> = report.runs.iter().filter(of_plot).collect();
        page += &plot(benchmark, metric, &figures);
    }
    for left in &report.not_measured {
        let (case, why) = (escaped(&left.case), escaped(&left.why));
        let _ = writeln!(
            page,
            "<p>Not measured: {}, {case}: {why}</p>",
            left.benchmark
        );
    }
    page + "</html>\n"
}

fn plot(benchmark: &str, metric: &str, figures: &[&Figure]) -> String {
    const ROW: usize = 24;
    const LEFT: f64 = 280.0;
    const WIDTH: f64 = 460.0;
    let largest = figures
        .iter()
        .map(|figure| figure.median + figure.spread)
        .fold(f64::MIN_POSITIVE, f64::max);
    let unit = figures.first().map_or("", |figure| figure.unit);
    let height = figures.len() * ROW + 8;
    let mut text = format!(
        "<h2>{benchmark}: {metric} ({unit})</h2>\n<svg viewBox=\"0 0 860 {height}\" role=\"img\" aria-label=\"{benchmark} {metric}\">\n"
    );
    for (at, figure) in figures.iter().enumerate() {
        let (top, middle) = (at * ROW + 4, at * ROW + 20);
        let length = figure.median / largest * WIDTH;
        let half = figure.spread / 2.0 / largest * WIDTH;
        let (from, to) = (LEFT + (length - half).max(0.0), LEFT + length + half);
        let value = people(figure.median);
        let _ = writeln!(
            text,
            "<text x=\"{:.0}\" y=\"{middle}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LEFT}\" y=\"{top}\" width=\"{length:.1}\" height=\"18\"/>\
             <line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{}\" y2=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{middle}\">{value}</text>",
            LEFT - 8.0,
            escaped(&figure.case),
            top + 9,
            top + 9,
            to + 6.0
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_figures() {
        assert_eq!(people(42_900.0), "42.9k");
        assert_eq!(people(1.5), "1.50");
        assert_eq!(people(291e6), "291M");
        assert_eq!(people(0.0123), "0.0123");
    }

    #[test]
    fn names_cannot_break_a_page_or_a_table() {
        let mut measured = Measured::default();
        measured.leave("zero", "<b>|", "why & \"how\"");
        let report = BenchReport::new("7.3", "a|<script>", measured);
        assert!(!html(&report).contains("<script>") && !html(&report).contains("<b>"));
        assert!(markdown::<false>(&report).contains("a\\|&lt;script>"));
    }

    fn one_sample_and_three() -> BenchReport {
        let mut measured = Measured::default();
        for samples in [vec![1_278_263_345.5], vec![432e6, 431e6, 433e6]] {
            let figure = Figure::new("zero", "64M", ("rate", "bytes/s"), samples, "one call");
            measured.figures.extend(figure);
        }
        BenchReport::new("7.3", "/mnt", measured)
    }

    #[test]
    fn programs_get_every_digit_and_people_three() {
        let report = one_sample_and_three();
        let csv = |columns: &[Field<Figure>]| {
            let mut out = Vec::new();
            let columns: Vec<_> = columns.iter().collect();
            let rows = report.runs.iter().cloned();
            zinspect_exporters::write_csv(&mut out, &columns, rows, false).expect("written");
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(
            csv(&columns::<true>()),
            "zero,64M,rate,1278263345.5,,bytes/s,1278263345.5,one call\n\
             zero,64M,rate,432000000,1000000,bytes/s,432000000 431000000 433000000,one call\n"
        );
        assert!(csv(&columns::<false>()).contains(",432M,1.00M,"));
        assert!(markdown::<true>(&report).contains("| 432000000 | 1000000 |"));
    }

    #[test]
    fn a_single_sample_has_no_spread() {
        let report = one_sample_and_three();
        let spread = columns::<false>();
        let spread = spread.iter().find(|field| field.key == "spread");
        let cells: Vec<Cell> = report
            .runs
            .iter()
            .map(|figure| (spread.expect("a column").get)(figure))
            .collect();
        assert_eq!(cells, [Cell::Missing(""), Cell::Text("1.00M".into())]);
        assert!(markdown::<false>(&report).contains("| 1.28G | - |"));
    }
}
