//! Things that stand under other things, with aligned columns beside them.

use std::io::{self, Write};

use crate::field::{Cell, Tone};
use crate::layout::{Grid, GridCell};
use crate::table::TableOptions;
use crate::text::printable;

/// What follows the label of a node that is drawn in full further up.
const ABOVE: &str = " (above)";

/// One node of a [`Tree`].
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// The label, then the values of the other columns. Missing ones at the end are left blank,
    /// ones past [`Tree::headers`] are not shown.
    pub cells: Vec<Cell>,
    /// How the node is to be taken.
    pub tone: Tone,
    /// What stands under it, as indices of [`Tree::nodes`], in order.
    pub children: Vec<usize>,
}

/// A graph to be drawn as a tree: a node may stand under several others, or under itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// The headings: of the label, then of the other columns. At least one.
    pub headers: Vec<&'static str>,
    /// All nodes. One that no root leads to is not drawn.
    pub nodes: Vec<TreeNode>,
    /// Where drawing begins, as indices of `nodes`, in order.
    pub roots: Vec<usize>,
}

/// The pieces that branches are drawn with.
struct Branches {
    child: &'static str,
    last: &'static str,
    beside: &'static str,
    below: &'static str,
    ellipsis: &'static str,
}

const UNICODE: Branches = Branches {
    child: "├─",
    last: "└─",
    beside: "│ ",
    below: "  ",
    ellipsis: "…",
};
const ASCII: Branches = Branches {
    child: "|-",
    last: "`-",
    beside: "| ",
    below: "  ",
    ellipsis: "...",
};

/// Writes a tree, a node a line.
///
/// A node is drawn in full where it is met first. Wherever else it stands, under a second parent or
/// in a cycle, there is only its label and `(above)`. An index that no node has is passed over. A
/// column whose values are all numbers, or missing, stands at the right. `ascii` draws the branches
/// and the mark of a cut text in ASCII; the values stay as they are. For `options` see
/// [`write_table`](crate::write_table): the label is the first column.
pub fn write_tree(
    out: &mut dyn Write,
    tree: &Tree,
    options: &TableOptions,
    ascii: bool,
) -> io::Result<()> {
    let branches = if ascii { &ASCII } else { &UNICODE };
    let right = (0..tree.headers.len()).map(|column| column > 0 && is_numeric(tree, column));
    let grid = Grid {
        headings: tree
            .headers
            .iter()
            .map(|header| printable(header).into_owned())
            .collect(),
        right: right.collect(),
        rows: rows(tree, options, branches),
        ellipsis: branches.ellipsis,
    };
    grid.write(out, options)
}

/// Whether a column holds a number and nothing but numbers.
fn is_numeric(tree: &Tree, column: usize) -> bool {
    let mut cells = tree
        .nodes
        .iter()
        .filter_map(|node| node.cells.get(column))
        .peekable();
    let mut values = cells.clone().filter(|cell| !cell.is_missing());
    cells.peek().is_some() && values.clone().next().is_some() && values.all(Cell::is_number)
}

/// A node waiting to be drawn, and the branches that lead to it.
struct Pending {
    node: usize,
    /// What stands before its own line.
    branch: String,
    /// What stands before the lines of its children.
    below: String,
}

/// All lines, depth first. Without recursion, so that no depth is too deep.
fn rows(tree: &Tree, options: &TableOptions, branches: &Branches) -> Vec<Vec<GridCell>> {
    let mut rows = Vec::with_capacity(tree.nodes.len());
    let mut drawn = vec![false; tree.nodes.len()];
    let root = |&node: &usize| Pending {
        node,
        branch: String::new(),
        below: String::new(),
    };
    let mut pending: Vec<Pending> = tree.roots.iter().rev().map(root).collect();

    while let Some(at) = pending.pop() {
        let Some(node) = tree.nodes.get(at.node) else {
            continue;
        };
        let again = std::mem::replace(&mut drawn[at.node], true);
        rows.push(row(tree, node, &at.branch, again, options));
        if again {
            continue;
        }
        let known = node
            .children
            .iter()
            .copied()
            .filter(|&child| child < tree.nodes.len());
        for (place, child) in known.rev().enumerate() {
            let (own, under) = match place {
                0 => (branches.last, branches.below),
                _ => (branches.child, branches.beside),
            };
            pending.push(Pending {
                node: child,
                branch: format!("{}{own}", at.below),
                below: format!("{}{under}", at.below),
            });
        }
    }
    rows
}

