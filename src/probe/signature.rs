//! Signatures at a device's edges. Pure.
//!
//! Offsets are those of libblkid's probes (util-linux, libblkid/src/{superblocks,partitions}).

/// How much of the beginning is looked at.
pub const HEAD: usize = 128 << 10;
/// How much of the end is looked at.
pub const TAIL: usize = 512 << 10;

/// Name, offset, bytes.
const AT_HEAD: &[(&str, usize, &[u8])] = &[
    ("an ext2, ext3 or ext4 filesystem", 0x438, &[0x53, 0xef]),
    ("an XFS filesystem", 0, b"XFSB"),
    ("a btrfs filesystem", 0x10040, b"_BHRfS_M"),
    ("an f2fs filesystem", 0x400, &[0x10, 0x20, 0xf5, 0xf2]),
    (
        "a bcachefs filesystem or a bcache device",
        0x1018,
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca],
    ),
    (
        "a bcachefs filesystem",
        0x1018,
        &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9],
    ),
    ("swap space", 4086, b"SWAPSPACE2"),
    ("swap space", 4086, b"SWAP-SPACE"),
    ("swap space", 65526, b"SWAPSPACE2"),
    ("a LUKS volume", 0, b"LUKS\xba\xbe"),
    ("a BitLocker volume", 3, b"-FVE-FS-"),
    ("an NTFS filesystem", 3, b"NTFS    "),
    ("an exFAT filesystem", 3, b"EXFAT   "),
    ("a FAT filesystem", 0x36, b"FAT1"),
    ("a FAT filesystem", 0x52, b"FAT32"),
    ("an MD array's member (1.1)", 0, &[0xfc, 0x4e, 0x2b, 0xa9]),
    (
        "an MD array's member (1.2)",
        0x1000,
        &[0xfc, 0x4e, 0x2b, 0xa9],
    ),
    ("a GPT partition table", 512, b"EFI PART"),
    ("a GPT partition table", 4096, b"EFI PART"),
    ("an MBR partition table", 510, &[0x55, 0xaa]),
    ("an ISO 9660 filesystem", 0x8001, b"CD001"),
    ("a UDF filesystem", 0x8001, b"BEA01"),
    ("a ReiserFS filesystem", 0x10034, b"ReIsEr"),
    ("a JFS filesystem", 0x8000, b"JFS1"),
    ("a squashfs filesystem", 0, b"hsqs"),
    ("an erofs filesystem", 0x400, &[0xe2, 0xe1, 0xf5, 0xe0]),
    ("a GFS2 filesystem", 0x10000, &[0x01, 0x16, 0x19, 0x70]),
    ("an OCFS2 filesystem", 0x1000, b"OCFSV2"),
    ("an OCFS2 filesystem", 0x2000, b"OCFSV2"),
    ("a DRBD device", 0, &[0x83, 0x74, 0x02, 0x6d]),
    ("a Stratis device", 528, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("a dm-integrity device", 0, b"integrt\0"),
    ("a dm-verity device", 0, b"verity\0\0"),
    ("a dm-snapshot store", 0, b"SnAp"),
    ("a VDO volume", 0, b"dmvdo001"),
    ("a Ceph BlueStore device", 0, b"bluestore block device"),
    ("an ASM disk", 32, b"ORCLDISK"),
    ("an HFS+ filesystem", 0x400, b"H+"),
    ("an HFS+ filesystem", 0x400, b"HX"),
    ("an APFS container", 32, b"NXSB"),
    ("a Minix filesystem", 0x410, &[0x7f, 0x13]),
    ("a Minix filesystem", 0x410, &[0x8f, 0x13]),
    ("a Minix filesystem", 0x410, &[0x68, 0x24]),
    ("a Minix filesystem", 0x418, &[0x5a, 0x4d]),
    ("a NILFS2 filesystem", 0x406, &[0x34, 0x34]),
];

/// Name, distance from the end (after rounding the size down to it first where the second number says so), bytes.
const AT_TAIL: &[(&str, u64, u64, &[u8])] = &[
    ("a GPT partition table's copy", 512, 512, b"EFI PART"),
    ("a GPT partition table's copy", 4096, 4096, b"EFI PART"),
    // `calc_sb_1_csum`/`md_super` 1.0: 8 KiB from the end, on a 4 KiB boundary; 0.90: 64 KiB, on a 64 KiB boundary.
    (
        "an MD array's member (1.0)",
        8192,
        4096,
        &[0xfc, 0x4e, 0x2b, 0xa9],
    ),
    (
        "an MD array's member (0.90)",
        65536,
        65536,
        &[0xfc, 0x4e, 0x2b, 0xa9],
    ),
    ("a DDF RAID member", 512, 512, &[0xde, 0x11, 0xde, 0x11]),
    (
        "an Intel RAID member",
        1024,
        512,
        b"Intel Raid ISM Cfg Sig. ",
    ),
    (
        "a Promise RAID member",
        32256,
        512,
        b"Promise Technology, Inc.",
    ),
    ("a DRBD device", 4096, 4096, &[0x83, 0x74, 0x02, 0x6d]),
];

