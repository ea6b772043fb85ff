//! What is mounted where: `/proc/self/mountinfo` (Documentation/filesystems/proc.rst, section 3.5).
//!
//! A mount's device number leads to a block device only where the filesystem has exactly one: btrfs, overlayfs, NFS,
//! tmpfs and FUSE have an anonymous number (major 0), with no entry below `/sys/dev/block`. Files of a btrfs subvolume
//! have yet another anonymous number than their mount, so `st_dev` of a file is not to be looked up here.

use std::collections::BTreeMap;
use std::fmt::Write;

use procfs::FromRead;
use procfs::process::{MountInfo, MountInfos};

use crate::facts::reading::Reading;
use crate::model::ids::DevNo;
use crate::model::text;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Its id, as `statx` gives it for `STATX_MNT_ID` (and not for `STATX_MNT_ID_UNIQUE`).
    pub id: i32,
    /// The mount that it stands in.
    pub parent: i32,
    /// The filesystem's device number; major 0 is anonymous.
    pub devno: Option<DevNo>,
    /// The directory of the filesystem that is mounted: `/`, or that of a bind mount or a subvolume.
    pub root: String,
    /// Where it is mounted.
    pub point: String,
    /// Filesystem type, with its subtype: `ext4`, `fuse.sshfs`.
    pub filesystem: String,
    /// What was mounted: often a device's node, and as often a mere word.
    pub source: Option<String>,
    /// Options of this mount: `rw`, `noatime`.
    pub options: BTreeMap<String, Option<String>>,
    /// Options of the filesystem: `rtdev=/dev/sdb`, `upperdir=/up`.
    pub super_options: BTreeMap<String, Option<String>>,
    /// The mount point byte for byte, for comparison.
    place: Vec<u8>,
}

impl Mount {
    /// Whether its number stands for no block device.
    pub fn is_anonymous(&self) -> bool {
        self.devno.is_none_or(|devno| devno.major == 0)
    }
}

/// Every mount that this process sees, in the order they were made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the content of `mountinfo`.
    pub fn parse(bytes: &[u8]) -> Reading<Self> {
        match MountInfos::from_read(readable(bytes).as_bytes()) {
            Ok(mounts) => Reading::Present(Self(mounts.into_iter().map(mount).collect())),
            Err(error) => {
                Reading::malformed(format!("mountinfo: {}", one_line(&error.to_string())))
            }
        }
    }

    /// Each mount.
    pub fn iter(&self) -> impl Iterator<Item = &Mount> {
        self.0.iter()
    }

    /// Where the filesystem of a device number is mounted, each place once.
    pub fn points(&self, devno: DevNo) -> Vec<String> {
        self.points_where(|mount| mount.devno == Some(devno))
    }

    /// Where a filesystem with an anonymous number (btrfs) is mounted from this node, each place once.
    pub fn points_from(&self, node: &str) -> Vec<String> {
        self.points_where(|mount| mount.is_anonymous() && mount.source.as_deref() == Some(node))
    }

    fn points_where(&self, wanted: impl Fn(&Mount) -> bool) -> Vec<String> {
        let mut points: Vec<String> = Vec::new();
        for mount in self.iter().filter(|mount| wanted(mount)) {
            if !points.contains(&mount.point) {
                points.push(mount.point.clone());
            }
        }
        points
    }

    /// The mount that holds a path: the one with the longest mount point above it, and of several on the same point
    /// the last. The path is absolute, free of links, and in this process's view.
    pub fn filesystem_of(&self, path: impl AsRef<[u8]>) -> Option<&Mount> {
        let path = path.as_ref();
        // `max_by_key` gives the last of equals.
        self.iter()
            .filter(|mount| holds(&mount.place, path))
            .max_by_key(|mount| mount.place.len())
    }
}

/// Whether a mount point is a path or above it; `/a` is not above `/ab`.
fn holds(place: &[u8], path: &[u8]) -> bool {
    let place = place.strip_suffix(b"/").unwrap_or(place);
    match path.strip_prefix(place) {
        Some([]) => !place.is_empty(),
        Some([next, ..]) => *next == b'/',
        None => false,
    }
}

/// Bytes that no UTF-8 text has, and the carriage return that a reader of lines drops, as the escapes that the kernel
/// writes for blanks: the crate reads text, and one odd mount point must not hide all others.
fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\r', "\\015"));
        for byte in chunk.invalid() {
            let _ = write!(text, "\\{byte:03o}");
        }
    }
    text
}

