//! Who may open a device: the permission bits of its node. The node itself is not opened.

use crate::facts::reading::Reading;
use crate::model::ids::KName;
use crate::model::topology::Topology;
use crate::source::Host;

/// Reads them for all devices that have a number, and so a node.
pub fn read(host: &Host, topology: &mut Topology) {
    let names: Vec<KName> = topology
        .iter()
        .filter(|device| device.devno.is_present())
        .map(|device| device.kname.clone())
        .collect();
    for kname in names {
        let mode = if host.files.is_live() {
            host.files
                .node_mode(kname.node().trim_start_matches('/'))
                .map_or_else(Reading::from_errno, Reading::Present)
        } else {
            Reading::NotAsked("a captured host has no nodes")
        };
        if let Some(device) = topology.get_mut(&kname) {
            device.node_mode = mode;
        }
    }
}
