//! Names of error numbers, as errno(3) and every kernel message write them.

use rustix::io::Errno;

macro_rules! names {
    ($($name:ident = $errno:ident),* $(,)?) => {
        /// Every error number with a name here.
        const NAMES: &[(Errno, &str)] = &[$((Errno::$errno, stringify!($name))),*];
    };
}

names! {
    E2BIG = TOOBIG,
    EACCES = ACCESS,
    EAGAIN = AGAIN,
    EBADF = BADF,
    EBUSY = BUSY,
    EEXIST = EXIST,
    EFAULT = FAULT,
    EFBIG = FBIG,
    EINTR = INTR,
    EINVAL = INVAL,
    EIO = IO,
    EISDIR = ISDIR,
    ELOOP = LOOP,
    EMFILE = MFILE,
    ENAMETOOLONG = NAMETOOLONG,
    ENFILE = NFILE,
    ENODATA = NODATA,
    ENODEV = NODEV,
    ENOENT = NOENT,
    ENOKEY = NOKEY,
    ENOLINK = NOLINK,
    ENOMEDIUM = NOMEDIUM,
    ENOMEM = NOMEM,
    ENOSPC = NOSPC,
    ENOSYS = NOSYS,
    ENOTBLK = NOTBLK,
    ENOTCONN = NOTCONN,
    ENOTDIR = NOTDIR,
    ENOTTY = NOTTY,
    ENXIO = NXIO,
    EOPNOTSUPP = OPNOTSUPP,
    EOVERFLOW = OVERFLOW,
    EPERM = PERM,
    EPROTO = PROTO,
    ERANGE = RANGE,
    EREMOTEIO = REMOTEIO,
    EROFS = ROFS,
    ESHUTDOWN = SHUTDOWN,
    ESPIPE = SPIPE,
    ESRCH = SRCH,
    ESTALE = STALE,
    ETIMEDOUT = TIMEDOUT,
    ETXTBSY = TXTBSY,
    EXDEV = XDEV,
}

/// The name of an error number ("EACCES"), or "errno" for one that has no name here.
pub fn errno_name(errno: Errno) -> &'static str {
    NAMES
        .iter()
        .find(|(known, _)| *known == errno)
        .map_or("errno", |(_, name)| name)
}

/// Name and number, as a message shows them: "EACCES (13)".
pub fn errno_text(errno: Errno) -> String {
    format!("{} ({})", errno_name(errno), errno.raw_os_error())
}

/// Name, number and the C library's words: "EACCES (13): permission denied".
pub fn describe(errno: Errno) -> String {
    let words = std::io::Error::from(errno).to_string();
    let words = words
        .split(" (os error")
        .next()
        .unwrap_or(&words)
        .to_lowercase();
    format!("{}: {words}", errno_text(errno))
}

/// The error number written as a name, or as a number where there is no name.
pub(crate) fn parse_errno(word: &str) -> Option<Errno> {
    if let Some((errno, _)) = NAMES.iter().find(|(_, name)| *name == word) {
        return Some(*errno);
    }
    let number: i32 = word.parse().ok()?;
    (1..=4095)
        .contains(&number)
        .then(|| Errno::from_raw_os_error(number))
}

/// The word that [`parse_errno`] reads back.
pub(crate) fn errno_word(errno: Errno) -> String {
    match errno_name(errno) {
        "errno" => errno.raw_os_error().to_string(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_number_reads_back_from_its_word() {
        for number in 1..=4095 {
            let errno = Errno::from_raw_os_error(number);
            assert_eq!(parse_errno(&errno_word(errno)), Some(errno), "{number}");
        }
    }

    #[test]
    fn names_are_those_of_errno_3() {
        assert_eq!(errno_text(Errno::ACCESS), "EACCES (13)");
        assert_eq!(errno_text(Errno::REMOTEIO), "EREMOTEIO (121)");
        assert_eq!(errno_text(Errno::from_raw_os_error(4000)), "errno (4000)");
        assert_eq!(parse_errno("0"), None);
        assert_eq!(parse_errno("4096"), None);
        assert_eq!(parse_errno("EWHAT"), None);
    }
}