/// What the first and the last bytes of a device of `size` bytes carry. `tail` ends at the device's end.
pub fn find(head: &[u8], tail: &[u8], size: u64) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut note = |name| {
        if !found.contains(&name) {
            found.push(name);
        }
    };
    for (name, offset, magic) in AT_HEAD {
        if head
            .get(*offset..)
            .is_some_and(|rest| rest.starts_with(magic))
        {
            note(*name);
        }
    }
    // LVM2's label stands in one of the first four sectors.
    for sector in head.chunks(512).take(4) {
        if sector.starts_with(b"LABELONE") {
            note("an LVM physical volume");
        }
    }
    for (name, back, boundary, magic) in AT_TAIL {
        let Some(at) = (size / boundary * boundary).checked_sub(*back) else {
            continue;
        };
        if from_end(tail, size, at).is_some_and(|rest| rest.starts_with(magic)) {
            note(*name);
        }
    }
    if has_zfs(head, 0)
        || zfs_tails(size).any(|at| from_end(tail, size, at).is_some_and(|t| has_zfs(t, 0)))
    {
        note("a ZFS pool's member");
    }
    found
}

fn from_end(tail: &[u8], size: u64, at: u64) -> Option<&[u8]> {
    let begin = size.checked_sub(tail.len() as u64)?;
    tail.get(usize::try_from(at.checked_sub(begin)?).ok()?..)
}

const ZFS_LABEL: u64 = 256 << 10;

/// Labels 2 and 3, each 256 KiB, at the end of the size rounded down to a label.
fn zfs_tails(size: u64) -> impl Iterator<Item = u64> {
    let end = size / ZFS_LABEL * ZFS_LABEL;
    [2, 1]
        .into_iter()
        .filter_map(move |back| end.checked_sub(back * ZFS_LABEL))
}

/// A label has its list of values at 16 KiB (an XDR nvlist, version 0, big- or little-endian in byte 1 of its header
/// `01 01 00 00` or `01 00 00 00`) that begins with the key `version` or `name`.
fn has_zfs(label: &[u8], at: usize) -> bool {
    let Some(list) = label
        .get(at + (16 << 10)..)
        .and_then(|list| list.get(..256))
    else {
        return false;
    };
    let begins = list.starts_with(&[1, 1, 0, 0]) || list.starts_with(&[1, 0, 0, 0]);
    begins && list.windows(7).any(|window| window == b"version")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(size: usize, write: &[(usize, &[u8])]) -> Vec<&'static str> {
        let mut disk = vec![0; size];
        for (at, bytes) in write {
            disk[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        let head = &disk[..HEAD.min(size)];
        let tail = &disk[size - TAIL.min(size)..];
        find(head, tail, size as u64)
    }

    #[test]
    fn an_empty_disk_carries_nothing() {
        assert_eq!(edges(1 << 20, &[]), [""; 0]);
        assert_eq!(find(&[], &[], 0), [""; 0]);
    }

    #[test]
    fn signatures_are_found_at_both_ends() {
        let size = 1 << 20;
        assert_eq!(
            edges(size, &[(0x438, &[0x53, 0xef])]),
            ["an ext2, ext3 or ext4 filesystem"]
        );
        assert_eq!(
            edges(size, &[(512, b"LABELONE")]),
            ["an LVM physical volume"]
        );
        assert_eq!(
            edges(size, &[(size - 512, b"EFI PART")]),
            ["a GPT partition table's copy"]
        );
        let md = [0xfc, 0x4e, 0x2b, 0xa9];
        assert_eq!(
            edges(size + 512, &[(size - 8192, &md)]),
            ["an MD array's member (1.0)"]
        );
        assert_eq!(
            edges(size, &[(size - 65536, &md)]),
            ["an MD array's member (0.90)"]
        );
        let zfs = b"\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\0\0\x24\0\0\0\x20\0\0\0\x07version";
        assert_eq!(edges(size, &[(16 << 10, zfs)]), ["a ZFS pool's member"]);
        assert_eq!(
            edges(size, &[(size - (256 << 10) + (16 << 10), zfs)]),
            ["a ZFS pool's member"]
        );
    }
}
