//! An NVMe/TCP controller that lies on demand, for the tests of the probe: unlike nbd it has an unmap limit, takes
//! commands past the block layer, and tells its statuses.
//!
//! `nvme_liar PORT MEGABYTES LIE [dlfeat=N] [oncs=N] [wzsl=N] [mdts=N]` listens on 127.0.0.1, with blocks of 512 bytes
//! and one I/O queue. LIE is as in `nbd_liar`. What is deallocated by a command that is honest leaves NUSE.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};

#[path = "liar/shared.rs"]
mod shared;

use shared::{Lie, Store, lie, zeroes};

const BLOCK: u64 = 512;
const NQN: &str = "nqn.2014-08.org.zinspect:liar";

// NVMe/TCP Transport Specification 1.0, PDU types.
const IC_REQ: u8 = 0;
const IC_RESP: u8 = 1;
const CAPSULE_CMD: u8 = 4;
const CAPSULE_RESP: u8 = 5;
const H2C_DATA: u8 = 6;
const C2H_DATA: u8 = 7;
const R2T: u8 = 9;

/// Deallocate, in the twelfth command word of Write Zeroes.
const DEAC: u32 = 1 << 25;

const INVALID_OPCODE: u16 = 0x4001;
const INVALID_FIELD: u16 = 0x4002;
const WRITE_FAULT: u16 = 0x4280;

#[derive(Clone, Copy)]
struct Identity {
    dlfeat: u8,
    oncs: u16,
    wzsl: u8,
    mdts: u8,
}

/// What all connections share.
struct Controller {
    store: Store,
    lie: Lie,
    identity: Identity,
    cc: u32,
}

