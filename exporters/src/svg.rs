//! Graphs as pictures: layers of boxes, each connected part by itself, parts side by side.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::graph::Graph;
use crate::html::{class, escape_markup};
use crate::text::{printable, width};

mod layout;

use layout::{Layout, Place};

/// Pixels of a character of the monospaced font at 13 px, and around the text.
const CHARACTER: usize = 8;
const LINE: usize = 18;
const PAD: usize = 10;
/// The longest line that is drawn, in characters.
const LONGEST: usize = 40;

const STYLE: &str = "\
.zi-graph{--ink:#1b1b1f;--plain:#fff;--good:#d9f2e0;--fair:#fbeccb;--bad:#fadcd9;--dim:#eee;--edge:#777;\
--good-line:#0b6b2f;--fair-line:#7a4d00;--bad-line:#a11414}\
@media (prefers-color-scheme:dark){.zi-graph{--ink:#e8e8ec;--plain:#242429;--good:#123d22;--fair:#46330c;\
--bad:#4d1b18;--dim:#2b2b31;--edge:#999;--good-line:#6fd08c;--fair-line:#e5b35a;--bad-line:#ff8f85}}\
@media print{.zi-graph{--ink:#000;--plain:#fff;--good:#fff;--fair:#fff;--bad:#fff;--dim:#fff;--edge:#444;\
--good-line:#0b6b2f;--fair-line:#7a4d00;--bad-line:#a11414}}\
.zi-graph text{font:13px ui-monospace,'DejaVu Sans Mono',monospace;fill:var(--ink)}\
.zi-graph .name{font-weight:bold}\
.zi-graph rect{stroke:var(--edge)}.zi-graph .marked rect{stroke-width:3}\
.zi-graph .plain rect{fill:var(--plain)}.zi-graph .dim rect{fill:var(--dim)}\
.zi-graph .good rect{fill:var(--good);stroke:var(--good-line)}\
.zi-graph .fair rect{fill:var(--fair);stroke:var(--fair-line)}\
.zi-graph .bad rect{fill:var(--bad);stroke:var(--bad-line)}\
.zi-graph path{fill:none;stroke:var(--edge);stroke-width:1.5}";

/// Writes a graph as one SVG element, which may stand alone or in a page. `says` is its title.
///
/// # Errors
///
/// Those of the writer.
pub fn write_svg(out: &mut dyn Write, graph: &Graph, says: &str) -> io::Result<()> {
    out.write_all(svg(graph, says).as_bytes())?;
    out.flush()
}

/// As [`write_svg`], as text.
#[must_use]
pub fn svg(graph: &Graph, says: &str) -> String {
    picture(graph, says, STYLE)
}

/// As [`svg`], but with a picture for each connected part, one after the other: a page wraps and prints them as it does
/// words. Their style stands in the first and holds for all of the page.
#[must_use]
pub fn svg_parts(graph: &Graph) -> String {
    let mut text = String::new();
    for (top, nodes) in layout::connected(graph) {
        let part = graph.part(&nodes);
        let name = graph.nodes.get(top).map_or("", |node| &node.name);
        let says = match nodes.len() {
            1 => name.to_owned(),
            _ => format!("{name} and what belongs to it"),
        };
        let style = if text.is_empty() { STYLE } else { "" };
        text.push_str(&picture(&part, &says, style));
    }
    text
}

fn picture(graph: &Graph, says: &str, style: &str) -> String {
    let layout = layout::lay_out(graph, |at| size(graph, at));
    let Layout {
        width,
        height,
        places,
    } = &layout;
    let title = escape_markup(says);
    let style = match style {
        "" => String::new(),
        style => format!("<style>{style}</style>"),
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"zi-graph\" role=\"img\" aria-label=\"{title}\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"><title>{title}</title>{style}\n"
    );
    for (upper, lower) in graph.real_edges() {
        if let (Some(upper), Some(lower)) = (places.get(upper), places.get(lower)) {
            edge(&mut text, upper, lower);
        }
    }
    for (at, place) in places.iter().enumerate() {
        node(&mut text, graph, at, place);
    }
    text.push_str("</svg>\n");
    text
}

