//! A disk made of literal facts.

use std::rc::Rc;

use crate::facts::kernel::Kernel;
use crate::facts::origin::{Fact, Origin};
use crate::facts::queue::{Attr, QueueLimits, Value};
use crate::facts::reading::Reading;
use crate::facts::scsi::{Opcodes, ScsiFacts};
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{DevNo, KName};
use crate::model::topology::Topology;
use crate::verdict::Judge;
use crate::verdict::leaf::scsi::{SdModes, conflicts, predict, predicted_modes};
use crate::verdict::prediction::{Limits, Prediction};
use crate::verdict::reason::Conflict;
use crate::wire::scsi::opcodes::Support;

pub(super) const LBPME: u8 = 0x80;
pub(super) const LBPRZ: u8 = 0x40;
pub(super) const LBPU: u8 = 0x80;
pub(super) const LBPWS: u8 = 0x40;
pub(super) const LBPWS10: u8 = 0x20;

const PLACE: &str = "sys/devices/pseudo_0/adapter0/host2/target2:0:0/2:0:0:0/block/sda";

/// A disk and the kernel it is on.
pub(super) struct Disk {
    pub(super) device: BlockDevice,
    pub(super) kernel: &'static str,
}

/// READ CAPACITY(16) of 1 GiB.
pub(super) fn rc16(block: u32, exponent: u8, bits: u8) -> Vec<u8> {
    let last = (1u64 << 30) / u64::from(block) - 1;
    let mut bytes = last.to_be_bytes().to_vec();
    bytes.extend(block.to_be_bytes());
    bytes.extend([0, exponent, bits, 0]);
    bytes.resize(32, 0);
    bytes
}

/// Page B0h of so many bytes, as far as they reach.
pub(super) fn b0(length: u8, write_same: u64, unmap_blocks: u32) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[20..24].copy_from_slice(&unmap_blocks.to_be_bytes());
    bytes[24..28].copy_from_slice(&256u32.to_be_bytes());
    bytes[36..44].copy_from_slice(&write_same.to_be_bytes());
    bytes.truncate(length.into());
    (bytes[1], bytes[3]) = (0xb0, length - 4);
    bytes
}

/// Page B2h with these bits in byte 5.
pub(super) fn b2(bits: u8) -> Vec<u8> {
    vec![0, 0xb2, 0, 4, 0, bits, 2, 0]
}

fn at(what: &str) -> Origin {
    Origin::Command {
        node: "/dev/sda".into(),
        what: what.into(),
    }
}

fn support(support: Support) -> Fact<Support> {
    Fact {
        reading: Reading::Present(support),
        origin: at("REPORT SUPPORTED OPERATION CODES"),
    }
}

fn page(code: u8, reading: Reading<Vec<u8>>) -> (u8, Fact<Vec<u8>>) {
    let via = format!("/{PLACE}/device/vpd_pg{code:x}");
    (
        code,
        Fact {
            reading,
            origin: Origin::Vpd {
                via,
                what: format!("VPD page {code:02X}h"),
            },
        },
    )
}

fn file<T>(name: &str, reading: Reading<T>) -> Fact<T> {
    Fact::file(&format!("{PLACE}/device/scsi_disk/2:0:0:0/{name}"), reading)
}

impl Disk {
    /// scsi_debug as it comes, on 7.3: WRITE SAME(16) and (10), no provisioning, limit 65535.
    pub(super) fn new() -> Self {
        let kname = KName::new("sda").unwrap();
        let mut device = BlockDevice::new(kname, PLACE.into(), Kind::Disk, Some("sd"));
        device.devno = Reading::Present(DevNo { major: 8, minor: 0 });
        device.size_bytes = Reading::Present(1 << 30);
        device.scsi = Some(Box::new(ScsiFacts {
            hctl: Reading::Present("2:0:0:0".into()),
            vendor: Reading::Present("Linux".into()),
            model: Reading::Present("scsi_debug".into()),
            rev: Reading::Present("0191".into()),
            scsi_level: Reading::Present(8),
            host_driver: Reading::Present("scsi_debug".into()),
            inquiry: Fact::not_asked("not needed"),
            vpd: vec![
                page(
                    0x00,
                    Reading::Present(vec![0, 0, 0, 4, 0, 0x89, 0xb0, 0xb2]),
                ),
                page(0x89, Reading::Absent),
                page(0xb0, Reading::Present(b0(64, 0xffff, 0))),
                page(0xb2, Reading::Present(b2(0))),
            ],
            rc16: Fact {
                reading: Reading::Present(rc16(512, 0, 0)),
                origin: at("READ CAPACITY(16)"),
            },
            opcodes: Opcodes {
                write_same_10: support(Support::Standard),
                write_same_16: support(Support::Standard),
                unmap: support(Support::Standard),
                inquiry: support(Support::Standard),
                refused: Some(false),
                answers: Vec::new(),
            },
            thin_provisioning: file("thin_provisioning", Reading::Absent),
            zeroing_mode: file("zeroing_mode", Reading::Absent),
            provisioning_mode: file("provisioning_mode", Reading::Absent),
            max_write_same_blocks: file("max_write_same_blocks", Reading::Absent),
        }));
        let disk = Self {
            device,
            kernel: "7.3.4+deb13-amd64",
        };
        disk.block(512).queue(Attr::WriteZeroesUnmapMaxHwBytes, 0)
    }

