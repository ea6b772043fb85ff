//! Identify data of any content: an answer or an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zinspect::wire::nvme::identify::{
    IdentifyController, IdentifyNamespace, IdentifyNvmController,
};

fuzz_target!(|data: &[u8]| {
    // The interesting part is the first 384 bytes; the rest need not be mutated to be there.
    let mut bytes = data.to_vec();
    bytes.resize(4096, 0);
    for bytes in [data, &bytes] {
        if let Ok(id) = IdentifyNamespace::decode(bytes) {
            let used = id.lba_format();
            assert!(
                used.is_err()
                    || used == Ok(id.lba_formats().nth(id.format_index().into()).unwrap())
            );
            let _ = (id.nows_blocks(), id.npdg_blocks(), format!("{id:?}"));
        }
        if let Ok(id) = IdentifyController::decode(bytes) {
            let _ = (id.oncs().names(), id.cmic().names(), format!("{id:?}"));
        }
        let _ = IdentifyNvmController::decode(bytes).map(|id| format!("{id:?}"));
    }
});
