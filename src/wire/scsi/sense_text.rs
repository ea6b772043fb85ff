//! Names of sense keys and additional sense codes (SPC-5 and the T10 list of ASC/ASCQ).

/// SENSE KEY in words (SPC-5, Sense key descriptions).
pub(super) fn key(key: u8) -> &'static str {
    match key {
        0x0 => "NO SENSE",
        0x1 => "RECOVERED ERROR",
        0x2 => "NOT READY",
        0x3 => "MEDIUM ERROR",
        0x4 => "HARDWARE ERROR",
        0x5 => "ILLEGAL REQUEST",
        0x6 => "UNIT ATTENTION",
        0x7 => "DATA PROTECT",
        0x8 => "BLANK CHECK",
        0x9 => "VENDOR SPECIFIC",
        0xa => "COPY ABORTED",
        0xb => "ABORTED COMMAND",
        0xd => "VOLUME OVERFLOW",
        0xe => "MISCOMPARE",
        0xf => "COMPLETED",
        _ => "RESERVED",
    }
}

/// What an ASC and ASCQ mean, for those that zeroing, unmapping and inquiring meet.
pub(super) fn additional(asc: u8, ascq: u8) -> Option<&'static str> {
    TABLE
        .iter()
        .find(|entry| (entry.0, entry.1) == (asc, ascq))
        .map(|entry| entry.2)
}

const TABLE: &[(u8, u8, &str)] = &[
    (0x00, 0x00, "No additional sense information"),
    (0x00, 0x1d, "ATA pass through information available"),
    (0x04, 0x00, "Logical unit not ready, cause not reportable"),
    (0x04, 0x01, "Logical unit is in process of becoming ready"),
    (
        0x04,
        0x02,
        "Logical unit not ready, initializing command required",
    ),
    (
        0x04,
        0x03,
        "Logical unit not ready, manual intervention required",
    ),
    (0x04, 0x04, "Logical unit not ready, format in progress"),
    (
        0x04,
        0x0a,
        "Logical unit not accessible, asymmetric access state transition",
    ),
    (
        0x04,
        0x0b,
        "Logical unit not accessible, target port in standby state",
    ),
    (
        0x04,
        0x0c,
        "Logical unit not accessible, target port in unavailable state",
    ),
    (0x04, 0x1b, "Logical unit not ready, sanitize in progress"),
    (0x0c, 0x00, "Write error"),
    (0x0c, 0x02, "Write error - auto reallocation failed"),
    (0x10, 0x00, "Id CRC or ECC error"),
    (0x10, 0x01, "Logical block guard check failed"),
    (0x11, 0x00, "Unrecovered read error"),
    (0x1a, 0x00, "Parameter list length error"),
    (0x1d, 0x00, "Miscompare during verify operation"),
    (0x20, 0x00, "Invalid command operation code"),
    (0x20, 0x02, "Access denied - no access rights"),
    (0x21, 0x00, "Logical block address out of range"),
    (0x21, 0x04, "Unaligned write command"),
    (0x24, 0x00, "Invalid field in CDB"),
    (0x25, 0x00, "Logical unit not supported"),
    (0x26, 0x00, "Invalid field in parameter list"),
    (0x26, 0x01, "Parameter not supported"),
    (0x26, 0x02, "Parameter value invalid"),
    (0x27, 0x00, "Write protected"),
    (0x27, 0x07, "Space allocation failed write protect"),
    (
        0x28,
        0x00,
        "Not ready to ready change, medium may have changed",
    ),
    (0x29, 0x00, "Power on, reset, or bus device reset occurred"),
    (0x2a, 0x01, "Mode parameters changed"),
    (0x2a, 0x06, "Asymmetric access state changed"),
    (0x2a, 0x09, "Capacity data has changed"),
    (0x31, 0x00, "Medium format corrupted"),
    (0x38, 0x07, "Thin provisioning soft threshold reached"),
    (0x39, 0x00, "Saving parameters not supported"),
    (0x3a, 0x00, "Medium not present"),
    (0x3f, 0x03, "Inquiry data has changed"),
    (0x3f, 0x0e, "Reported LUNs data has changed"),
    (0x44, 0x00, "Internal target failure"),
    (0x47, 0x00, "SCSI parity error"),
    (0x49, 0x00, "Invalid message error"),
    (0x4e, 0x00, "Overlapped commands attempted"),
    (0x55, 0x03, "Insufficient resources"),
    (0x55, 0x0a, "Data currently unavailable"),
];
