//! Reading a span while the pieces before are looked at, so that reading never waits for looking.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use super::exec::{self, Buffer};
use super::journal::CHUNK;
use super::outcome::Failure;
use super::pattern::THIRD;
use super::span::Span;
use super::{methods, worker};

/// Pieces on their way: one is read, one looked at, and one is ready for either to be late.
const BUFFERS: usize = 3;

/// A piece that was read, or why not.
type Read = (Span, Buffer, Result<(), Errno>);

/// Reads a span piece by piece in a thread of its own, each into a buffer that holds a third value before, and has
/// `look` look at them in order. In a child only: a read that hangs keeps its process.
pub(super) fn each(
    fd: BorrowedFd<'_>,
    span: Span,
    mut look: impl FnMut(Span, &[u8]),
) -> Result<(), Failure> {
    let (give, take) = sync_channel::<Buffer>(BUFFERS);
    let (done, ready) = sync_channel::<Read>(BUFFERS);
    for _ in 0..BUFFERS {
        let mut buffer = worker::buffer()?;
        buffer.fill(THIRD);
        // There is room for every buffer.
        let _ = give.send(buffer);
    }
    std::thread::scope(|scope| {
        scope.spawn(move || read(fd, span, &take, &done));
        for (piece, mut buffer, result) in ready {
            result.map_err(|error| {
                methods::failed(&format!("reading back at {}", piece.offset), error)
            })?;
            let bytes = worker::part(&mut buffer, piece.length);
            look(piece, bytes);
            bytes.fill(THIRD);
            let _ = give.send(buffer);
        }
        Ok(())
    })
}

/// Ends with the span, with an error, or with the one who looks.
fn read(fd: BorrowedFd<'_>, span: Span, take: &Receiver<Buffer>, done: &SyncSender<Read>) {
    for piece in span.pieces(CHUNK) {
        let Ok(mut buffer) = take.recv() else { return };
        let bytes = worker::part(&mut buffer, piece.length);
        let result = exec::read(fd, piece.offset, bytes);
        let failed = result.is_err();
        if done.send((piece, buffer, result)).is_err() || failed {
            return;
        }
    }
}
