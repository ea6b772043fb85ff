//! Who may open a device: the permission bits of its node. The node itself is not opened.

use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::model::topology::Topology;
use crate::source::Host;
use crate::source::files::follow;

/// Reads them for all devices that have a number, and so a node.
pub fn read(host: &Host, topology: &mut Topology) {
    let devices: Vec<(KName, Option<String>)> = topology
        .iter()
        .filter(|device| device.devno.is_present())
        .map(|device| (device.kname.clone(), generic(host, device)))
        .collect();
    for (kname, generic) in devices {
        let node = mode(host, &kname.node());
        let generic = generic.map(|node| {
            let mode = mode(host, &node);
            (node, mode)
        });
        if let Some(device) = topology.get_mut(&kname) {
            device.node_mode = node;
            device.sg_node = generic;
        }
    }
}

fn mode(host: &Host, node: &str) -> Reading<u32> {
    if !host.files.is_live() {
        return Reading::NotAsked("a captured host has no nodes");
    }
    host.files
        .node_mode(node.trim_start_matches('/'))
        .map_or_else(Reading::from_errno, Reading::Present)
}

/// `/dev/sg3` of a SCSI disk, where the sg driver is loaded.
fn generic(host: &Host, device: &BlockDevice) -> Option<String> {
    let disk = device.kind == Kind::Disk && device.driver == Some("sd");
    let names = disk.then(|| {
        let place = format!("{}/device", device.syspath);
        let place = follow(host.files.as_ref(), &place).ok()?;
        host.files.list(&format!("{place}/scsi_generic")).ok()
    });
    let name = names??.into_iter().find(|name| name.starts_with("sg"))?;
    Some(format!("/dev/{name}"))
}
