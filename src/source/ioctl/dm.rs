//! Device-mapper ioctls on the control node, only those that look. Keys and counters stay in the
//! buffer that came from the kernel, and that is wiped.

use rustix::ioctl::{Direction, Opcode, opcode};
use zerocopy::IntoBytes;

use super::Device;
use super::call::call;
use crate::source::command::{CommandError, Reply};
use crate::wire::dm::ioctl::{self, DmFlags, Header, ReplyError, Request};
use crate::wire::dm::{status, table};

const FIRST_BUFFER: usize = 16 << 10;
const LAST_BUFFER: usize = 4 << 20;

pub(super) const fn number(request: Request) -> Opcode {
    opcode::from_components(
        Direction::ReadWrite,
        0xfd,
        request.number(),
        size_of::<Header>(),
    )
}

/// DM_VERSION.
pub(super) fn version(device: &Device<'_>) -> Result<[u32; 3], CommandError> {
    let buffer = ask(device, Request::Version, None, DmFlags::empty())?;
    Ok(buffer.header(device, Request::Version)?.version)
}

/// DM_LIST_VERSIONS.
pub(super) fn targets(device: &Device<'_>) -> Result<Reply, CommandError> {
    let request = Request::ListVersions;
    let buffer = ask_if_known(device, request, None, DmFlags::empty())?;
    buffer
        .parse(device, request, ioctl::target_versions)
        .map(Reply::DmTargets)
}

/// DM_TABLE_STATUS with the table flag. Keys are hidden.
pub(super) fn table(device: &Device<'_>, devno: (u32, u32)) -> Result<Reply, CommandError> {
    let request = Request::TableStatus;
    let flags = DmFlags::STATUS_TABLE | DmFlags::NOFLUSH | DmFlags::SECURE_DATA;
    let buffer = ask_if_known(device, request, Some(devno), flags)?;
    let flags = state(&buffer.header(device, request)?);
    let lines = buffer.parse(device, request, |bytes| ioctl::targets(bytes, table::mask))?;
    Ok(Reply::DmTable { flags, lines })
}

/// DM_TABLE_STATUS. Counters are left out.
pub(super) fn status(device: &Device<'_>, devno: (u32, u32)) -> Result<Reply, CommandError> {
    let request = Request::TableStatus;
    let flags = DmFlags::NOFLUSH | DmFlags::SECURE_DATA;
    let buffer = ask_if_known(device, request, Some(devno), flags)?;
    let flags = state(&buffer.header(device, request)?);
    let clean =
        |target: &str, params: &str| table::mask(target, &status::without_counters(target, params));
    let lines = buffer.parse(device, request, |bytes| ioctl::targets(bytes, clean))?;
    Ok(Reply::DmStatus { flags, lines })
}

/// DM_TABLE_STATUS of a thin volume or pool, which commits its metadata first: without that a pool's count is old.
pub(super) fn in_use(
    device: &Device<'_>,
    devno: (u32, u32),
) -> Result<Option<status::InUse>, CommandError> {
    let request = Request::TableStatus;
    let buffer = ask_if_known(device, request, Some(devno), DmFlags::empty())?;
    let lines = buffer.parse(device, request, |bytes| {
        ioctl::targets(bytes, |_, params| params.to_owned())
    })?;
    Ok(match lines.as_slice() {
        [line] => status::InUse::parse(&line.target, &line.params),
        _ => None,
    })
}

/// DM_TABLE_DEPS.
pub(super) fn deps(device: &Device<'_>, devno: (u32, u32)) -> Result<Reply, CommandError> {
    let request = Request::TableDeps;
    let buffer = ask_if_known(device, request, Some(devno), DmFlags::empty())?;
    buffer
        .parse(device, request, ioctl::deps)
        .map(Reply::DmDeps)
}

fn state(header: &Header) -> u32 {
    DmFlags::from_bits_retain(header.flags)
        .intersection(DmFlags::STATE)
        .bits()
}

/// Asks for the interface's version first, so that an older kernel is told apart from a wrong
/// argument: it refuses both with EINVAL.
fn ask_if_known(
    device: &Device<'_>,
    request: Request,
    devno: Option<(u32, u32)>,
    flags: DmFlags,
) -> Result<Buffer, CommandError> {
    let [major, minor, patch] = version(device)?;
    let [wanted, since, _] = request.since();
    if major != wanted || minor < since {
        let why = format!(
            "device-mapper interface {major}.{minor}.{patch} has no {}, which came with \
             {wanted}.{since}.0",
            request.name()
        );
        return Err(device.malformed(Request::Version.name(), why));
    }
    ask(device, request, devno, flags)
}

fn ask(
    device: &Device<'_>,
    request: Request,
    devno: Option<(u32, u32)>,
    flags: DmFlags,
) -> Result<Buffer, CommandError> {
    let mut size = FIRST_BUFFER;
    while size <= LAST_BUFFER {
        let mut buffer = Buffer::new(size);
        let length = u32::try_from(size).unwrap_or(u32::MAX);
        buffer.fill(&request.header(devno, flags, length));
        // SAFETY: the request takes a `struct dm_ioctl` at the beginning of a buffer whose length
        // is its `data_size`, which is the length of this buffer; it holds no addresses.
        let result = unsafe { call(&device.fd, number(request), buffer.words.as_mut_slice()) };
        result.map_err(|errno| device.refused(request.name(), errno))?;
        let flags = buffer.header(device, request)?.flags;
        if !DmFlags::from_bits_retain(flags).contains(DmFlags::BUFFER_FULL) {
            return Ok(buffer);
        }
        size *= 2;
    }
    Err(device.malformed(
        request.name(),
        format!("it is longer than {LAST_BUFFER} bytes"),
    ))
}

/// What goes to the kernel and comes back, aligned for the structures in it, wiped when done.
struct Buffer {
    words: Vec<u64>,
}

impl Buffer {
    fn new(size: usize) -> Self {
        Self {
            words: vec![0; size / size_of::<u64>()],
        }
    }

    fn fill(&mut self, header: &Header) {
        let bytes = self.words.as_mut_bytes();
        bytes
            .iter_mut()
            .zip(header.as_bytes())
            .for_each(|(to, from)| *to = *from);
    }

    fn header(&self, device: &Device<'_>, request: Request) -> Result<Header, CommandError> {
        self.parse(device, request, ioctl::header)
    }

    fn parse<T>(
        &self,
        device: &Device<'_>,
        request: Request,
        parse: impl FnOnce(&[u8]) -> Result<T, ReplyError>,
    ) -> Result<T, CommandError> {
        parse(self.words.as_bytes())
            .map_err(|error| device.malformed(request.name(), error.to_string()))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.words.fill(0);
        // Without a reader the compiler might leave the wiping out.
        std::hint::black_box(&self.words);
    }
}
