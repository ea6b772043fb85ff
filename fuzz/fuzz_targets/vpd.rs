//! VPD pages, INQUIRY and parameter data of any content: an answer or an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zinspect::wire::scsi::capacity::ReadCapacity16;
use zinspect::wire::scsi::cdb::ReadCdb;
use zinspect::wire::scsi::inquiry::StandardInquiry;
use zinspect::wire::scsi::lba_status::LbaStatus;
use zinspect::wire::scsi::opcodes::OneCommand;
use zinspect::wire::scsi::vpd;

fuzz_target!(|data: &[u8]| {
    let _ = vpd::SupportedPages::decode(data);
    let _ = vpd::UnitSerial::decode(data).map(|page| page.value.text());
    if let Ok(page) = vpd::DeviceIdentification::decode(data) {
        let held: usize = page
            .value
            .designators
            .iter()
            .map(|found| found.value.len() + 4)
            .sum();
        assert!(held + 4 <= data.len(), "no designator is made up");
    }
    let _ = vpd::AtaInformation::decode(data).map(|page| (page.value.model(), page.value.trim()));
    let _ = vpd::BlockLimits::decode(data).map(|page| page.value.unmap_granularity_alignment());
    let _ = vpd::BlockCharacteristics::decode(data).map(|page| page.value.zoned());
    let _ = vpd::LogicalBlockProvisioning::decode(data).map(|page| page.value.lbprz());
    let _ = vpd::LogicalBlockProvisioning::provisioning_group(data);
    let _ = StandardInquiry::decode(data).map(|id| id.version_descriptors());
    let _ = ReadCapacity16::decode(data);
    let _ = OneCommand::decode(data);
    let _ = LbaStatus::decode(data);
    if let Some(cdb) = ReadCdb::parse(data) {
        assert_eq!(cdb.bytes(), data);
    }
});
