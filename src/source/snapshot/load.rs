//! Reads a capture, and trusts nothing in it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use rustix::io::Errno;
use tar::EntryType;

use super::archive::{Archive, Entry};
use super::{COMMANDS, END, ERRORS, FORMAT, MANIFEST};
use crate::source::errno;

/// A host with 3,000 disks has some 200,000 files.
const MOST_ENTRIES: usize = 4_000_000;
/// All of them together, unpacked.
const MOST_BYTES: u64 = 1 << 30;

/// Why an archive is no capture. Nothing of it was used.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the capture {}: {why}", path.display())]
pub struct LoadError {
    path: PathBuf,
    why: String,
}

/// The files of a capture and the transcript of its commands.
pub fn load(path: &Path) -> Result<(Archive, String), LoadError> {
    let failed = |why: String| LoadError {
        path: path.to_owned(),
        why,
    };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    unpack(file).map_err(failed)
}

fn unpack(file: impl Read) -> Result<(Archive, String), String> {
    let bounded = GzDecoder::new(file).take(MOST_BYTES);
    let mut tar = tar::Archive::new(bounded);
    let mut archive = Archive::default();
    let mut texts = BTreeMap::new();
    let mut ended = false;
    let mut entries = tar.entries().map_err(not_an_archive)?;
    let first = entries
        .next()
        .ok_or("it is empty; make one with `zinspect capture FILE.tar.gz`")?;
    let (name, content) = member(first)?;
    if (name.as_str(), content) != (MANIFEST, Entry::File(FORMAT.into())) {
        return Err(format!(
            "its first member is {name:?} and not a {MANIFEST} of format 1; make one with `zinspect capture FILE.tar.gz`"
        ));
    }
    for entry in entries {
        let (name, content) = member(entry)?;
        if ended {
            return Err(format!("its member {name:?} stands after its end"));
        }
        let twice = match (name.as_str(), content) {
            (END, _) => std::mem::replace(&mut ended, true),
            (ERRORS | COMMANDS, Entry::File(text)) => {
                let text = in_text(&name, text)?;
                texts.insert(name.clone(), text).is_some()
            }
            (_, content) => archive.entries.insert(name.clone(), content).is_some(),
        };
        if twice {
            return Err(format!("its member {name:?} stands there twice"));
        }
        if archive.entries.len() > MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} members"));
        }
    }
    // Reading to the end has the checksum looked at: a tar ends before its gzip does.
    io::copy(&mut tar.into_inner(), &mut io::sink()).map_err(not_an_archive)?;
    if !ended {
        return Err("it has no end; it was cut short or changed".into());
    }
    let mut text = |name: &str| texts.remove(name).ok_or_else(|| missing(name));
    let (refused, commands) = (text(ERRORS)?, text(COMMANDS)?);
    for (path, error) in refusals(&refused)? {
        archive.entries.insert(path, Entry::Failed(error));
    }
    Ok((archive, commands))
}

fn missing(member: &str) -> String {
    format!("it has no {member}; it was cut short or changed")
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn not_an_archive(error: io::Error) -> String {
    format!(
        "it is no whole .tar.gz ({error}); it was cut short, is larger than 1 GiB unpacked, or is something else"
    )
}

fn in_text(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| format!("its {name} is not UTF-8"))
}

fn member<R: Read>(entry: io::Result<tar::Entry<'_, R>>) -> Result<(String, Entry), String> {
    let mut entry = entry.map_err(not_an_archive)?;
    let path = entry.path().map_err(not_an_archive)?.into_owned();
    let shown = path.display().to_string();
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let parts: Option<Vec<&str>> = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_str())
        .collect();
    let Some(parts) = parts.filter(|_| plain) else {
        return Err(format!(
            "its member {shown:?} has an absolute path, a \"..\" or no UTF-8 name"
        ));
    };
    let name = parts.join("/");
    let content = match entry.header().entry_type() {
        EntryType::Regular => {
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(not_an_archive)?;
            Entry::File(content)
        }
        EntryType::Symlink => {
            let target = entry.link_name().map_err(not_an_archive)?;
            let target = target.and_then(|target| target.to_str().map(str::to_owned));
            Entry::Link(target.ok_or_else(|| format!("its link {shown:?} has no UTF-8 target"))?)
        }
        EntryType::Directory => Entry::Folder,
        other => {
            return Err(format!(
                "its member {shown:?} is neither file, link nor folder: {other:?}"
            ));
        }
    };
    Ok((name, content))
}

