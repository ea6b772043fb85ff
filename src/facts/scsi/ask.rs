//! Commands to a SCSI device, and what comes back as a reading.

use crate::facts::collect::Collector;
use crate::facts::origin::{Fact, Origin};
use crate::facts::reading::Reading;
use crate::facts::scsi::Opcodes;
use crate::model::device::BlockDevice;
use crate::source::command::{Command, Node, Reply};
use crate::wire::scsi::capacity::ReadCapacity16;
use crate::wire::scsi::cdb::ReadCdb;
use crate::wire::scsi::inquiry::StandardInquiry;
use crate::wire::scsi::opcodes::{OneCommand, Support};
use crate::wire::scsi::sense::Sense;
use crate::wire::scsi::vpd;

const WRITE_SAME_10: u8 = 0x41;
const UNMAP: u8 = 0x42;
const WRITE_SAME_16: u8 = 0x93;
const INQUIRY: u8 = 0x12;

/// sd asks for so many bytes of READ CAPACITY(16) (`RC16_LEN`, drivers/scsi/sd.c).
const RC16_LEN: u32 = 32;
/// Header and a CDB of 16 bytes.
const RSOC_LEN: u32 = 20;
/// As many as a device of SPC-2's time returns of INQUIRY data.
const INQUIRY_LEN: u16 = 96;

/// Someone to ask: the device's node, by its number.
pub(super) struct Asked<'c> {
    collector: &'c Collector<'c>,
    node: Option<Node>,
}

/// An answer, or what came in its place and whether the device itself refused the command.
struct Answer {
    reading: Reading<Vec<u8>>,
    refused: Option<bool>,
}

impl<'c> Asked<'c> {
    pub(super) fn new(collector: &'c Collector<'c>, device: &BlockDevice) -> Self {
        let devno = device.devno.get();
        let node = devno.map(|no| Node::block(device.kname.node(), (no.major, no.minor)));
        Self { collector, node }
    }

    fn send(&self, cdb: ReadCdb) -> Answer {
        let Some(node) = &self.node else {
            let reading = Reading::NotAsked("the device's number is not known, so its node is not");
            return Answer {
                reading,
                refused: None,
            };
        };
        match self
            .collector
            .host
            .commands
            .command(node, &Command::Scsi(cdb))
        {
            Ok(reply) => of_reply(reply),
            Err(error) => Answer {
                reading: Reading::from_command(error),
                refused: None,
            },
        }
    }

    fn origin(&self, what: impl Into<String>) -> Origin {
        match &self.node {
            Some(node) => Origin::Command {
                node: node.path.clone(),
                what: what.into(),
            },
            None => Origin::Inferred("nothing: no command was sent".into()),
        }
    }