fn row(
    tree: &Tree,
    node: &TreeNode,
    branch: &str,
    again: bool,
    options: &TableOptions,
) -> Vec<GridCell> {
    let cell = |column: usize| {
        let value = node.cells.get(column);
        let mut text = value.map_or_else(String::new, |cell| cell.to_text(options.bytes));
        let mut tone = node.tone;
        if again || (tone == Tone::Plain && value.is_some_and(Cell::is_missing)) {
            tone = Tone::Dim;
        }
        if again {
            text = if column == 0 {
                text + ABOVE
            } else {
                String::new()
            };
        }
        if column == 0 {
            text.insert_str(0, branch);
        }
        GridCell {
            text,
            tone,
            lead: if column == 0 { branch.len() } else { 0 },
        }
    };
    (0..tree.headers.len()).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(label: &'static str, size: u64, note: &'static str, children: &[usize]) -> TreeNode {
        TreeNode {
            cells: vec![Cell::from(label), Cell::Bytes(size), Cell::from(note)],
            tone: Tone::Plain,
            children: children.to_vec(),
        }
    }

    /// A diamond: `b` and `c` both stand on `d`.
    fn diamond() -> Tree {
        Tree {
            headers: vec!["NAME", "SIZE", "NOTE"],
            nodes: vec![
                node("a", 1 << 40, "top", &[1, 2]),
                node("b", 4096, "left", &[3]),
                node("c", 512, "right", &[3, 9]),
                node("d", 0, "shared", &[4]),
                node("e", 7, "leaf", &[]),
            ],
            roots: vec![0, 4],
        }
    }

    fn written(tree: &Tree, options: &TableOptions, ascii: bool) -> String {
        let mut out = Vec::new();
        write_tree(&mut out, tree, options, ascii).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_shared_node_is_drawn_once() {
        let expected = "\
NAME           SIZE  NOTE
a                1T  top
├─b              4K  left
│ └─d             0  shared
│   └─e          7B  leaf
└─c            512B  right
  └─d (above)
e (above)
";
        assert_eq!(
            written(&diamond(), &TableOptions::default(), false),
            expected
        );
    }

    #[test]
    fn ascii_branches_for_other_terminals() {
        let expected = "\
NAME           SIZE  NOTE
a                1T  top
|-b              4K  left
| `-d             0  shared
|   `-e          7B  leaf
`-c            512B  right
  `-d (above)
e (above)
";
        assert_eq!(
            written(&diamond(), &TableOptions::default(), true),
            expected
        );
    }

    #[test]
    fn a_cycle_ends() {
        let mut tree = diamond();
        tree.nodes[4].children = vec![0, 4];
        tree.roots = vec![0];
        let expected = "\
a                    1T  top
├─b                  4K  left
│ └─d                 0  shared
│   └─e              7B  leaf
│     ├─a (above)
│     └─e (above)
└─c                512B  right
  └─d (above)
";
        let options = TableOptions {
            headings: false,
            ..TableOptions::default()
        };
        assert_eq!(written(&tree, &options, false), expected);
    }

    #[test]
    fn short_rows_and_unknown_roots_are_no_error() {
        let tree = Tree {
            headers: vec!["NAME", "SIZE"],
            nodes: vec![TreeNode {
                cells: vec![Cell::from("a")],
                tone: Tone::Plain,
                children: vec![],
            }],
            roots: vec![7, 0],
        };
        assert_eq!(
            written(&tree, &TableOptions::default(), false),
            "NAME  SIZE\na\n"
        );
    }

    #[test]
    fn colours_leave_the_branches_plain() {
        let mut tree = diamond();
        tree.nodes[1].tone = Tone::Bad;
        let options = TableOptions {
            color: true,
            headings: false,
            ..TableOptions::default()
        };
        let text = written(&tree, &options, false);
        assert!(text.contains("├─\x1b[1m\x1b[31mb\x1b[0m              \x1b[1m\x1b[31m4K\x1b[0m"));
        assert!(text.contains("  └─\x1b[2md (above)\x1b[0m\n"));
    }

    #[test]
    fn a_narrow_tree_is_cut_at_the_notes_first() {
        let mut tree = diamond();
        tree.nodes[3].cells[2] = Cell::from("shared by two others");
        let options = TableOptions {
            width: Some(31),
            ..TableOptions::default()
        };
        let text = written(&tree, &options, false);
        assert!(
            text.contains("\n│ └─d             0  shared by…\n"),
            "{text}"
        );
        let text = written(&tree, &options, true);
        assert!(
            text.contains("\n| `-d             0  shared...\n"),
            "{text}"
        );
    }

    #[test]
    fn no_depth_is_too_deep() {
        let nodes = (0..5000).map(|n| node("n", n, "", &[usize::try_from(n).unwrap() + 1]));
        let tree = Tree {
            headers: vec!["NAME"],
            nodes: nodes.collect(),
            roots: vec![0],
        };
        let options = TableOptions {
            width: Some(80),
            ..TableOptions::default()
        };
        assert_eq!(written(&tree, &options, false).lines().count(), 5001);
    }
}
