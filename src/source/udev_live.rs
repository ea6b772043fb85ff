//! The udev database of the running host through libudev.
//!
//! libudev knows no root but `/`, and gives a missing attribute and an unreadable one both as nothing, so it is asked for
//! properties alone: attribute values are kept from the first reading on, and a limit that has changed since would be
//! told as it was.

use rustix::io::Errno;
use udev::{Device, DeviceType};

use crate::model::ids::DevNo;

/// Key and value.
pub type Property = (Vec<u8>, Vec<u8>);

/// Every property of a block device, raw; `None` where udevd has no entry of it. Without an entry libudev still gives
/// the properties of the kernel's event, which would look like an entry.
pub fn properties(devno: DevNo) -> Result<Option<Vec<Property>>, Errno> {
    let number = rustix::fs::makedev(devno.major, devno.minor);
    let device = Device::from_devnum(DeviceType::Block, number).map_err(|error| {
        error
            .raw_os_error()
            .map_or(Errno::IO, Errno::from_raw_os_error)
    })?;
    if !device.is_initialized() {
        return Ok(None);
    }
    let bytes = |text: &std::ffi::OsStr| text.as_encoded_bytes().to_vec();
    let properties = device.properties();
    Ok(Some(
        properties
            .map(|entry| (bytes(entry.name()), bytes(entry.value())))
            .collect(),
    ))
}
