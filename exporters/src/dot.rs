//! Graphs for Graphviz.

use std::io::{self, Write};

use crate::field::Tone;
use crate::graph::Graph;
use crate::text::printable;

/// Writes a graph in the DOT language; `dot -Tsvg` draws it.
///
/// # Errors
///
/// Those of the writer.
pub fn write_dot(out: &mut dyn Write, graph: &Graph) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    writeln!(
        out,
        "digraph topology {{\n  rankdir=TB;\n  node [shape=box, style=filled, fontname=\"monospace\"];"
    )?;
    for (at, node) in graph.nodes.iter().enumerate() {
        let lines: Vec<String> = std::iter::once(&node.name)
            .chain(&node.lines)
            .map(|line| quoted(line))
            .collect();
        let (fill, pen) = colours(node.tone);
        let frame = if node.marked { ", penwidth=3" } else { "" };
        writeln!(
            out,
            "  n{at} [label=\"{}\", fillcolor=\"{fill}\", color=\"{pen}\"{frame}];",
            lines.join("\\n")
        )?;
    }
    for (upper, lower) in graph.real_edges() {
        writeln!(out, "  n{upper} -> n{lower};")?;
    }
    writeln!(out, "}}")?;
    out.flush()
}

/// Inside double quotes a backslash begins an escape and `"` ends the text.
fn quoted(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

fn colours(tone: Tone) -> (&'static str, &'static str) {
    match tone {
        Tone::Plain => ("#ffffff", "#555555"),
        Tone::Good => ("#d9f2e0", "#0b6b2f"),
        Tone::Fair => ("#fbeccb", "#7a4d00"),
        Tone::Bad => ("#fadcd9", "#a11414"),
        Tone::Dim => ("#eeeeee", "#777777"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphNode;

    #[test]
    fn no_name_can_end_its_label() {
        let node = GraphNode {
            name: "a\"];evil\\\n<b>".into(),
            lines: vec!["unmap".into()],
            tone: Tone::Good,
            marked: true,
            link: None,
        };
        let graph = Graph {
            nodes: vec![node.clone(), node],
            edges: vec![(0, 1), (1, 1), (0, 9)],
        };
        let mut out = Vec::new();
        write_dot(&mut out, &graph).unwrap();
        let text = String::from_utf8(out).unwrap();
        let label = "n0 [label=\"a\\\"];evil\\\\\\\\x0a<b>\\nunmap\", fillcolor=\"#d9f2e0\", color=\"#0b6b2f\", penwidth=3];";
        assert!(text.contains(label), "{text}");
        assert_eq!(text.matches("->").count(), 1);
    }
}