    pub(super) fn facts(&mut self) -> &mut ScsiFacts {
        self.device.scsi.as_mut().unwrap()
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut ScsiFacts)) -> Self {
        change(self.facts());
        self
    }

    fn limits_mut(&mut self) -> &mut QueueLimits {
        Rc::make_mut(&mut self.device.queue)
    }

    pub(super) fn queue(mut self, attr: Attr, number: i64) -> Self {
        self.limits_mut()
            .set(attr, Reading::Present(Value::Number(number)));
        self
    }

    pub(super) fn block(self, bytes: i64) -> Self {
        self.queue(Attr::LogicalBlockSize, bytes)
    }

    /// On a kernel without the unmap files.
    pub(super) fn on_6_12(mut self) -> Self {
        self.kernel = "6.12.117+deb13-amd64";
        self.limits_mut()
            .set(Attr::WriteZeroesUnmapMaxHwBytes, Reading::Absent);
        self
    }

    pub(super) fn set_page(self, code: u8, reading: Reading<Vec<u8>>) -> Self {
        self.with(|facts| {
            facts.vpd.retain(|(known, _)| *known != code);
            facts.vpd.push(page(code, reading));
        })
    }

    /// Page B0h with this MAXIMUM WRITE SAME LENGTH.
    pub(super) fn longest(self, blocks: u64) -> Self {
        self.set_page(0xb0, Reading::Present(b0(64, blocks, 0)))
    }

    /// Byte 14 of READ CAPACITY(16), and byte 5 of page B2h.
    pub(super) fn provisioned(self, capacity: u8, page: u8) -> Self {
        self.capacity(512, 0, capacity)
            .set_page(0xb2, Reading::Present(b2(page)))
    }

    pub(super) fn capacity(self, block: u32, exponent: u8, bits: u8) -> Self {
        self.with(|facts| facts.rc16.reading = Reading::Present(rc16(block, exponent, bits)))
    }

    pub(super) fn level(self, level: u64) -> Self {
        self.with(|facts| facts.scsi_level = Reading::Present(level))
    }

    pub(super) fn driver(self, name: &str) -> Self {
        self.with(|facts| facts.host_driver = Reading::Present(name.into()))
    }

    pub(super) fn vendor(self, name: &str) -> Self {
        self.with(|facts| facts.vendor = Reading::Present(name.into()))
    }

    /// Both WRITE SAMEs are answered with this.
    pub(super) fn write_same(self, both: Support) -> Self {
        self.with(|facts| {
            facts.opcodes.write_same_16 = support(both);
            facts.opcodes.write_same_10 = support(both);
        })
    }

    pub(super) fn refusing(self) -> Self {
        self.with(|facts| {
            let refused = || Reading::Unsupported("the device refused it: Illegal Request".into());
            facts.opcodes.inquiry.reading = refused();
            facts.opcodes.write_same_16.reading = refused();
            facts.opcodes.write_same_10.reading = refused();
            facts.opcodes.refused = Some(true);
        })
    }

    /// `scsi_disk`: LBPME, mode and limit.
    pub(super) fn files(self, thin: bool, mode: &str, blocks: u64) -> Self {
        self.with(|facts| {
            facts.thin_provisioning.reading = Reading::Present(thin);
            facts.zeroing_mode.reading = Reading::Present(mode.into());
            facts.max_write_same_blocks.reading = Reading::Present(blocks);
        })
    }

    /// As a plain user sees it: files alone.
    pub(super) fn without_commands(self) -> Self {
        self.with(|facts| {
            let denied = rustix::io::Errno::ACCESS;
            facts.rc16.reading = Reading::Denied(denied);
            facts.opcodes.inquiry.reading = Reading::Denied(denied);
            facts.opcodes.write_same_16.reading = Reading::Denied(denied);
            facts.opcodes.write_same_10.reading = Reading::Denied(denied);
            facts.opcodes.refused = None;
        })
    }

    fn judged<T>(&self, ask: impl FnOnce(&Judge, &BlockDevice) -> T) -> T {
        let (topology, kernel) = (Topology::default(), Kernel::parse(self.kernel));
        ask(&Judge::new(&topology, &kernel), &self.device)
    }

    pub(super) fn predict(&self) -> Prediction {
        self.judged(predict)
    }

    /// wz and hw; panics where there is no prediction.
    pub(super) fn limits(&self) -> (u64, u64) {
        let prediction = self.predict();
        let limits = prediction
            .limits
            .unwrap_or_else(|why| panic!("no prediction: {why:?}"));
        let Limits {
            write_zeroes_max_bytes: wz,
            write_zeroes_unmap_max_hw_bytes: hw,
            ..
        } = limits;
        assert_eq!(limits.write_zeroes_unmap_max_bytes, hw);
        (wz, hw)
    }

    /// Rule and text of the decisive reason.
    pub(super) fn because(&self) -> (&'static str, String) {
        let first = self.predict().reasons.into_iter().next().expect("a reason");
        assert!(
            !first.evidence.is_empty(),
            "no evidence for: {}",
            first.text
        );
        (first.rule, first.text)
    }

    pub(super) fn modes(&self) -> SdModes {
        self.judged(predicted_modes)
    }

    pub(super) fn conflicts(&self) -> Vec<Conflict> {
        self.judged(conflicts)
    }

    /// The ids of its conflicts.
    pub(super) fn rules(&self) -> Vec<&'static str> {
        self.conflicts()
            .iter()
            .map(|conflict| conflict.rule)
            .collect()
    }
}
