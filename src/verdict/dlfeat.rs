//! DLFEAT: what a namespace says of deallocated blocks (NVM Command Set 1.0, figure 97, byte 33).

use crate::facts::origin::Origin;
use crate::verdict::leaf::nvme::byte;
use crate::wire::nvme::identify::{Dlfeat, ReadBehavior};

/// Whether the kernel takes a zeroes request with DEAC as deallocation that reads back as zeroes.
pub fn deallocates_to_zeroes(dlfeat: Dlfeat) -> bool {
    dlfeat.read_behavior() == ReadBehavior::AllZeroes && dlfeat.deac()
}

/// DLFEAT in one clause.
pub fn explain(dlfeat: Dlfeat) -> String {
    let guard = if dlfeat.guard_crc() {
        ", guard CRC"
    } else {
        ""
    };
    let raw = dlfeat.raw();
    let reads = match dlfeat.read_behavior() {
        ReadBehavior::NotReported => "what deallocated blocks read as is not reported",
        ReadBehavior::AllZeroes => "deallocated blocks read as zeroes",
        ReadBehavior::AllOnes => "deallocated blocks read as FFh",
        ReadBehavior::Reserved(_) => "what deallocated blocks read as has a reserved value",
    };
    let deac = if dlfeat.deac() {
        "Write Zeroes can deallocate (DEAC)"
    } else {
        "Write Zeroes cannot deallocate (no DEAC)"
    };
    format!("DLFEAT {raw}: {reads}, {deac}{guard}")
}

/// The value as evidence shows it.
pub fn value(dlfeat: Dlfeat) -> String {
    format!(
        "{:#04x} (bits 2:0 = {}, DEAC {}, guard CRC {})",
        dlfeat.raw(),
        dlfeat.read_behavior(),
        u8::from(dlfeat.deac()),
        u8::from(dlfeat.guard_crc())
    )
}

/// Where it stands.
pub fn origin(identify: &Origin) -> Origin {
    byte(identify, "byte 33 (DLFEAT)")
}
