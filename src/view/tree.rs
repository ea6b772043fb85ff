//! The topology as a tree: from disks up to what stands on them, or the other way round.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use zinspect_exporters::{Cell, Tone, Tree, TreeNode};

use crate::facts::queue::{self, Attr, Value};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{KName, natural_order};
use crate::model::topology::Topology;
use crate::view::fields;
use crate::view::report::Device;

/// Which way a tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// From disks to what stands on them.
    Up,
    /// From what nothing stands on to the disks.
    Down,
}

/// The edges of a topology in one direction. A multipath head has its paths below it either way: they are parts of it
/// and no disks that anybody could use.
pub struct Edges {
    children: HashMap<KName, Vec<KName>>,
}

impl Edges {
    /// Gathers them: slaves, partitions, and a loop device on a device's node.
    pub fn new(topology: &Topology, growth: Growth) -> Self {
        let mut edges: BTreeSet<(KName, KName)> = BTreeSet::new();
        for device in topology.iter() {
            let behind = device
                .loop_
                .as_deref()
                .and_then(|facts| facts.backing_device.as_ref());
            for below in topology.below(device).chain(behind) {
                let up = growth == Growth::Up && device.kind != Kind::NvmeHead;
                let (parent, child) = if up {
                    (below, &device.kname)
                } else {
                    (&device.kname, below)
                };
                edges.insert((parent.clone(), child.clone()));
            }
        }
        let mut children: HashMap<KName, Vec<KName>> = HashMap::new();
        for (parent, child) in edges {
            children.entry(parent).or_default().push(child);
        }
        for list in children.values_mut() {
            list.sort_by(|a, b| natural_order(a.as_str(), b.as_str()));
        }
        Self { children }
    }

    /// What hangs on a device.
    pub fn of(&self, kname: &KName) -> &[KName] {
        self.children.get(kname).map_or(&[], Vec::as_slice)
    }
}

/// Draws these devices and all that hangs on them; without any, everything.
#[expect(clippy::implicit_hasher, reason = "the crate has one map of reports")]
pub fn tree(
    topology: &Topology,
    reports: &HashMap<KName, Device>,
    targets: &[KName],
    growth: Growth,
    listed: &dyn Fn(&BlockDevice) -> bool,
) -> Tree {
    let edges = Edges::new(topology, growth);
    let roots = if targets.is_empty() {
        roots(topology, &edges, listed)
    } else {
        targets.to_vec()
    };
    let mut drawing = Drawing {
        topology,
        reports,
        edges,
        nodes: Vec::new(),
        places: HashMap::new(),
    };
    let roots = roots.iter().map(|root| drawing.node(root)).collect();
    let header = |key: &&str| {
        fields::ALL
            .iter()
            .find(|field| field.key == *key)
            .map_or("", |f| f.header)
    };
    let headers = std::iter::once("NAME")
        .chain(fields::TREE.iter().map(header))
        .collect();
    Tree {
        headers,
        nodes: drawing.nodes,
        roots,
    }
}

/// Devices that hang on no other; where a cycle leaves none, each of its devices.
fn roots(topology: &Topology, edges: &Edges, listed: &dyn Fn(&BlockDevice) -> bool) -> Vec<KName> {
    let hanging: HashSet<&KName> = edges.children.values().flatten().collect();
    let mut roots: Vec<KName> = topology
        .iter()
        .filter(|device| !hanging.contains(&device.kname) && listed(device))
        .map(|device| device.kname.clone())
        .collect();
    let mut reached: HashSet<KName> = HashSet::new();
    let mut reach = |from: &KName| {
        let mut todo = vec![from.clone()];
        while let Some(kname) = todo.pop() {
            if reached.insert(kname.clone()) {
                todo.extend(edges.of(&kname).iter().cloned());
            }
        }
        reached.len()
    };
    for root in &roots {
        reach(root);
    }
    for device in topology.iter().filter(|device| listed(device)) {
        let before = reach(
            &roots
                .first()
                .cloned()
                .unwrap_or_else(|| device.kname.clone()),
        );
        if reach(&device.kname) > before {
            roots.push(device.kname.clone());
        }
    }
    roots
}

