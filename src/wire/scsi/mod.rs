//! SCSI: the commands that read, and what they return.

pub mod capacity;
pub mod cdb;
pub mod inquiry;
pub mod lba_status;
pub mod opcodes;
pub mod sense;
#[cfg(test)]
mod sense_tests;
mod sense_text;
#[cfg(test)]
mod tests;
pub mod vpd;
