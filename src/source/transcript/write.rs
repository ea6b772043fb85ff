//! Exchanges to text.

use std::fmt::Write as _;

use super::text::{escape, word};
use super::{Exchange, hex};
use crate::source::command::{Command, CommandError, DmLine, Node, NodeKind, Reply};
use crate::source::errno::errno_word;

/// Whether an answer can be one to the command, and was given at all.
pub(super) fn fits(exchange: &Exchange) -> bool {
    match (&exchange.command, &exchange.answer) {
        (_, Err(CommandError::NotAsked(_))) => false,
        (_, Err(_)) => true,
        (command, Ok(reply)) => answers(command, reply),
    }
}

fn answers(command: &Command, reply: &Reply) -> bool {
    matches!(
        (command, reply),
        (Command::NvmeIdentify(_), Reply::Nvme { .. })
            | (Command::Scsi(_), Reply::Scsi { .. })
            | (Command::DmVersion, Reply::DmVersion(_))
            | (Command::DmTargets, Reply::DmTargets(_))
            | (Command::DmTable { .. }, Reply::DmTable { .. })
            | (Command::DmStatus { .. }, Reply::DmStatus { .. })
            | (Command::DmDeps { .. }, Reply::DmDeps(_))
    )
}

/// The lines of one exchange.
pub(super) fn exchange(exchange: &Exchange) -> String {
    let (bus, text) = command(&exchange.command);
    let mut out = format!("{bus} {} {text}", node(&exchange.node));
    if let Command::Scsi(cdb) = &exchange.command {
        let _ = write!(out, " # {}", escape(cdb.name(), false));
    }
    out.push('\n');
    match &exchange.answer {
        Ok(answer) => reply(&mut out, answer),
        Err(why) => error(&mut out, why),
    }
    out
}

/// Bus and command: `nvme` and `identify cns=00 nsid=1 csi=00`.
pub(super) fn command(command: &Command) -> (&'static str, String) {
    let of = |verb: &str, (major, minor): (u32, u32)| format!("{verb} {major}:{minor}");
    match command {
        Command::NvmeIdentify(identify) => (
            "nvme",
            format!(
                "identify cns={:02x} nsid={} csi={:02x}",
                identify.cns, identify.nsid, identify.csi
            ),
        ),
        Command::Scsi(cdb) => ("scsi", hex::bytes(cdb.bytes())),
        Command::DmVersion => ("dm", "version".to_owned()),
        Command::DmTargets => ("dm", "targets".to_owned()),
        Command::DmTable { devno } => ("dm", of("table", *devno)),
        Command::DmStatus { devno } => ("dm", of("status", *devno)),
        Command::DmDeps { devno } => ("dm", of("deps", *devno)),
    }
}

fn node(node: &Node) -> String {
    let kind = match node.kind {
        NodeKind::Block => 'b',
        NodeKind::Char => 'c',
    };
    let number = node.devno.map(|(major, minor)| format!("{major}:{minor}"));
    format!("{} {kind}{}", word(&node.path), number.unwrap_or_default())
}

fn reply(out: &mut String, reply: &Reply) {
    // Writing to a String never fails.
    let _ = match reply {
        Reply::Nvme { status, data } => {
            writeln!(
                out,
                "status {status:04x}\ndata {}\n{}",
                data.len(),
                hex::dump(data).trim_end()
            )
        }
        Reply::Scsi {
            status,
            host_status,
            driver_status,
            sense,
            data,
        } => {
            let _ = writeln!(
                out,
                "status {status:02x} host {host_status:04x} driver {driver_status:04x}"
            );
            if !sense.is_empty() {
                let _ = writeln!(out, "sense {}", hex::bytes(sense));
            }
            writeln!(out, "data {}\n{}", data.len(), hex::dump(data).trim_end())
        }
        Reply::DmVersion([major, minor, patch]) => {
            writeln!(out, "version {major}.{minor}.{patch}")
        }
        Reply::DmTargets(targets) => targets.iter().try_for_each(|target| {
            let [major, minor, patch] = target.version;
            writeln!(out, "target {} {major}.{minor}.{patch}", word(&target.name))
        }),
        Reply::DmTable { flags, lines } | Reply::DmStatus { flags, lines } => {
            let _ = writeln!(out, "flags {flags:x}");
            lines
                .iter()
                .try_for_each(|line| writeln!(out, "{}", dm_line(line)))
        }
        Reply::DmDeps(devices) => devices
            .iter()
            .try_for_each(|(major, minor)| writeln!(out, "dep {major}:{minor}")),
    };
    // Data of no length leave an empty line, which would end the exchange early.
    while out.ends_with("\n\n") {
        out.pop();
    }
}

fn dm_line(line: &DmLine) -> String {
    let mut text = format!("line {} {} {}", line.start, line.length, word(&line.target));
    if !line.params.is_empty() {
        text.push(' ');
        text.push_str(&escape(&line.params, false));
    }
    text
}

fn error(out: &mut String, error: &CommandError) {
    let _ = match error {
        CommandError::NotAsked(_) => Ok(()),
        CommandError::Open { errno, .. } => writeln!(out, "error open {}", errno_word(*errno)),
        CommandError::WrongNode { why, .. } => {
            writeln!(out, "error node {}", escape(why, false))
        }
        CommandError::Ioctl { errno, request, .. } => {
            writeln!(out, "error ioctl {} {request}", errno_word(*errno))
        }
        CommandError::Malformed { request, why, .. } => {
            writeln!(out, "error malformed {request} {}", escape(why, false))
        }
    };
}
