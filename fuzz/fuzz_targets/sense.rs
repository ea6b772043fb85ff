//! Sense data of any content: words or an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zinspect::wire::nvme::status::NvmeStatus;
use zinspect::wire::scsi::sense::Sense;

fuzz_target!(|data: &[u8]| {
    if let Ok(sense) = Sense::decode(data) {
        assert!(!sense.to_string().is_empty());
    }
    if let Some(raw) = data.first_chunk() {
        assert!(!NvmeStatus(u16::from_le_bytes(*raw)).to_string().is_empty());
    }
});
