//! The topology as a graph: each device with its verdict, those that decide for others marked.

use std::collections::HashMap;

use zinspect_exporters::{ByteStyle, Graph, GraphNode, format_bytes};

use crate::model::topology::Topology;
use crate::view::fields;
use crate::view::report::Device;
use crate::view::tree::{Edges, Growth};

/// What the picture shows.
pub const SAYS: &str = "Block devices, each above those it stands on; coloured by verdict, a heavy frame where a device decides for others";

/// The graph of these devices; with `linked` each node leads to its section of a page.
pub fn graph(topology: &Topology, devices: &[Device], linked: bool) -> Graph {
    let places: HashMap<&str, usize> = devices
        .iter()
        .enumerate()
        .map(|(at, device)| (device.kname.as_str(), at))
        .collect();
    let mut decides_for: HashMap<&str, Vec<&str>> = HashMap::new();
    for device in devices {
        if let Some(decides) = device.verdict.decides()
            && decides.at != device.kname
        {
            decides_for
                .entry(&decides.at)
                .or_default()
                .push(&device.kname);
        }
    }
    let edges = Edges::new(topology, Growth::Down);
    let mut graph = Graph::default();
    for (at, device) in devices.iter().enumerate() {
        let decides = decides_for.get(device.kname.as_str());
        graph
            .nodes
            .push(node(device, decides, linked.then_some(at)));
    }
    for device in topology.iter() {
        let below = edges.of(&device.kname).iter();
        let ends = below.filter_map(|lower| {
            let upper = places.get(device.kname.as_str())?;
            Some((*upper, *places.get(lower.as_str())?))
        });
        graph.edges.extend(ends);
    }
    graph
}

fn node(device: &Device, decides_for: Option<&Vec<&str>>, section: Option<usize>) -> GraphNode {
    let verdict = &device.verdict;
    let mut line = verdict.zeroing.word().to_owned();
    if let Some(bytes) = verdict.max_bytes.filter(|bytes| *bytes > 0) {
        line = format!("{line}, {}", format_bytes(bytes, ByteStyle::People));
    }
    let mut lines = Vec::new();
    // A node below /dev that is not simply the kernel's name says more: /dev/mapper/root.
    let path = device.path.as_deref().unwrap_or_default();
    if path.starts_with("/dev/mapper/") {
        lines.push(path.to_owned());
    }
    lines.push(line);
    match decides_for.map(Vec::as_slice) {
        None | Some([]) => {}
        Some(few) if few.len() <= 3 => lines.push(format!("decides for {}", few.join(", "))),
        Some(many) => lines.push(format!("decides for {} devices", many.len())),
    }
    GraphNode {
        name: device.kname.clone(),
        lines,
        tone: fields::tone(device),
        marked: decides_for.is_some(),
        link: section.map(|at| format!("#section-{at}")),
    }
}
