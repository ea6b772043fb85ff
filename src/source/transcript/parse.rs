//! Text to exchanges. A transcript may come from anywhere: nothing in it can make this panic, use
//! more memory than the caps say, or build a command that writes.

use super::hex::{self, Dump};
use super::text::unescape;
use super::{Exchange, MAX_DATA, MAX_TEXT, MAX_TOTAL_DATA, Transcript, TranscriptError, key};
use crate::source::command::{
    Command, CommandError, DmLine, DmTargetVersion, Node, NodeKind, Reply,
};
use crate::source::errno::parse_errno;
use crate::wire::nvme::command::Identify;
use crate::wire::scsi::cdb::ReadCdb;

/// The requests that an error can name.
const REQUESTS: [&str; 6] = [
    "NVME_IOCTL_ADMIN_CMD",
    "SG_IO",
    "DM_VERSION",
    "DM_LIST_VERSIONS",
    "DM_TABLE_STATUS",
    "DM_TABLE_DEPS",
];

/// What is wrong with a line; the number is added by the caller.
type Result<T> = std::result::Result<T, String>;

pub(super) fn parse(text: &str) -> std::result::Result<Transcript, TranscriptError> {
    let mut transcript = Transcript::default();
    let mut reader = Reader::new(text);
    while let Some(exchange) = reader.exchange()? {
        let key = key(&exchange.node, &exchange.command);
        if transcript.exchanges.contains_key(&key) {
            return Err(reader.error(format!("{key} has an answer already")));
        }
        transcript.exchanges.insert(key, exchange);
    }
    Ok(transcript)
}