fn refusals(text: &str) -> Result<Vec<(String, Errno)>, String> {
    let parse = |(at, line): (usize, &str)| {
        let bad = || format!("line {} of its {ERRORS} makes no sense: {line:?}", at + 1);
        let (error, path) = line.split_once('\t').ok_or_else(bad)?;
        let errno = errno::parse_errno(error).ok_or_else(bad)?;
        Ok((unescaped(path), errno))
    };
    text.lines().enumerate().map(parse).collect()
}

/// A path as it was before its newlines were written as `\\n`.
fn unescaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path.chars();
    while let Some(c) = rest.next() {
        match (c, c == '\\') {
            (_, true) => out.extend(
                rest.next()
                    .map(|next| if next == 'n' { '\n' } else { next }),
            ),
            (c, false) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(members: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut tar = tar::Builder::new(gzip);
        for (path, kind, content) in members {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(*kind);
            let is_file = *kind == EntryType::Regular;
            header.set_size(if is_file { content.len() as u64 } else { 0 });
            if !is_file && !content.is_empty() {
                header.set_link_name(content).expect("link name");
            }
            // The crate refuses such names in its own calls; hostile archives have them all the same.
            let name = &mut header.as_old_mut().name;
            name.get_mut(..path.len())
                .expect("short")
                .copy_from_slice(path.as_bytes());
            header.set_cksum();
            tar.append(&header, if is_file { content.as_bytes() } else { b"" })
                .expect("append");
        }
        tar.into_inner()
            .and_then(flate2::write::GzEncoder::finish)
            .expect("pack")
    }

    const HEAD: (&str, EntryType, &str) = (MANIFEST, EntryType::Regular, FORMAT);

    #[test]
    fn hostile_members_are_refused_by_name() {
        for (member, says) in [
            (("../../etc/x", EntryType::Regular, "x"), "\"..\""),
            (("/etc/x", EntryType::Regular, "x"), "absolute"),
            (
                ("sys/null", EntryType::Char, ""),
                "neither file, link nor folder",
            ),
            (
                ("sys/hard", EntryType::Link, "x"),
                "neither file, link nor folder",
            ),
        ] {
            let error = unpack(&packed(&[HEAD, member])[..]).expect_err(member.0);
            assert!(error.contains(says), "{error}");
            assert!(error.contains(member.0.trim_start_matches('/')), "{error}");
        }
    }

    #[test]
    fn what_is_no_capture_is_said_to_be_none() {
        let error = unpack(&b"not gzip"[..]).expect_err("no gzip");
        assert!(error.contains("no whole .tar.gz"), "{error}");
        let error = unpack(&packed(&[("x", EntryType::Regular, "")])[..]).expect_err("other tar");
        assert!(error.contains("first member is \"x\""), "{error}");
        let error = unpack(&packed(&[HEAD])[..]).expect_err("no errors.txt");
        assert!(error.contains("cut short"), "{error}");
        let texts = [
            (ERRORS, EntryType::Regular, ""),
            (COMMANDS, EntryType::Regular, ""),
        ];
        let end = (END, EntryType::Regular, "");
        let whole = packed(&[HEAD, texts[0], texts[1], end]);
        assert!(unpack(&whole[..]).is_ok());
        for length in 0..whole.len() {
            assert!(unpack(&whole[..length]).is_err(), "cut at {length}");
        }
        assert!(
            unpack(&packed(&[HEAD, texts[0], texts[1]])[..]).is_err(),
            "cut between members"
        );
        let twice = packed(&[HEAD, texts[0], texts[1], texts[1], end]);
        let error = unpack(&twice[..]).expect_err("twice");
        assert!(error.contains("twice"), "{error}");
    }
}
