//! Things and what they stand on, to be drawn by [`write_dot`](crate::write_dot) and [`write_svg`](crate::write_svg).

use crate::field::Tone;

/// A node of a [`Graph`].
#[derive(Debug, Clone, Default)]
pub struct GraphNode {
    /// Its name, the first line.
    pub name: String,
    /// Further lines. What the tone means has to stand here in words.
    pub lines: Vec<String>,
    /// How it is to be taken.
    pub tone: Tone,
    /// Drawn with a heavy frame.
    pub marked: bool,
    /// Where a click leads; a place in the same document, such as `#section-3`.
    pub link: Option<String>,
}

/// Nodes and edges from what stands above to what it stands on.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// Places of upper and lower node. One that names no node is passed over.
    pub edges: Vec<(usize, usize)>,
}

impl Graph {
    /// The edges between nodes that are there and differ.
    pub(crate) fn real_edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.nodes.len();
        self.edges
            .iter()
            .copied()
            .filter(move |(upper, lower)| upper != lower && *upper < count && *lower < count)
    }

    /// Some of its nodes, with the edges between them.
    pub(crate) fn part(&self, nodes: &[usize]) -> Self {
        let place = |at: usize| nodes.binary_search(&at).ok();
        Self {
            nodes: nodes
                .iter()
                .filter_map(|at| self.nodes.get(*at).cloned())
                .collect(),
            edges: self
                .real_edges()
                .filter_map(|(upper, lower)| Some((place(upper)?, place(lower)?)))
                .collect(),
        }
    }
}