/// The lines of the text, with their numbers.
struct Reader<'a> {
    lines: std::iter::Peekable<std::str::Lines<'a>>,
    /// Number of the line that was taken last.
    number: usize,
    text_len: usize,
    data_len: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().peekable(),
            number: 0,
            text_len: text.len(),
            data_len: 0,
        }
    }

    fn error(&self, why: impl Into<String>) -> TranscriptError {
        TranscriptError {
            line: self.number.max(1),
            why: why.into(),
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.lines.next()?;
        self.number += 1;
        Some(line)
    }

    /// The next line of the exchange that is being read; `None` at its end.
    fn answer_line(&mut self) -> Option<&'a str> {
        while let Some(line) = self.lines.peek().copied() {
            if line.is_empty() {
                return None;
            }
            self.next();
            if !line.starts_with('#') {
                return Some(line);
            }
        }
        None
    }

    fn exchange(&mut self) -> std::result::Result<Option<Exchange>, TranscriptError> {
        if self.text_len > MAX_TEXT {
            return Err(self.error(format!("it is longer than {MAX_TEXT} bytes")));
        }
        let header = loop {
            match self.next() {
                None => return Ok(None),
                Some(line) if line.is_empty() || line.starts_with('#') => {}
                Some(line) => break line,
            }
        };
        let (node, command) = parse_header(header).map_err(|why| self.error(why))?;
        let answer = self
            .answer(&node, &command)
            .map_err(|why| self.error(why))?;
        if let Some(surplus) = self.answer_line() {
            return Err(self.error(format!("{surplus:?} does not belong to this answer")));
        }
        Ok(Some(Exchange {
            node,
            command,
            answer,
        }))
    }

    fn answer(
        &mut self,
        node: &Node,
        command: &Command,
    ) -> Result<std::result::Result<Reply, CommandError>> {
        if self
            .lines
            .peek()
            .is_some_and(|line| line.starts_with("error "))
        {
            let line = self.answer_line().unwrap_or_default();
            return parse_error(line, &node.path).map(Err);
        }
        let reply = match command {
            Command::NvmeIdentify(_) => {
                let words = self.keyword("status")?;
                let status = u16::try_from(hex_number(words, 4)?).map_err(|_| "status")?;
                Reply::Nvme {
                    status,
                    data: self.data()?,
                }
            }
            Command::Scsi(_) => self.scsi()?,
            Command::DmVersion => Reply::DmVersion(version(self.keyword("version")?)?),
            Command::DmTargets => Reply::DmTargets(self.each("target ", target)?),
            Command::DmTable { .. } => {
                let flags = hex_number(self.keyword("flags")?, 8)?;
                Reply::DmTable {
                    flags,
                    lines: self.each("line ", dm_line)?,
                }
            }
            Command::DmStatus { .. } => {
                let flags = hex_number(self.keyword("flags")?, 8)?;
                Reply::DmStatus {
                    flags,
                    lines: self.each("line ", dm_line)?,
                }
            }
            Command::DmDeps { .. } => Reply::DmDeps(self.each("dep ", devno)?),
        };
        Ok(Ok(reply))
    }

    /// The rest of a line that must begin with this word.
    fn keyword(&mut self, word: &str) -> Result<&'a str> {
        self.answer_line()
            .and_then(|line| line.strip_prefix(word)?.strip_prefix(' '))
            .ok_or_else(|| format!("a line \"{word} …\" should be here"))
    }

    /// The rests of all following lines that begin so.
    fn each<T>(&mut self, prefix: &str, parse: fn(&str) -> Result<T>) -> Result<Vec<T>> {
        let mut found = Vec::new();
        while self
            .lines
            .peek()
            .is_some_and(|line| line.starts_with(prefix))
        {
            let line = self
                .answer_line()
                .and_then(|line| line.strip_prefix(prefix));
            found.push(parse(line.unwrap_or_default())?);
        }
        Ok(found)
    }

    fn scsi(&mut self) -> Result<Reply> {
        let line = self.keyword("status")?;
        let words: Vec<&str> = line.split(' ').collect();
        let [status, "host", host, "driver", driver] = words.as_slice() else {
            return Err("it is not \"status … host … driver …\"".to_owned());
        };
        let narrow = |word: &str| hex_number(word, 4).map(|value| u16::try_from(value).ok());
        let status = u8::try_from(hex_number(status, 2)?).map_err(|_| "status")?;
        let host_status = narrow(host)?.ok_or("host status")?;
        let driver_status = narrow(driver)?.ok_or("driver status")?;
        let mut sense = Vec::new();
        if self
            .lines
            .peek()
            .is_some_and(|line| line.starts_with("sense "))
        {
            let bytes = hex::parse_bytes(self.keyword("sense")?);
            sense = bytes
                .filter(|sense| sense.len() <= 255)
                .ok_or("it is no sense data")?;
        }
        Ok(Reply::Scsi {
            status,
            host_status,
            driver_status,
            sense,
            data: self.data()?,
        })
    }

    fn data(&mut self) -> Result<Vec<u8>> {
        let length: usize = number(self.keyword("data")?)?;
        self.data_len = self.data_len.saturating_add(length);
        if length > MAX_DATA {
            return Err(format!("{length} bytes of data are more than {MAX_DATA}"));
        }
        if self.data_len > MAX_TOTAL_DATA {
            return Err(format!(
                "there are more than {MAX_TOTAL_DATA} bytes of data in all"
            ));
        }
        let mut dump = Dump::new(length);
        while let Some(line) = self.answer_line() {
            dump.line(line)?;
        }
        dump.finish()
    }
}

fn parse_header(line: &str) -> Result<(Node, Command)> {
    let mut words = line.splitn(4, ' ');
    let (Some(bus), Some(path), Some(node), Some(text)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("a command is \"BUS PATH NODE …\"".to_owned());
    };
    let node = parse_node(path, node)?;
    let command = match bus {
        "nvme" => identify(text)?,
        "scsi" => {
            let bytes = text.split_once(" #").map_or(text, |(bytes, _)| bytes);
            let bytes = hex::parse_bytes(bytes).ok_or("it has something else than bytes")?;
            let cdb = ReadCdb::parse(&bytes).ok_or("it is no command that only reads")?;
            Command::Scsi(cdb)
        }
        "dm" => dm_command(text)?,
        other => return Err(format!("there are no commands to {other:?}")),
    };
    Ok((node, command))
}

fn parse_node(path: &str, node: &str) -> Result<Node> {
    let path = unescape(path)?;
    let wrong = || format!("{node:?} is not b or c and a number");
    let (kind, rest) = match node.split_at_checked(1) {
        Some(("b", rest)) => (NodeKind::Block, rest),
        Some(("c", rest)) => (NodeKind::Char, rest),
        _ => return Err(wrong()),
    };
    let devno = if rest.is_empty() {
        None
    } else {
        Some(devno(rest).map_err(|_| wrong())?)
    };
    Ok(Node { path, devno, kind })
}

