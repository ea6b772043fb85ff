//! The key of an encrypted file or directory (include/uapi/linux/fscrypt.h). Asking needs no rights.

use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::ioctl::{Opcode, opcode};

use crate::source::ioctl::call::call;

/// What the filesystem's keyring has of a policy's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// It is there.
    Loaded,
    /// It is not, or was removed while files stay open: new files get none.
    Missing,
    /// A policy of version 1 may take its key from a process's keyring, which is not seen here.
    Elsewhere,
}

/// `struct fscrypt_get_policy_ex_arg`.
#[repr(C, align(8))]
struct PolicyArg {
    size: u64,
    policy: [u8; 24],
}

/// `struct fscrypt_get_key_status_arg`.
#[repr(C)]
struct StatusArg {
    kind: u32,
    reserved: u32,
    key: [u8; 32],
    also_reserved: [u32; 6],
    status: u32,
    out: [u32; 15],
}

/// The header numbers it by the size and the first byte of the policy.
const GET_POLICY_EX: Opcode = opcode::read_write::<[u8; 9]>(b'f', 22);
const GET_KEY_STATUS: Opcode = opcode::read_write::<StatusArg>(b'f', 26);
const PRESENT: u32 = 2;

pub(super) fn key(fd: impl AsFd) -> Result<Key, Errno> {
    let mut arg = PolicyArg {
        size: 24,
        policy: [0; 24],
    };
    // SAFETY: the request fills at most `size` bytes of `policy`, and holds no address.
    unsafe { call(&fd, GET_POLICY_EX, &mut arg) }?;
    let (kind, name) = key_of(&arg.policy).ok_or(Errno::INVAL)?;
    let mut status = StatusArg {
        kind,
        reserved: 0,
        key: name,
        also_reserved: [0; 6],
        status: 0,
        out: [0; 15],
    };
    // SAFETY: the request fills a `struct fscrypt_get_key_status_arg`, which `StatusArg` is, and holds no address.
    unsafe { call(&fd, GET_KEY_STATUS, &mut status) }?;
    Ok(match (status.status, kind) {
        (PRESENT, _) => Key::Loaded,
        (_, 2) => Key::Missing,
        _ => Key::Elsewhere,
    })
}

/// How a policy names its key: version 1 by a descriptor of 8 bytes, kind 1; version 2 by an identifier of 16, kind 2.
fn key_of(policy: &[u8; 24]) -> Option<(u32, [u8; 32])> {
    let (kind, found) = match policy.first()? {
        0 => (1, policy.get(4..12)?),
        2 => (2, policy.get(8..24)?),
        _ => return None,
    };
    let mut name = [0; 32];
    name.get_mut(..found.len())?.copy_from_slice(found);
    Some((kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_numbers_of_the_headers() {
        assert_eq!(GET_POLICY_EX, 0xc009_6616);
        assert_eq!(GET_KEY_STATUS, 0xc080_661a);
    }

    #[test]
    fn a_policy_names_its_key() {
        let mut policy = [7; 24];
        policy[0] = 2;
        let (kind, name) = key_of(&policy).expect("version 2");
        assert_eq!((kind, &name[..16], name[16]), (2, &[7; 16][..], 0));
        policy[0] = 0;
        let (kind, name) = key_of(&policy).expect("version 1");
        assert_eq!((kind, &name[..8], name[8]), (1, &[7; 8][..], 0));
        policy[0] = 9;
        assert_eq!(key_of(&policy), None);
    }
}
