//! Where boxes go: connected parts in layers, their parts packed in rows.

use crate::graph::Graph;

/// Between boxes, and between layers.
const GAP: usize = 24;
const LAYER_GAP: usize = 48;
/// Parts are put side by side up to this width; a wider part has a row of its own.
const ROW: usize = 1100;
/// Boxes of one layer stand in several rows beyond this width.
const WIDEST_LAYER: usize = 2400;
/// Sweeps that bring boxes nearer to those they are joined with.
const SWEEPS: usize = 4;

/// A box.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The whole picture.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) width: usize,
    pub(super) height: usize,
    /// One for each node, in their order.
    pub(super) places: Vec<Place>,
}

struct Part {
    layers: Vec<Vec<usize>>,
}

pub(super) fn lay_out(graph: &Graph, size: impl Fn(usize) -> (usize, usize)) -> Layout {
    let mut places: Vec<Place> = (0..graph.nodes.len())
        .map(|at| {
            let (width, height) = size(at);
            Place {
                width,
                height,
                ..Place::default()
            }
        })
        .collect();
    let (mut left, mut top, mut row_height, mut widest) = (GAP, GAP, 0, 0);
    for part in parts(graph) {
        let (width, height) = place_part(&part, &mut places);
        if left > GAP && left + width > ROW {
            (left, top, row_height) = (GAP, top + row_height + GAP, 0);
        }
        for at in part.layers.iter().flatten() {
            if let Some(place) = places.get_mut(*at) {
                place.x += left;
                place.y += top;
            }
        }
        widest = widest.max(left + width);
        left += width + GAP;
        row_height = row_height.max(height);
    }
    Layout {
        width: widest + GAP,
        height: top + row_height + GAP,
        places,
    }
}

/// The connected parts: the first of the upper nodes, and all nodes in their order.
pub(super) fn connected(graph: &Graph) -> Vec<(usize, Vec<usize>)> {
    let nodes = |part: Part| {
        let top = part.layers.iter().flatten().next().copied();
        let mut nodes: Vec<usize> = part.layers.into_iter().flatten().collect();
        nodes.sort_unstable();
        (top.unwrap_or_default(), nodes)
    };
    parts(graph).into_iter().map(nodes).collect()
}

/// Neighbours in both directions: above and below.
struct Joined {
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

fn parts(graph: &Graph) -> Vec<Part> {
    let count = graph.nodes.len();
    let mut joined = Joined {
        above: vec![Vec::new(); count],
        below: vec![Vec::new(); count],
    };
    for (upper, lower) in graph.real_edges() {
        joined.below[upper].push(lower);
        joined.above[lower].push(upper);
    }
    let depths = depths(&joined);
    let mut seen = vec![false; count];
    let mut parts = Vec::new();
    for start in 0..count {
        let mut todo = vec![start];
        let mut layers: Vec<Vec<usize>> = Vec::new();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let depth = depths[at];
            if layers.len() <= depth {
                layers.resize_with(depth + 1, Vec::new);
            }
            layers[depth].push(at);
            todo.extend(joined.above[at].iter().chain(&joined.below[at]));
        }
        if layers.is_empty() {
            continue;
        }
        for layer in &mut layers {
            layer.sort_unstable();
        }
        order(&mut layers, &joined);
        parts.push(Part { layers });
    }
    parts
}

/// The layer of each node: one below the lowest that stands on it. Round after round, at most one for each node, so a
/// cycle ends too.
fn depths(joined: &Joined) -> Vec<usize> {
    let count = joined.below.len();
    let mut depths = vec![0; count];
    for _ in 0..count.min(64) {
        let mut moved = false;
        for upper in 0..count {
            for lower in &joined.below[upper] {
                let deeper = depths[upper] + 1;
                if depths[*lower] < deeper && deeper <= 64 {
                    depths[*lower] = deeper;
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
    depths
}

/// Orders each layer by the middle of what its boxes are joined with.
fn order(layers: &mut [Vec<usize>], joined: &Joined) {
    for sweep in 0..SWEEPS {
        let ranks: std::collections::HashMap<usize, usize> = layers
            .iter()
            .flat_map(|layer| layer.iter().enumerate().map(|(rank, at)| (*at, rank)))
            .collect();
        for layer in layers.iter_mut() {
            layer.sort_by_key(|at| {
                let near = if sweep % 2 == 0 {
                    &joined.above[*at]
                } else {
                    &joined.below[*at]
                };
                let sum: usize = near.iter().filter_map(|other| ranks.get(other)).sum();
                match near.len() {
                    0 => ranks.get(at).copied().unwrap_or_default() * 1000,
                    count => sum * 1000 / count,
                }
            });
        }
    }
}

/// Places a part at 0, 0; gives its width and height.
fn place_part(part: &Part, places: &mut [Place]) -> (usize, usize) {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for layer in part.layers.iter().filter(|layer| !layer.is_empty()) {
        let (mut row, mut width) = (Vec::new(), 0);
        for at in layer {
            let wide = places[*at].width + GAP;
            if width + wide > WIDEST_LAYER && !row.is_empty() {
                rows.push(std::mem::take(&mut row));
                width = 0;
            }
            row.push(*at);
            width += wide;
        }
        rows.push(row);
    }
    let width_of = |row: &[usize], places: &[Place]| {
        let boxes: usize = row.iter().map(|at| places[*at].width).sum();
        boxes + GAP * row.len().saturating_sub(1)
    };
    let widest = rows.iter().map(|row| width_of(row, places)).max();
    let widest = widest.unwrap_or_default();
    let mut top = 0;
    for row in &rows {
        let mut left = (widest - width_of(row, places)) / 2;
        let tallest = row.iter().map(|at| places[*at].height).max();
        for at in row {
            places[*at].x = left;
            places[*at].y = top;
            left += places[*at].width + GAP;
        }
        top += tallest.unwrap_or_default() + LAYER_GAP;
    }
    (widest, top.saturating_sub(LAYER_GAP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphNode;

    fn places(count: usize, edges: &[(usize, usize)]) -> Vec<Place> {
        let graph = Graph {
            nodes: vec![GraphNode::default(); count],
            edges: edges.to_vec(),
        };
        lay_out(&graph, |_| (100, 40)).places
    }

    fn overlap(a: &Place, b: &Place) -> bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    #[test]
    fn what_stands_above_is_drawn_above() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3)];
        let places = places(4, &edges);
        for (upper, lower) in edges {
            assert!(places[upper].y + 40 < places[lower].y, "{places:?}");
        }
    }

    #[test]
    fn no_two_boxes_overlap_whatever_the_graph() {
        let many: Vec<(usize, usize)> = (1..60).map(|at| (at % 7, at)).collect();
        let cycle = [(0, 1), (1, 2), (2, 0), (3, 4)];
        for (count, edges) in [(500, &[][..]), (60, &many), (5, &cycle)] {
            let places = places(count, edges);
            assert_eq!(places.len(), count);
            for (at, a) in places.iter().enumerate() {
                for b in &places[at + 1..] {
                    assert!(!overlap(a, b), "{a:?} {b:?}");
                }
            }
        }
    }
}
