//! All devices that were looked at, and the edges between them.

use std::collections::HashMap;

use crate::model::device::BlockDevice;
use crate::model::ids::KName;

/// Devices in the order they were found, with their edges `holder → slave` by name.
#[derive(Debug, Default)]
pub struct Topology {
    devices: Vec<BlockDevice>,
    places: HashMap<KName, usize>,
}

impl Topology {
    /// Takes a device in. A second one of the same name is refused: a name is one device.
    pub fn add(&mut self, device: BlockDevice) -> bool {
        if self.places.contains_key(&device.kname) {
            return false;
        }
        self.places.insert(device.kname.clone(), self.devices.len());
        self.devices.push(device);
        true
    }

    /// A device by its name.
    pub fn get(&self, kname: &KName) -> Option<&BlockDevice> {
        self.places
            .get(kname)
            .and_then(|place| self.devices.get(*place))
    }

    /// Changes what is known of a device.
    pub fn get_mut(&mut self, kname: &KName) -> Option<&mut BlockDevice> {
        self.places
            .get(kname)
            .and_then(|place| self.devices.get_mut(*place))
    }

    /// Every device in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &BlockDevice> {
        self.devices.iter()
    }

    /// How many devices there are.
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// The disk whose queue serves a device: its own, or the one a partition lies on.
    pub fn disk_of<'t>(&'t self, device: &'t BlockDevice) -> &'t BlockDevice {
        device
            .disk
            .as_ref()
            .and_then(|disk| self.get(disk))
            .unwrap_or(device)
    }

    /// What stands directly below a device: its slaves, or the disk of a partition.
    pub fn below<'t>(&'t self, device: &'t BlockDevice) -> impl Iterator<Item = &'t KName> {
        device.slaves.iter().chain(device.disk.iter())
    }
}