    fn checked<T, E: std::fmt::Display>(
        &self,
        cdb: ReadCdb,
        what: &str,
        check: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Fact<Vec<u8>> {
        let reading = self
            .send(cdb)
            .reading
            .and_then(|bytes| match check(&bytes) {
                Ok(_) => Reading::Present(bytes),
                Err(error) => Reading::malformed(error.to_string()),
            });
        Fact {
            reading,
            origin: self.origin(what),
        }
    }

    pub(super) fn inquiry(&self) -> Fact<Vec<u8>> {
        self.checked(
            ReadCdb::inquiry(INQUIRY_LEN),
            "standard INQUIRY data",
            StandardInquiry::decode,
        )
    }

    pub(super) fn read_capacity_16(&self) -> Fact<Vec<u8>> {
        let cdb = ReadCdb::read_capacity_16(RC16_LEN);
        self.checked(cdb, "READ CAPACITY(16)", ReadCapacity16::decode)
    }

    /// A page, asked again as long as it says it is where it did not fit, as the kernel does
    /// (`scsi_get_vpd_buf`).
    pub(super) fn page(&self, code: u8) -> Fact<Vec<u8>> {
        // ALLOCATION LENGTH has one byte up to SPC-2.
        const FIRST: u16 = 252;
        let mut reading = self.send(ReadCdb::vpd(code, FIRST)).reading;
        if let Reading::Present(bytes) = &reading
            && bytes.len() == usize::from(FIRST)
            && let Some(&[_, _, high, low]) = bytes.first_chunk::<4>()
        {
            let said = u16::from_be_bytes([high, low]).saturating_add(4);
            if said > FIRST {
                reading = self.send(ReadCdb::vpd(code, said)).reading;
            }
        }
        let reading = reading.and_then(|bytes| match vpd::page(code, &bytes) {
            Ok(_) => Reading::Present(bytes),
            Err(error) => Reading::malformed(error.to_string()),
        });
        let origin = match &self.node {
            Some(node) => Origin::Vpd {
                via: node.path.clone(),
                what: format!("VPD page {code:02X}h"),
            },
            None => self.origin(""),
        };
        Fact { reading, origin }
    }

    /// As sd: INQUIRY first, and nothing more if the device does not know the question.
    pub(super) fn opcodes(&self, unmap: bool) -> Opcodes {
        let mut answers = Vec::new();
        let (inquiry, refused) = self.opcode(INQUIRY, "INQUIRY", &mut answers);
        let why = match (&inquiry.reading, refused) {
            (_, Some(true)) => "the device refused REPORT SUPPORTED OPERATION CODES for INQUIRY",
            (Reading::NotAsked(why), _) => why,
            (Reading::Denied(_), _) => "permission was refused for the first such command",
            _ => "",
        };
        let mut ask = |opcode, name| match why {
            "" => self.opcode(opcode, name, &mut answers).0,
            why => skipped(&inquiry, why),
        };
        Opcodes {
            write_same_10: ask(WRITE_SAME_10, "WRITE SAME(10)"),
            write_same_16: ask(WRITE_SAME_16, "WRITE SAME(16)"),
            unmap: if unmap {
                ask(UNMAP, "UNMAP")
            } else {
                Fact::not_asked("not needed for what was asked")
            },
            inquiry,
            refused,
            answers,
        }
    }

    fn opcode(
        &self,
        opcode: u8,
        name: &str,
        answers: &mut Vec<(u8, Vec<u8>)>,
    ) -> (Fact<Support>, Option<bool>) {
        let answer = self.send(ReadCdb::report_opcode(opcode, None, RSOC_LEN));
        answers.extend(answer.reading.value().map(|bytes| (opcode, bytes.clone())));
        let reading = answer
            .reading
            .and_then(|bytes| match OneCommand::decode(&bytes) {
                Ok(one) => Reading::Present(one.support()),
                Err(error) => Reading::malformed(error.to_string()),
            });
        let what = format!("REPORT SUPPORTED OPERATION CODES of {name} ({opcode:02X}h), byte 1");
        (
            Fact {
                reading,
                origin: self.origin(what),
            },
            answer.refused,
        )
    }
}

/// What the first question met stands for the next ones, so that a report says the same of each.
fn skipped(first: &Fact<Support>, why: &'static str) -> Fact<Support> {
    let reading = match &first.reading {
        Reading::Denied(error) => Reading::Denied(*error),
        Reading::Unsupported(text) => Reading::Unsupported(text.clone()),
        _ => Reading::NotAsked(why),
    };
    Fact {
        reading,
        origin: first.origin.clone(),
    }
}

/// Facts in place of those that sd would not ask for.
pub(super) fn no_opcodes(why: &'static str) -> Opcodes {
    Opcodes {
        write_same_10: Fact::not_asked(why),
        write_same_16: Fact::not_asked(why),
        unmap: Fact::not_asked(why),
        inquiry: Fact::not_asked(why),
        refused: None,
        answers: Vec::new(),
    }
}

fn of_reply(reply: Reply) -> Answer {
    const CHECK_CONDITION: u8 = 0x02;
    const RECOVERED_ERROR: u8 = 0x1;
    const ILLEGAL_REQUEST: u8 = 0x5;
    const DRIVER_SENSE: u16 = 0x08;
    let Reply::Scsi {
        status,
        host_status,
        driver_status,
        sense,
        data,
    } = reply
    else {
        let reading = Reading::malformed("an answer to another kind of command");
        return Answer {
            reading,
            refused: None,
        };
    };
    if host_status != 0 {
        let text = format!("the host adapter failed it (host status {host_status:#04x})");
        return Answer {
            reading: Reading::Unsupported(text.into()),
            refused: None,
        };
    }
    if status == 0 && driver_status & !DRIVER_SENSE == 0 {
        return Answer {
            reading: Reading::Present(data),
            refused: Some(false),
        };
    }
    let decoded = Sense::decode(&sense).ok();
    if decoded.is_some_and(|sense| sense.key() <= RECOVERED_ERROR) {
        return Answer {
            reading: Reading::Present(data),
            refused: Some(false),
        };
    }
    let illegal = decoded.is_some_and(|sense| {
        sense.key() == ILLEGAL_REQUEST
            && matches!(sense.asc(), Some(0x20 | 0x24))
            && sense.ascq() == Some(0)
    });
    let text = match decoded {
        Some(sense) => format!("the device refused it: {sense}"),
        None if status == CHECK_CONDITION => "the device refused it, without sense data".into(),
        None => {
            format!("it failed with SCSI status {status:#04x}, driver status {driver_status:#04x}")
        }
    };
    Answer {
        reading: Reading::Unsupported(text.into()),
        refused: Some(illegal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u8, host_status: u16, sense: &[u8], data: &[u8]) -> Reply {
        let driver_status = if sense.is_empty() { 0 } else { 8 };
        let (sense, data) = (sense.to_vec(), data.to_vec());
        Reply::Scsi {
            status,
            host_status,
            driver_status,
            sense,
            data,
        }
    }

    /// Fixed format: sense key 5, ASC/ASCQ 20h/00h, as a disk answers an operation code it has not.
    const INVALID_OPCODE: [u8; 18] = [0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0];

    #[test]
    fn a_refusal_is_unsupported_and_says_why() {
        let answer = of_reply(reply(2, 0, &INVALID_OPCODE, &[]));
        assert_eq!(answer.refused, Some(true));
        assert_eq!(answer.reading.status(), Some("unsupported"));
        let text = answer.reading.detail().unwrap();
        assert!(text.contains("0x20/0x00"), "{text}");
    }

    #[test]
    fn only_an_illegal_request_is_a_refusal_in_sds_sense() {
        let mut not_ready = INVALID_OPCODE;
        (not_ready[2], not_ready[12]) = (2, 0x3a);
        assert_eq!(of_reply(reply(2, 0, &not_ready, &[])).refused, Some(false));
        assert_eq!(of_reply(reply(0, 3, &[], &[])).refused, None);
        let mut recovered = INVALID_OPCODE;
        recovered[2] = 1;
        assert!(of_reply(reply(2, 0, &recovered, &[1])).reading.is_present());
        assert_eq!(
            of_reply(Reply::DmVersion([4, 0, 0])).reading.status(),
            Some("malformed")
        );
    }
}