struct Pdu {
    kind: u8,
    head: Vec<u8>,
    data: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

fn receive(stream: &mut TcpStream) -> Result<Pdu> {
    let mut common = [0; 8];
    stream.read_exact(&mut common)?;
    let (head_len, offset) = (usize::from(common[2]), usize::from(common[3]));
    let total = usize::try_from(word(&common, 4))?;
    let mut rest = vec![0; total.saturating_sub(8)];
    stream.read_exact(&mut rest)?;
    let mut whole = common.to_vec();
    whole.extend(rest);
    let data = if offset > 0 {
        whole.split_off(offset)
    } else {
        whole.split_off(head_len.min(whole.len()))
    };
    Ok(Pdu {
        kind: common[0],
        head: whole,
        data,
    })
}

fn send(stream: &mut TcpStream, kind: u8, flags: u8, body: &[u8], data: &[u8]) -> Result<()> {
    let head_len = u8::try_from(8 + body.len())?;
    let offset = if data.is_empty() { 0 } else { head_len };
    let mut bytes = vec![kind, flags, head_len, offset];
    bytes.extend(u32::try_from(8 + body.len() + data.len())?.to_le_bytes());
    bytes.extend(body);
    bytes.extend(data);
    Ok(stream.write_all(&bytes)?)
}

fn respond(stream: &mut TcpStream, id: [u8; 2], result: u64, status: u16) -> Result<()> {
    let mut body = result.to_le_bytes().to_vec();
    body.extend([0; 4]);
    body.extend(id);
    body.extend((status << 1).to_le_bytes());
    send(stream, CAPSULE_RESP, 0, &body, &[])
}

fn give(stream: &mut TcpStream, id: [u8; 2], data: &[u8]) -> Result<()> {
    const LAST: u8 = 4;
    let mut body = id.to_vec();
    body.extend([0; 6]);
    body.extend(u32::try_from(data.len())?.to_le_bytes());
    body.extend([0; 4]);
    send(stream, C2H_DATA, LAST, &body, data)?;
    respond(stream, id, 0, 0)
}

/// A connection, and commands that came while another's data were waited for.
struct Link {
    stream: TcpStream,
    waiting: VecDeque<Pdu>,
}

/// Asks for a command's data, and waits for all of them.
fn fetch(link: &mut Link, id: [u8; 2], length: usize) -> Result<Vec<u8>> {
    let mut body = id.to_vec();
    body.extend([0; 2]);
    body.extend([0; 4]);
    body.extend(u32::try_from(length)?.to_le_bytes());
    body.extend([0; 4]);
    send(&mut link.stream, R2T, 0, &body, &[])?;
    let mut data = Vec::with_capacity(length);
    while data.len() < length {
        let pdu = receive(&mut link.stream)?;
        match pdu.kind {
            H2C_DATA => data.extend(pdu.data),
            // The host does not wait for one command before it sends the next.
            CAPSULE_CMD => link.waiting.push_back(pdu),
            other => bail!("PDU {other} where data belong"),
        }
    }
    Ok(data)
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn identify(controller: &Controller, cns: u8) -> Option<Vec<u8>> {
    let mut data = vec![0; 4096];
    let identity = controller.identity;
    match cns {
        0 => {
            let blocks = controller.store.size / BLOCK;
            for at in [0, 8] {
                put(&mut data, at, &blocks.to_le_bytes());
            }
            // NUSE, of a namespace with thin provisioning (NSFEAT bit 0).
            let used = controller.store.in_use() / BLOCK;
            put(&mut data, 16, &used.to_le_bytes());
            data[24] = 1;
            data[33] = identity.dlfeat;
            put(&mut data, 104, b"zinspect-liar-01");
            data[130] = 9;
        }
        1 => {
            put(&mut data, 4, b"liar                ");
            put(&mut data, 24, b"zinspect liar                           ");
            put(&mut data, 64, b"1       ");
            data[77] = identity.mdts;
            data[78] = 1;
            put(&mut data, 80, &0x1_0400_u32.to_le_bytes());
            data[111] = 1;
            data[320] = 10;
            put(&mut data, 512, &[0x66, 0x44, 128, 0, 1, 0, 0, 0]);
            put(&mut data, 520, &identity.oncs.to_le_bytes());
            put(&mut data, 536, &0x10_0001_u32.to_le_bytes());
            put(&mut data, 768, NQN.as_bytes());
            data[1792] = 4;
            data[1796] = 1;
        }
        2 => data[0] = 1,
        3 => {
            put(&mut data, 0, &[2, 16, 0, 0]);
            put(&mut data, 4, b"zinspect-liar-01");
        }
        6 => data[1] = identity.wzsl,
        _ => return None,
    }
    Some(data)
}

fn fabrics(
    stream: &mut TcpStream,
    controller: &mut Controller,
    sqe: &[u8],
    id: [u8; 2],
) -> Result<()> {
    let result = match (sqe[4], word(sqe, 44)) {
        (1, _) => 1,
        (0, offset) => {
            if offset == 0x14 {
                controller.cc = word(sqe, 48);
            }
            0
        }
        // CAP: 128 entries, contiguous queues, 5 s, the NVM command set.
        (4, 0) => 127 | 1 << 16 | 10 << 24 | 1 << 37,
        (4, 8) => 0x1_0400,
        (4, 0x14) => u64::from(controller.cc),
        (4, 0x1c) => {
            u64::from(controller.cc & 1)
                | if (controller.cc >> 14).trailing_zeros() >= 2 {
                    0
                } else {
                    8
                }
        }
        _ => return respond(stream, id, 0, INVALID_FIELD),
    };
    respond(stream, id, result, 0)
}

fn admin(
    stream: &mut TcpStream,
    controller: &mut Controller,
    sqe: &[u8],
    id: [u8; 2],
) -> Result<()> {
    match sqe[0] {
        0x7f => fabrics(stream, controller, sqe, id),
        0x06 => match identify(controller, sqe[40]) {
            Some(data) => give(stream, id, &data),
            None => respond(stream, id, 0, INVALID_FIELD),
        },
        // Get Log Page: all zero, as long as it is asked for.
        0x02 => give(
            stream,
            id,
            &vec![0; (usize::try_from(word(sqe, 40) >> 16)? + 1) * 4],
        ),
        // An asynchronous event that never comes.
        0x0c => Ok(()),
        // One I/O queue: counted from 0.
        0x09 | 0x0a | 0x18 => respond(stream, id, 0, 0),
        _ => respond(stream, id, 0, INVALID_OPCODE),
    }
}

fn io(link: &mut Link, shared: &Mutex<Controller>, pdu: &Pdu, id: [u8; 2]) -> Result<()> {
    let sqe = &pdu.head[8..];
    let (from, length) = (
        long(sqe, 40) * BLOCK,
        (u64::from(word(sqe, 48) & 0xffff) + 1) * BLOCK,
    );
    let written = match sqe[0] {
        1 if pdu.data.is_empty() => fetch(link, id, usize::try_from(length)?)?,
        9 if pdu.data.is_empty() => fetch(link, id, (usize::from(sqe[40]) + 1) * 16)?,
        _ => pdu.data.clone(),
    };
    let stream = &mut link.stream;
    let mut controller = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let Controller { store, lie, .. } = &mut *controller;
    let granted = match sqe[0] {
        0 => store.flush().map(|()| Some(true))?,
        1 => store.write(from, &written).map(|()| Some(true))?,
        2 => {
            let data = store.read(from, length)?;
            return give(stream, id, &data);
        }
        8 => {
            let granted = zeroes(store, lie, from, length)?;
            if word(sqe, 48) & DEAC != 0 && lie.zeroes_as_asked() {
                store.deallocate(from, length);
            }
            granted
        }
        9 => {
            let mut granted = Some(true);
            for range in written.chunks_exact(16) {
                granted = zeroes(
                    store,
                    lie,
                    long(range, 8) * BLOCK,
                    u64::from(word(range, 4)) * BLOCK,
                )?;
            }
            granted
        }
        0x7f => return fabrics(stream, &mut controller, sqe, id),
        _ => return respond(stream, id, 0, INVALID_OPCODE),
    };
    match granted {
        Some(true) => respond(stream, id, 0, 0),
        Some(false) => respond(stream, id, 0, WRITE_FAULT),
        None => Ok(()),
    }
}

fn serve(mut stream: TcpStream, shared: &Mutex<Controller>) -> Result<()> {
    stream.set_nodelay(true)?;
    let hello = receive(&mut stream)?;
    if hello.kind != IC_REQ {
        bail!("PDU {} where ICReq belongs", hello.kind);
    }
    let mut body = vec![0; 120];
    put(&mut body, 4, &(1_u32 << 20).to_le_bytes());
    send(&mut stream, IC_RESP, 0, &body, &[])?;
    let mut link = Link {
        stream,
        waiting: VecDeque::new(),
    };
    let mut queue = 0;
    loop {
        let pdu = match link.waiting.pop_front() {
            Some(pdu) => pdu,
            None => receive(&mut link.stream)?,
        };
        if pdu.kind != CAPSULE_CMD {
            bail!("PDU {} where a command belongs", pdu.kind);
        }
        let sqe = &pdu.head[8..];
        let id = [sqe[2], sqe[3]];
        if sqe[0] == 0x7f && sqe[4] == 1 {
            queue = sqe[42];
        }
        if queue == 0 {
            let mut controller = shared.lock().unwrap_or_else(PoisonError::into_inner);
            admin(&mut link.stream, &mut controller, sqe, id)?;
        } else {
            io(&mut link, shared, &pdu, id)?;
        }
    }
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [port, megabytes, word, options @ ..] = args.as_slice() else {
        bail!("nvme_liar PORT MEGABYTES LIE [dlfeat=N] [oncs=N] [wzsl=N] [mdts=N]");
    };
    let mut identity = Identity {
        dlfeat: 9,
        oncs: 0x0c,
        wzsl: 0,
        mdts: 5,
    };
    for option in options {
        let (name, value) = option.split_once('=').with_context(|| option.clone())?;
        match name {
            "dlfeat" => identity.dlfeat = value.parse()?,
            "oncs" => identity.oncs = value.parse()?,
            "wzsl" => identity.wzsl = value.parse()?,
            "mdts" => identity.mdts = value.parse()?,
            _ => bail!("no option {name}"),
        }
    }
    let store = Store::new(megabytes.parse::<u64>()? << 20, None);
    let controller = Arc::new(Mutex::new(Controller {
        store,
        lie: lie(word)?,
        identity,
        cc: 0,
    }));
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?))?;
    for stream in listener.incoming() {
        let (stream, controller) = (stream?, controller.clone());
        std::thread::spawn(move || serve(stream, &controller));
    }
    Ok(())
}
