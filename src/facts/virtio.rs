//! virtio-blk: which features the device offers.

use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;

/// The virtio side of a disk.
#[derive(Debug)]
pub struct VirtioFacts {
    /// `device/features`: negotiated feature bits, bit 0 first (Virtual I/O Device 1.2, section 5.2.3).
    pub features: Reading<String>,
}

/// VIRTIO_BLK_F_DISCARD.
pub const F_DISCARD: usize = 13;
/// VIRTIO_BLK_F_WRITE_ZEROES.
pub const F_WRITE_ZEROES: usize = 14;

impl VirtioFacts {
    /// Reads them.
    pub fn collect(collector: &Collector, device: &BlockDevice) -> Self {
        let path = format!("{}/device", device.syspath);
        let place = crate::source::files::follow(collector.host.files.as_ref(), &path);
        let features = match place.and_then(|place| collector.host.files.dir(&place)) {
            Ok(dir) => collector.text(&dir, "features"),
            Err(error) => Reading::from_errno(error),
        };
        Self { features }
    }

    /// Whether a feature was negotiated.
    pub fn feature(&self, bit: usize) -> Reading<bool> {
        self.features
            .as_ref()
            .and_then(|bits| match bits.as_bytes().get(bit) {
                Some(b'1') => Reading::Present(true),
                Some(b'0') => Reading::Present(false),
                Some(_) => Reading::malformed(format!("{bits:?}: not a string of bits")),
                None => Reading::Absent,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_count_from_the_left() {
        let facts = VirtioFacts {
            features: Reading::Present("0010101101110110".into()),
        };
        assert_eq!(facts.feature(F_DISCARD), Reading::Present(true));
        assert_eq!(facts.feature(F_WRITE_ZEROES), Reading::Present(true));
        assert_eq!(facts.feature(15), Reading::Present(false));
        assert_eq!(facts.feature(64), Reading::Absent);
    }
}