fn shown(line: &str) -> String {
    let line = printable(line);
    if width(&line) <= LONGEST {
        return line.into_owned();
    }
    let cut: String = line.chars().take(LONGEST - 1).collect();
    format!("{cut}…")
}

fn size(graph: &Graph, at: usize) -> (usize, usize) {
    let Some(node) = graph.nodes.get(at) else {
        return (0, 0);
    };
    let longest = std::iter::once(&node.name)
        .chain(&node.lines)
        .map(|line| width(&shown(line)))
        .max()
        .unwrap_or_default();
    let lines = node.lines.len() + 1;
    (longest * CHARACTER + 2 * PAD, lines * LINE + PAD)
}

fn edge(text: &mut String, upper: &Place, lower: &Place) {
    let (x1, y1) = (upper.x + upper.width / 2, upper.y + upper.height);
    let (x2, y2) = (lower.x + lower.width / 2, lower.y);
    let middle = usize::midpoint(y1, y2);
    let _ = writeln!(
        text,
        "<path d=\"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}\"/>"
    );
}

fn node(text: &mut String, graph: &Graph, at: usize, place: &Place) {
    let Some(node) = graph.nodes.get(at) else {
        return;
    };
    let Place {
        x,
        y,
        width,
        height,
    } = place;
    let tone = class(node.tone);
    let marked = if node.marked { " marked" } else { "" };
    let (open, close) = match &node.link {
        Some(link) => (format!("<a href=\"{}\">", escape_markup(link)), "</a>"),
        None => (String::new(), ""),
    };
    let _ = write!(
        text,
        "{open}<g class=\"{tone}{marked}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
    );
    for (row, line) in std::iter::once(&node.name).chain(&node.lines).enumerate() {
        let name = if row == 0 { " class=\"name\"" } else { "" };
        let (left, base) = (x + PAD, y + PAD / 2 + (row + 1) * LINE - 5);
        let line = escape_markup(&shown(line));
        let _ = write!(text, "<text x=\"{left}\" y=\"{base}\"{name}>{line}</text>");
    }
    let _ = writeln!(text, "</g>{close}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Tone;
    use crate::graph::GraphNode;

    #[test]
    fn no_name_becomes_markup_and_long_ones_are_cut() {
        let node = |name: &str| GraphNode {
            name: name.into(),
            lines: vec!["unmap".into()],
            tone: Tone::Good,
            marked: true,
            link: Some("#\"><script>".into()),
        };
        let graph = Graph {
            nodes: vec![
                node("</text><script>alert(1)</script>"),
                node(&"x".repeat(90)),
            ],
            edges: vec![(0, 1)],
        };
        let text = svg(&graph, "\"><script>");
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains(&format!("{}…<", "x".repeat(39))), "{text}");
        assert_eq!(text.matches("<path").count(), 1);
        assert_eq!(text.matches("class=\"good marked\"").count(), 2);
    }

    #[test]
    fn each_connected_part_is_a_picture_of_its_own_with_one_style_for_all() {
        let node = |name: &str| GraphNode {
            name: name.to_owned(),
            ..GraphNode::default()
        };
        let graph = Graph {
            nodes: ["leg0", "map", "alone", "leg1"].map(node).to_vec(),
            edges: vec![(1, 0), (1, 3)],
        };
        let text = super::svg_parts(&graph);
        let pictures: Vec<&str> = text.split("<svg ").skip(1).collect();
        assert_eq!(pictures.len(), 2);
        assert!(pictures[0].contains("aria-label=\"map and what belongs to it\""));
        assert!(
            ["leg0", "map", "leg1"]
                .iter()
                .all(|n| pictures[0].contains(n))
        );
        assert_eq!(pictures[0].matches("<path").count(), 2);
        assert!(pictures[1].contains("aria-label=\"alone\"") && !pictures[1].contains("leg"));
        assert_eq!(text.matches("<style>").count(), 1);
        assert_eq!(super::svg_parts(&Graph::default()), "");
    }
}