struct Drawing<'t> {
    topology: &'t Topology,
    reports: &'t HashMap<KName, Device>,
    edges: Edges,
    nodes: Vec<TreeNode>,
    places: HashMap<KName, usize>,
}

impl Drawing<'_> {
    fn node(&mut self, kname: &KName) -> usize {
        if let Some(place) = self.places.get(kname) {
            return *place;
        }
        let place = self.nodes.len();
        self.places.insert(kname.clone(), place);
        self.nodes.push(self.cells(kname));
        let children: Vec<KName> = self.edges.of(kname).to_vec();
        let mut below: Vec<usize> = Vec::new();
        for line in self.differences(kname) {
            below.push(self.nodes.len());
            let label = Cell::Text(Cow::Owned(line));
            self.nodes.push(TreeNode {
                cells: vec![label],
                tone: Tone::Fair,
                children: Vec::new(),
            });
        }
        below.extend(children.iter().map(|child| self.node(child)));
        if let Some(node) = self.nodes.get_mut(place) {
            node.children = below;
        }
        place
    }

    fn cells(&self, kname: &KName) -> TreeNode {
        let Some(report) = self.reports.get(kname) else {
            let label = Cell::Text(Cow::Owned(kname.to_string()));
            let note = Cell::Text(Cow::Borrowed("could not be read"));
            let blank = fields::TREE.iter().skip(1).map(|_| Cell::Missing(""));
            let cells = std::iter::once(label)
                .chain(blank)
                .chain(std::iter::once(note))
                .collect();
            return TreeNode {
                cells,
                tone: Tone::Dim,
                children: Vec::new(),
            };
        };
        let cell = |key: &&str| {
            let field = fields::ALL.iter().find(|field| field.key == *key);
            field.map_or(Cell::Missing(""), |field| (field.get)(report))
        };
        let label = Cell::Text(Cow::Owned(kname.to_string()));
        let cells = std::iter::once(label)
            .chain(fields::TREE.iter().map(cell))
            .collect();
        TreeNode {
            cells,
            tone: fields::tone(report),
            children: Vec::new(),
        }
    }

    /// Limits in which the paths of a multipath device differ, side by side.
    fn differences(&self, kname: &KName) -> Vec<String> {
        let Some(device) = self.topology.get(kname) else {
            return Vec::new();
        };
        if !is_multipath(device) {
            return Vec::new();
        }
        let paths: Vec<&BlockDevice> = device
            .slaves
            .iter()
            .filter_map(|name| self.topology.get(name))
            .collect();
        let mut lines = Vec::new();
        for attr in queue::ALL
            .iter()
            .filter(|attr| !matches!(attr, Attr::Scheduler | Attr::NrRequests))
        {
            let values: Vec<String> = paths.iter().map(|path| shown(path, *attr)).collect();
            if values.windows(2).any(|pair| pair.first() != pair.last()) {
                let each = paths
                    .iter()
                    .zip(&values)
                    .map(|(path, value)| format!("{} {value}", path.kname));
                lines.push(format!(
                    "≠ {}: {}",
                    attr.name(),
                    each.collect::<Vec<_>>().join(" | ")
                ));
            }
        }
        lines
    }
}

/// Whether its slaves are paths to one and the same disk.
pub fn is_multipath(device: &BlockDevice) -> bool {
    let by_table = device.dm.as_deref().is_some_and(|dm| {
        let table = dm
            .table
            .value()
            .is_some_and(|table| table.iter().any(|target| target.name == "multipath"));
        table
            || dm
                .uuid
                .value()
                .is_some_and(|uuid| uuid.starts_with("mpath-"))
    });
    by_table || device.kind == Kind::NvmeHead
}

fn shown(device: &BlockDevice, attr: Attr) -> String {
    match device.queue.reading(attr) {
        Reading::Present(Value::Number(number)) => number.to_string(),
        Reading::Present(Value::Text(text)) => text.to_string(),
        other => other.status().unwrap_or_default().to_owned(),
    }
}