/// Undoes the octal escapes, which the crate leaves as they are. The kernel writes `\040`, `\011`, `\012`, `\134` and
/// `\043` (`mangle_path`, fs/seq_file.c), and a backslash never stands for itself.
fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let octal = |digit: &u8| digit.is_ascii_digit() && *digit < b'8';
        match after {
            [a @ b'0'..=b'3', b, c, tail @ ..] if *first == b'\\' && octal(b) && octal(c) => {
                out.push(((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'));
                rest = tail;
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

fn shown(text: &str) -> String {
    text::clean(&unescape(text))
}

fn mount(info: MountInfo) -> Mount {
    let options = |options: std::collections::HashMap<String, Option<String>>| {
        options
            .into_iter()
            .map(|(key, value)| (shown(&key), value.as_deref().map(shown)))
            .collect()
    };
    let place = unescape(&info.mount_point.to_string_lossy());
    Mount {
        id: info.mnt_id,
        parent: info.pid,
        devno: info.majmin.parse().ok(),
        root: shown(&info.root),
        point: text::clean(&place),
        filesystem: shown(&info.fs_type),
        source: info.mount_source.as_deref().map(shown),
        options: options(info.mount_options),
        super_options: options(info.super_options),
        place,
    }
}

fn one_line(error: &str) -> String {
    const FEW: usize = 120;
    let line: String = error.chars().take(FEW).collect();
    text::clean(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mounts(text: &[u8]) -> Mounts {
        match Mounts::parse(text) {
            Reading::Present(mounts) => mounts,
            other => panic!("{other:?}"),
        }
    }

    const HOST: &[u8] = b"\
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n\
25 22 0:6 / /dev rw shared:2 - devtmpfs udev rw,size=1012k\n\
26 25 0:23 / /dev/shm rw shared:3 - tmpfs tmpfs rw\n\
30 22 0:40 /@home /home rw shared:5 - btrfs /dev/sdb2 rw,subvolid=257,subvol=/@home\n\
31 22 8:1 / /a rw shared:6 - vfat /dev/sda1 rw\n\
32 31 8:2 / /a rw - xfs /dev/sda2 rw,rtdev=/dev/sdc\n\
33 22 8:3 /sub /with\\040blank rw - xfs /dev/disk/by-label/x\\134y rw\n\
34 22 0:50 / /merged rw - overlay none rw,upperdir=/up\\054x\n";

    #[test]
    fn escapes_are_undone_and_options_kept() {
        let mounts = mounts(HOST);
        let blank = mounts.filesystem_of("/with blank/file").expect("a mount");
        assert_eq!(
            (blank.point.as_str(), blank.root.as_str()),
            ("/with blank", "/sub")
        );
        assert_eq!(blank.source.as_deref(), Some("/dev/disk/by-label/x\\y"));
        let xfs = mounts.filesystem_of("/a/x").expect("a mount");
        assert_eq!(
            xfs.super_options.get("rtdev"),
            Some(&Some("/dev/sdc".to_owned()))
        );
        let overlay = mounts.filesystem_of("/merged").expect("a mount");
        assert_eq!(overlay.source, None);
        assert_eq!(
            overlay.super_options.get("upperdir"),
            Some(&Some("/up,x".to_owned()))
        );
        assert!(overlay.is_anonymous() && !xfs.is_anonymous());
    }

    #[test]
    fn the_longest_mount_point_holds_a_path_and_the_last_of_equals() {
        let mounts = mounts(HOST);
        let of = |path: &str| {
            mounts
                .filesystem_of(path)
                .map(|mount| mount.filesystem.as_str())
        };
        assert_eq!(of("/"), Some("ext4"));
        assert_eq!(of("/srv/image"), Some("ext4"));
        assert_eq!(of("/dev/shm/image"), Some("tmpfs"));
        assert_eq!(of("/dev/shmx"), Some("devtmpfs"));
        assert_eq!(of("/a"), Some("xfs"));
        assert_eq!(of("/ab"), Some("ext4"));
        assert_eq!(of("relative"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn places_are_found_by_number_and_where_it_is_anonymous_by_source() {
        let mounts = mounts(HOST);
        assert_eq!(mounts.points(DevNo { major: 8, minor: 2 }), ["/a"]);
        assert_eq!(mounts.points(DevNo { major: 8, minor: 9 }), [""; 0]);
        assert_eq!(mounts.points_from("/dev/sdb2"), ["/home"]);
        assert_eq!(mounts.points_from("/dev/sda1"), [""; 0]);
    }

    #[test]
    fn one_odd_name_hides_no_other_and_cannot_break_a_row() {
        let mounts =
            mounts(b"1 0 8:1 / /\xff\x1b\r rw - ext4 /dev/sda1 rw\n2 1 8:2 / /b rw - xfs x rw\n");
        assert_eq!(
            mounts.points(DevNo { major: 8, minor: 1 }),
            ["/\\xff\\x1b\\x0d"]
        );
        let mount = mounts.filesystem_of(b"/\xff\x1b\r/file").expect("a mount");
        assert_eq!(mount.filesystem, "ext4");
        assert_eq!(mounts.iter().count(), 2);
    }

    #[test]
    fn nonsense_is_malformed_and_nothing_is_no_mount() {
        assert_eq!(Mounts::parse(b""), Reading::Present(Mounts::default()));
        for bad in [&b"\n"[..], b"1 2 3", b"a b c d e f - g h i\n", b"\0\0\0"] {
            assert_eq!(Mounts::parse(bad).status(), Some("malformed"), "{bad:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_give_a_reading(bytes: Vec<u8>, path: Vec<u8>) {
            if let Reading::Present(mounts) = Mounts::parse(&bytes) {
                mounts.filesystem_of(path);
            }
        }

        #[test]
        fn a_path_is_its_own_escape(path in "[a-z /\\\\#\n\t\u{e4}]{0,20}") {
            let escaped: String = path.chars().map(|c| match c {
                ' ' | '\\' | '#' | '\n' | '\t' => format!("\\{:03o}", c as u32),
                other => other.to_string(),
            }).collect();
            proptest::prop_assert_eq!(unescape(&escaped), path.as_bytes());
        }
    }
}