fn identify(text: &str) -> Result<Command> {
    let words: Vec<&str> = text.split(' ').collect();
    let wrong = || format!("{text:?} is not \"identify cns=… nsid=… csi=…\"");
    let ["identify", cns, nsid, csi] = words.as_slice() else {
        return Err(wrong());
    };
    let byte = |word: &str, name: &str| -> Result<u8> {
        let word = word.strip_prefix(name).ok_or_else(wrong)?;
        u8::try_from(hex_number(word, 2)?).map_err(|_| wrong())
    };
    let nsid = number(nsid.strip_prefix("nsid=").ok_or_else(wrong)?)?;
    Ok(Command::NvmeIdentify(Identify {
        cns: byte(cns, "cns=")?,
        nsid,
        csi: byte(csi, "csi=")?,
    }))
}

fn dm_command(text: &str) -> Result<Command> {
    match text.split_once(' ') {
        None if text == "version" => Ok(Command::DmVersion),
        None if text == "targets" => Ok(Command::DmTargets),
        Some(("table", device)) => Ok(Command::DmTable {
            devno: devno(device)?,
        }),
        Some(("status", device)) => Ok(Command::DmStatus {
            devno: devno(device)?,
        }),
        Some(("deps", device)) => Ok(Command::DmDeps {
            devno: devno(device)?,
        }),
        _ => Err(format!("{text:?} is no device-mapper command")),
    }
}

fn parse_error(line: &str, path: &str) -> Result<CommandError> {
    let path = path.to_owned();
    let words: Vec<&str> = line.splitn(4, ' ').collect();
    let errno = |word: &str| parse_errno(word).ok_or_else(|| format!("{word:?} is no error"));
    let request = |word: &str| {
        let known = REQUESTS.into_iter().find(|name| *name == word);
        known.ok_or_else(|| format!("{word:?} is no request"))
    };
    match words.as_slice() {
        ["error", "open", word] => Ok(CommandError::Open {
            errno: errno(word)?,
            path,
        }),
        ["error", "node", ..] => {
            let why = unescape(line.strip_prefix("error node ").unwrap_or_default())?;
            Ok(CommandError::WrongNode { path, why })
        }
        ["error", "ioctl", word, name] => Ok(CommandError::Ioctl {
            errno: errno(word)?,
            path,
            request: request(name)?,
        }),
        ["error", "malformed", name, why] => Ok(CommandError::Malformed {
            path,
            request: request(name)?,
            why: unescape(why)?,
        }),
        _ => Err("there is no such error".to_owned()),
    }
}

fn target(text: &str) -> Result<DmTargetVersion> {
    let (name, text) = text
        .split_once(' ')
        .ok_or("it is not \"target NAME VERSION\"")?;
    Ok(DmTargetVersion {
        name: unescape(name)?,
        version: version(text)?,
    })
}

fn version(text: &str) -> Result<[u32; 3]> {
    let parts: Vec<&str> = text.split('.').collect();
    match parts.as_slice() {
        [major, minor, patch] => Ok([number(major)?, number(minor)?, number(patch)?]),
        _ => Err(format!("{text:?} is no version")),
    }
}

fn dm_line(text: &str) -> Result<DmLine> {
    let mut words = text.splitn(4, ' ');
    let (Some(start), Some(length), Some(target)) = (words.next(), words.next(), words.next())
    else {
        return Err("it is not \"line START LENGTH TARGET …\"".to_owned());
    };
    Ok(DmLine {
        start: number(start)?,
        length: number(length)?,
        target: unescape(target)?,
        params: unescape(words.next().unwrap_or_default())?,
    })
}

fn devno(text: &str) -> Result<(u32, u32)> {
    let (major, minor) = text
        .split_once(':')
        .ok_or_else(|| format!("{text:?} is no device number"))?;
    Ok((number(major)?, number(minor)?))
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let value = digits.then(|| word.parse().ok()).flatten();
    value.ok_or_else(|| format!("{word:?} is no number, or too large"))
}

fn hex_number(word: &str, digits: usize) -> Result<u32> {
    let plain = word.len() <= digits && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = plain.then(|| u32::from_str_radix(word, 16).ok()).flatten();
    value.ok_or_else(|| format!("{word:?} is no hex number of up to {digits} digits"))
}
