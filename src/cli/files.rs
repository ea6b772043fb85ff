//! Words of the command line that may be devices or files.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use zinspect_exporters::{Field, Page, UnknownField, select};

use super::RunError;
use super::args::{Format, Require};
use crate::facts::collect::Collector;
use crate::facts::file::{self, FileFacts, FileTarget};
use crate::facts::target::{self, TargetError};
use crate::model::ids::KName;
use crate::model::text;
use crate::source::Source;
use crate::source::inode::View;
use crate::verdict::Judge;
use crate::verdict::file::Mode;
use crate::view::report::Device;
use crate::view::report::file::FileAnswer;
use crate::view::{file_fields, file_page};

/// What the words stand for.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Devices, each once.
    pub(super) devices: Vec<KName>,
    /// Files and directories.
    pub(super) files: Vec<FileFacts>,
    /// Nodes of devices, which have an answer of their own beside the device's.
    pub(super) nodes: Vec<FileFacts>,
    /// Words that stand for nothing.
    pub(super) failures: Vec<TargetError>,
}

impl Named {
    /// The devices, then those that the files lie on, each once.
    pub(super) fn with_devices_of_files(&self) -> Vec<KName> {
        let mut all = self.devices.clone();
        for kname in self
            .files
            .iter()
            .filter_map(|facts| facts.devices.value())
            .flatten()
        {
            if !all.contains(kname) {
                all.push(kname.clone());
            }
        }
        all
    }

    /// How many answers were asked for.
    pub(super) fn asked(&self) -> usize {
        self.devices.len() + self.files.len() + self.failures.len()
    }

    /// Refuses forms that files have none of.
    pub(super) fn fits(&self, format: Format) -> Result<(), RunError> {
        if self.files.is_empty() {
            return Ok(());
        }
        let why = match format {
            Format::Prometheus => {
                "a file has no metrics, its devices have: name them, or use -o json, ndjson or csv"
            }
            Format::Csv if !self.devices.is_empty() => {
                "files and devices have different columns: name one kind for -o csv, or use -o json or ndjson"
            }
            _ => return Ok(()),
        };
        Err(RunError::Usage(why.into()))
    }

    /// The columns for files. Of a list that only devices have, files take their own default ones; and where nothing
    /// but files was named, a list that files do not have is an error.
    pub(super) fn columns<'f>(
        &self,
        of_devices: Result<Vec<&Field<Device>>, UnknownField>,
        of_files: Result<Vec<&'f Field<FileAnswer>>, UnknownField>,
    ) -> Result<Vec<&'f Field<FileAnswer>>, RunError> {
        match (of_devices, of_files) {
            (Ok(_), Err(_)) if !self.devices.is_empty() || self.files.is_empty() => {
                Ok(select(file_fields::ALL, "", file_fields::DEFAULT)?)
            }
            (Err(error), Ok(_)) if !self.devices.is_empty() => Err(error.into()),
            (_, of_files) => Ok(of_files?),
        }
    }

    /// The answers for files.
    pub(super) fn file_answers(&self, judge: &Judge) -> Vec<FileAnswer> {
        let files = self.files.iter();
        files.map(|facts| FileAnswer::new(judge, facts)).collect()
    }

    /// The answers for files and for devices' nodes.
    pub(super) fn answers(&self, judge: &Judge) -> Vec<FileAnswer> {
        let all = self.files.iter().chain(&self.nodes);
        all.map(|facts| FileAnswer::new(judge, facts)).collect()
    }

    /// Whether every file meets what was required.
    pub(super) fn meet(&self, judge: &Judge, require: Require) -> bool {
        self.files.iter().all(|facts| {
            let answer = FileAnswer::new(judge, facts);
            let mode = answer.mode(Mode::WriteZeroes);
            match require {
                Require::Unmap => answer.write_zeroes.fast == Some(true),
                Require::Offload => mode.is_some_and(|mode| {
                    mode.supported == Some(true) && mode.offloaded == Some(true)
                }),
            }
        })
    }

    fn add_device(&mut self, kname: KName) {
        if !self.devices.contains(&kname) {
            self.devices.push(kname);
        }
    }

    fn add_file(&mut self, facts: Result<FileFacts, TargetError>) {
        match facts {
            Ok(facts) if facts.is_block() => {
                for kname in facts.devices.value().cloned().unwrap_or_default() {
                    self.add_device(kname);
                }
                self.nodes.push(facts);
            }
            Ok(facts) => self.files.push(facts),
            Err(error) => self.failures.push(error),
        }
    }
}

/// The view that `--pid` names.
pub(super) fn view(pid: Option<u32>) -> View {
    pid.map_or(View::Own, View::Process)
}

/// Tells devices from files: a word without a slash is a device's name, a path is what it leads to.
pub(super) fn name(collector: &Collector, words: &[OsString], pid: Option<u32>) -> Named {
    let mut named = Named::default();
    for word in words {
        one(collector, word, view(pid), &mut named);
    }
    named
}

fn one(collector: &Collector, word: &OsStr, view: View, named: &mut Named) {
    let is_path = word.as_bytes().contains(&b'/') || matches!(word.as_bytes(), b"." | b"..");
    let target = || FileTarget::new(word, view);
    let Some(text) = word.to_str() else {
        if is_path {
            return named.add_file(file::collect(collector, &target()));
        }
        let why = "no device's name has such bytes; a file of that name is ./name";
        return named.failures.push(TargetError::NoDevice {
            word: text::clean(word.as_bytes()),
            why: why.into(),
        });
    };
    if is_path && (view != View::Own || text.starts_with('.')) {
        return named.add_file(file::collect(collector, &target()));
    }
    // A captured host has no nodes to tell by: a path outside of /dev and /sys is a file's.
    let written = file::plain(collector.host.files.as_ref(), Path::new(text));
    let is_own = collector.host.source == Source::Live;
    // With .. in it a path below /dev may lead out of there.
    let plain = match &written {
        Ok(path) if !is_own && text.starts_with('/') => path.to_str().unwrap_or(text),
        _ => text,
    };
    if written.is_err() && !is_own && text.starts_with('/') {
        return named.add_file(file::collect(collector, &target()));
    }
    let text = plain;
    let is_place =
        text.starts_with('/') && !text.starts_with("/dev/") && !text.starts_with("/sys/");
    if is_place && collector.host.source != Source::Live {
        return named.add_file(file::collect(collector, &target()));
    }
    match target::resolve(collector, text) {
        Ok(found) => {
            for kname in found {
                named.add_device(kname);
            }
            if is_path && collector.host.source == Source::Live {
                // A path into sysfs names a device too, and is no node.
                named.nodes.extend(
                    file::collect(collector, &target())
                        .ok()
                        .filter(FileFacts::is_block),
                );
            }
        }
        Err(TargetError::File { .. }) => named.add_file(file::collect(collector, &target())),
        Err(error) if is_path && collector.host.source == Source::Live => {
            // The same failure in the words of files: a dangling link, a directory that may not be searched.
            let below_dev = text.starts_with("/dev/");
            match file::collect(collector, &target()) {
                Err(better) if !below_dev => named.failures.push(better),
                _ => named.failures.push(error),
            }
        }
        Err(error) => named.failures.push(error),
    }
}

/// A page for each file.
pub(super) fn pages(judge: &Judge, named: &Named) -> Vec<Page> {
    let page = |facts: &FileFacts| {
        let devices = facts.devices.value().map(Vec::as_slice).unwrap_or_default();
        file_page::page(&FileAnswer::new(judge, facts), judge, devices)
    };
    named.files.iter().map(page).collect()
}
