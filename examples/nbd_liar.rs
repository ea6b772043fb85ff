//! A block device that lies on demand: an NBD server over the kernel's nbd, for the tests of the probe.
//!
//! `nbd_liar /dev/nbdN MEGABYTES LIE [BACKING]` serves until it is ended. A LIE is what becomes of a request for
//! zeroes (NBD_CMD_WRITE_ZEROES and NBD_CMD_TRIM):
//!
//! - `honest` zeroes;
//! - `nothing` says that it did, and does nothing;
//! - `half` zeroes the first half;
//! - `neighbour` zeroes 4 KiB more at the end;
//! - `slow` zeroes after half a second;
//! - `slower` zeroes at 1 MB/s, which is slower than writing;
//! - `error:N` zeroes N times, then fails;
//! - `hang` never answers;
//! - `volatile` is honest, and keeps everything in memory until a flush, then in BACKING: what was not flushed is lost
//!   with the process, as with a power cut.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use anyhow::{Context, Result, bail};

#[path = "liar/shared.rs"]
mod shared;

use shared::{Lie, Store, lie, zeroes};

// include/uapi/linux/nbd.h
const SET_SOCK: u32 = 0xab00;
const SET_BLKSIZE: u32 = 0xab01;
const DO_IT: u32 = 0xab03;
const CLEAR_SOCK: u32 = 0xab04;
const SET_SIZE_BLOCKS: u32 = 0xab07;
const SET_FLAGS: u32 = 0xab0a;
const HAS_FLAGS: u64 = 1;
const SEND_FLUSH: u64 = 1 << 2;
const SEND_FUA: u64 = 1 << 3;
const SEND_TRIM: u64 = 1 << 5;
const SEND_WRITE_ZEROES: u64 = 1 << 6;
const REQUEST_MAGIC: u32 = 0x2560_9513;
const REPLY_MAGIC: u32 = 0x6744_6698;
const FUA: u16 = 1;

fn control(device: &File, request: u32, argument: u64) -> Result<()> {
    // SAFETY: these requests of nbd take a number, never a pointer.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), request.into(), argument) };
    if result < 0 {
        bail!("ioctl {request:#x}: {}", std::io::Error::last_os_error());
    }
    Ok(())
}

struct Request {
    flags: u16,
    kind: u16,
    cookie: [u8; 8],
    from: u64,
    length: u32,
}

fn request(socket: &mut UnixStream) -> Result<Option<Request>> {
    let mut head = [0; 28];
    if socket.read_exact(&mut head).is_err() {
        return Ok(None);
    }
    let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if word(0) != REQUEST_MAGIC {
        bail!("a request that begins with {:#x}", word(0));
    }
    let mut cookie = [0; 8];
    cookie.copy_from_slice(&head[8..16]);
    let from = (u64::from(word(16)) << 32) | u64::from(word(20));
    Ok(Some(Request {
        flags: half(4),
        kind: half(6),
        cookie,
        from,
        length: word(24),
    }))
}

fn serve(mut socket: UnixStream, mut store: Store, mut lie: Lie) -> Result<()> {
    while let Some(request) = request(&mut socket)? {
        let (from, length) = (request.from, u64::from(request.length));
        let mut data = Vec::new();
        let done = match request.kind {
            0 => {
                data = store.read(from, length)?;
                Some(true)
            }
            1 => {
                let mut written = vec![0; usize::try_from(length)?];
                socket.read_exact(&mut written)?;
                store.write(from, &written)?;
                Some(true)
            }
            2 => return Ok(()),
            3 => {
                store.flush()?;
                Some(true)
            }
            4 | 6 => zeroes(&mut store, &mut lie, from, length)?,
            _ => Some(false),
        };
        if request.flags & FUA != 0 {
            store.flush()?;
        }
        let Some(done) = done else { continue };
        let mut reply = REPLY_MAGIC.to_be_bytes().to_vec();
        reply.extend(if done { 0_u32 } else { 5 }.to_be_bytes());
        reply.extend(request.cookie);
        reply.extend(data);
        socket.write_all(&reply)?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [node, megabytes, word, backing @ ..] = args.as_slice() else {
        bail!("nbd_liar /dev/nbdN MEGABYTES LIE [BACKING]");
    };
    let size = megabytes.parse::<u64>()? << 20;
    let backing = backing.first().map(|path| {
        File::options()
            .read(true)
            .write(true)
            .open(path)
            .with_context(|| format!("opening {path}"))
    });
    let store = Store::new(size, backing.transpose()?);
    let device = File::options()
        .read(true)
        .write(true)
        .open(node)
        .with_context(|| format!("opening {node}"))?;
    let (ours, kernels) = UnixStream::pair()?;
    let _ = control(&device, CLEAR_SOCK, 0);
    control(&device, SET_BLKSIZE, 512)?;
    control(&device, SET_SIZE_BLOCKS, size / 512)?;
    control(
        &device,
        SET_FLAGS,
        HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM | SEND_WRITE_ZEROES,
    )?;
    control(&device, SET_SOCK, u64::try_from(kernels.as_raw_fd())?)?;
    let lie = lie(word)?;
    // A process for each end. In one, the server's end would stay open while the kernel's waits for it: nbd_send_cmd
    // holds tx_lock until it is rid of a request, and a killed process does not leave NBD_DO_IT without that lock. The
    // one to be ended is the one in NBD_DO_IT: only its death has the kernel give up what is not answered.
    // SAFETY: there is one thread.
    match unsafe { libc::fork() } {
        -1 => bail!("fork: {}", std::io::Error::last_os_error()),
        0 => {
            drop((kernels, device));
            // SAFETY: this request takes a number.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            serve(ours, store, lie)
        }
        _ => {
            drop(ours);
            // Comes back when the device is disconnected.
            control(&device, DO_IT, 0)
        }
    }
}
