//! Where answers go and how wide and colourful they may be.

use std::io::{self, BufWriter, IsTerminal, Write};

use zinspect_exporters::{ByteStyle, TableOptions};

use super::args::{OutputArgs, When};

/// Standard output, locked for the whole run.
pub(super) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(64 << 10, io::stdout().lock())
}

/// Writes what is left; without this a full disk would pass for success.
pub(super) fn finish(mut out: impl Write) -> io::Result<()> {
    out.flush()
}

/// Widths, units and colours for standard output.
pub(super) fn options(args: &OutputArgs) -> TableOptions {
    let terminal = io::stdout().is_terminal();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let color = match args.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            terminal && !plain && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    TableOptions {
        width: if terminal && !args.no_wrap {
            width()
        } else {
            None
        },
        bytes: if args.bytes {
            ByteStyle::Plain
        } else {
            ByteStyle::People
        },
        color,
        headings: !args.no_headings,
    }
}

fn width() -> Option<usize> {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|columns| *columns > 0);
    columns.or_else(|| {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_col > 0).then(|| usize::from(size.ws_col))
    })
}

/// Whether the terminal's encoding has no line-drawing characters.
pub(super) fn ascii(args: &OutputArgs) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let utf8 = locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    args.ascii || (io::stdout().is_terminal() && !utf8)
}
