//! `/proc/swaps`: fallocate(2) refuses a file that the kernel swaps to (ETXTBSY, `vfs_fallocate`, fs/open.c).

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::source::files::FILE_CAP;
use crate::source::inode::{self, Stat};

pub(super) fn is_swapped_to(collector: &Collector, stat: &Stat) -> Reading<bool> {
    let bytes = match collector.host.files.read("proc/swaps", FILE_CAP) {
        Ok(bytes) => bytes,
        Err(error) => return Reading::from_errno(error),
    };
    let dev = rustix::fs::makedev(stat.dev.0, stat.dev.1);
    let wanted = (dev, stat.ino);
    Reading::Present(
        files(&bytes)
            .iter()
            .any(|path| inode::identity(path) == Ok(wanted)),
    )
}

/// The swap files of the list, their names without the kernel's octal escapes.
fn files(bytes: &[u8]) -> Vec<PathBuf> {
    bytes
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let mut words = line
                .split(|byte| matches!(byte, b' ' | b'\t'))
                .filter(|word| !word.is_empty());
            let (name, kind) = (words.next()?, words.next()?);
            (kind == b"file").then(|| PathBuf::from(OsString::from_vec(unescape(name))))
        })
        .collect()
}

fn unescape(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [first, after @ ..] = rest {
        match after {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] if *first == b'\\' => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_and_partitions_are_not() {
        let text = b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
            /dev/vda2                               partition\t999420\t\t0\t\t-2\n\
            /swap\\040file                           file\t\t1048572\t\t0\t\t-3\n";
        assert_eq!(files(text), [PathBuf::from("/swap file")]);
        assert!(files(b"").is_empty());
    }
}
