//! `zinspect [TARGET…]`: lists, or explains.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use zinspect_exporters::{
    Cell, Field, Streamed, select, write_csv, write_json, write_ndjson, write_page,
    write_prometheus, write_table, write_tree,
};

mod reports;

use super::args::{Cli, Format, Inspect, OutputArgs, Require};
use super::files::{self, Named};
use super::{Exit, RunError, delivered, exit_of, host, output, report_failures, report_missing};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{KName, natural_order};
use crate::model::topology::Topology;
use crate::verdict::Judge;
use crate::verdict::judgement::{self, Zeroing};
use crate::view::report::file::FileAnswer;
use crate::view::report::{Device, Report, SCHEMA_VERSION};
use crate::view::tree::{self, Growth};
use crate::view::{detail, fields, file_fields, metrics};

/// Lists or explains.
pub(super) fn run(cli: &Cli) -> Result<Exit, RunError> {
    let args = &cli.inspect;
    let explains = !args.targets.is_empty();
    let format = args.output.unwrap_or(if explains {
        Format::Detail
    } else {
        Format::Table
    });
    args.fits(format)?;
    if args.list_columns {
        return list_columns(&cli.out);
    }
    let words = args.columns.as_deref().unwrap_or_default();
    let of_devices = select(&fields::ALL, words, fields::DEFAULT);
    let of_files = select(file_fields::ALL, words, file_fields::DEFAULT);
    // Only targets can be files: without one the columns are those of devices.
    let columns = match (&of_devices, &of_files) {
        (Err(_), Ok(_)) if explains => select(&fields::ALL, "", fields::DEFAULT)?,
        _ => of_devices.clone()?,
    };
    let sort = args.sort.as_deref().map(sort_key).transpose()?;
    let needs = needs(format, &columns, sort.as_ref());
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, needs);
    let named = files::name(&collector, &args.targets, args.pid);
    named.fits(format)?;
    let file_columns = named.columns(of_devices, of_files)?;
    let read = named.with_devices_of_files();
    let collected = host::collect(&collector, explains.then_some(&read[..]))?;
    let run = Run {
        args,
        out: &cli.out,
        format,
        columns,
        file_columns,
        sort,
        needs,
        named: &named,
        explains,
        topology: &collected.topology,
    };
    report_failures(&named.failures);
    report_missing(&collected.missing);
    let judge = Judge::new(&collected.topology, &collector.kernel);
    let shown = run.choose(&judge);
    let mut out = output::stdout();
    let written = run.write(&mut out, &collector, &judge, &shown);
    delivered(written.and_then(|()| Ok(output::finish(out)?)))?;
    Ok(run.exit(&judge, &shown))
}

fn needs(format: Format, columns: &[&Field<Device>], sort: Option<&Sort>) -> Needs {
    let needs = match format {
        Format::Table | Format::Csv => fields::needs(columns),
        Format::Prometheus => metrics::needs(metrics::Options::default()),
        Format::Svg | Format::Dot => Needs::VERDICT,
        Format::Detail
        | Format::Tree
        | Format::Json
        | Format::Ndjson
        | Format::Markdown
        | Format::Html => Needs::ALL,
    };
    sort.map_or(needs, |sort| needs.union(fields::needs(&[sort.field])))
}

fn met(judge: &Judge, devices: &[&BlockDevice], require: Require) -> bool {
    let least = match require {
        Require::Unmap => Zeroing::Unmap,
        Require::Offload => Zeroing::Offload,
    };
    devices
        .iter()
        .all(|device| judgement::judge(judge, device).verdict.zeroing >= least)
}

/// A column to sort by, and which way.
struct Sort {
    field: &'static Field<Device>,
    down: bool,
}

fn sort_key(word: &str) -> Result<Sort, RunError> {
    let (name, down) = word
        .strip_prefix('-')
        .map_or((word, false), |name| (name, true));
    let found = select(&fields::ALL, name, &[])?;
    match found.as_slice() {
        [field] => Ok(Sort { field, down }),
        _ => Err(RunError::Usage(format!("--sort {word}: wants one column"))),
    }
}

/// A line for each column of a kind of record.
fn about<R>(heading: &'static str) -> [Field<Field<R>>; 3] {
    let field = |key, header, get| Field {
        key,
        header,
        help: "",
        unit: zinspect_exporters::Unit::None,
        tone: None,
        get,
    };
    [
        field("header", heading, |f: &Field<R>| Cell::from(f.header)),
        field("key", "KEY", |f| Cell::from(f.key)),
        field("help", "MEANING", |f| Cell::from(f.help)),
    ]
}

fn list_columns(args: &OutputArgs) -> Result<Exit, RunError> {
    let options = output::options(args);
    let mut out = output::stdout();
    let of_devices = about::<Device>("COLUMN");
    let lines: Vec<&Field<Field<Device>>> = of_devices.iter().collect();
    write_table(&mut out, &lines, &fields::ALL, &options)?;
    writeln!(out)?;
    let of_files = about::<FileAnswer>("COLUMN OF FILES");
    let lines: Vec<&Field<Field<FileAnswer>>> = of_files.iter().collect();
    write_table(&mut out, &lines, file_fields::ALL, &options)?;
    output::finish(out)?;
    Ok(Exit::All)
}

struct Run<'r> {
    args: &'r Inspect,
    out: &'r OutputArgs,
    format: Format,
    columns: Vec<&'r Field<Device>>,
    file_columns: Vec<&'r Field<FileAnswer>>,
    sort: Option<Sort>,
    needs: Needs,
    named: &'r Named,
    explains: bool,
    topology: &'r Topology,
}

impl<'r> Run<'r> {
    /// The devices to show: the targets and what is below them in JSON, the targets alone elsewhere; without targets
    /// everything that is listed. Filters apply to all.
    fn choose(&self, judge: &Judge<'r>) -> Vec<&'r BlockDevice> {
        let named =
            |device: &&BlockDevice| !self.explains || self.named.devices.contains(&device.kname);
        let listed = |device: &&BlockDevice| self.explains || self.args.all || is_listed(device);
        let (kinds, verdicts) = (&self.args.kind, &self.args.verdict);
        let kind = |device: &&BlockDevice| kinds.is_empty() || kinds.contains(&device.kind);
        let verdict = |device: &&BlockDevice| {
            verdicts.is_empty()
                || verdicts.contains(&judgement::judge(judge, device).verdict.zeroing)
        };
        let chosen = self
            .topology
            .iter()
            .filter(named)
            .filter(listed)
            .filter(kind)
            .filter(verdict);
        let mut chosen: Vec<&BlockDevice> = chosen.collect();
        if self.format.tells_stacks() {
            let files = self.named.with_devices_of_files();
            let of_files = files.iter().filter_map(|kname| self.topology.get(kname));
            let tops: Vec<&BlockDevice> = chosen.iter().copied().chain(of_files).collect();
            let mut seen: HashSet<&KName> = chosen.iter().map(|device| &device.kname).collect();
            for below in tops.into_iter().flat_map(|device| judge.stack_of(device)) {
                if seen.insert(&below.kname) {
                    chosen.push(below);
                }
            }
        }
        chosen
    }

    fn reports(&self, judge: &Judge, shown: &[&BlockDevice]) -> Vec<Device> {
        let mut reports: Vec<Device> = shown
            .iter()
            .map(|device| Device::new(judge, device, self.needs))
            .collect();
        if let Some(sort) = &self.sort {
            reports.sort_by(|a, b| {
                let order = compare(&(sort.field.get)(a), &(sort.field.get)(b));
                if sort.down { order.reverse() } else { order }
            });
        }
        reports
    }

    fn write(
        &self,
        out: &mut dyn Write,
        collector: &Collector,
        judge: &Judge,
        shown: &[&BlockDevice],
    ) -> Result<(), RunError> {
        let files = || self.named.answers(judge);
        match self.format {
            Format::Table => self.tables(out, judge, shown)?,
            Format::Csv if !self.named.files.is_empty() => {
                let rows = self.named.file_answers(judge).into_iter();
                write_csv(out, &self.file_columns, rows, !self.out.no_headings)?;
            }
            Format::Csv => {
                let reports = self.reports(judge, shown).into_iter();
                write_csv(out, &self.columns, reports, !self.out.no_headings)?;
            }
            Format::Detail => self.pages(out, judge, shown)?,
            Format::Markdown | Format::Html | Format::Svg | Format::Dot => {
                self.report(out, collector, judge, shown)?;
            }
            Format::Json if self.sort.is_none() => {
                let devices = shown
                    .iter()
                    .map(|device| Device::new(judge, device, self.needs));
                write_json(
                    out,
                    &document(collector, Streamed::new(devices), files()),
                    true,
                )?;
            }
            Format::Json => {
                let devices = Streamed::new(self.reports(judge, shown));
                write_json(out, &document(collector, devices, files()), true)?;
            }
            Format::Ndjson => {
                write_ndjson(out, self.reports(judge, shown).into_iter())?;
                write_ndjson(out, files().into_iter())?;
            }
            Format::Prometheus => {
                let reports = self.reports(judge, shown);
                write_prometheus(
                    out,
                    &metrics::families(&reports, metrics::Options::default()),
                )?;
            }
            Format::Tree => self.tree(out, judge, shown)?,
        }
        Ok(())
    }

    fn tree(
        &self,
        out: &mut dyn Write,
        judge: &Judge,
        shown: &[&BlockDevice],
    ) -> Result<(), RunError> {
        let all: Vec<&BlockDevice> = self.topology.iter().collect();
        let reports: HashMap<KName, Device> = all
            .iter()
            .map(|device| (device.kname.clone(), Device::new(judge, device, self.needs)))
            .collect();
        let filtered = !self.args.kind.is_empty() || !self.args.verdict.is_empty();
        let targets: Vec<KName> = match self.explains || filtered {
            true => shown.iter().map(|device| device.kname.clone()).collect(),
            false => Vec::new(),
        };
        let growth = if self.explains {
            Growth::Down
        } else {
            Growth::Up
        };
        let listed = |device: &BlockDevice| self.args.all || is_listed(device);
        let drawn = tree::tree(self.topology, &reports, &targets, growth, &listed);
        let options = output::options(self.out);
        Ok(write_tree(out, &drawn, &options, output::ascii(self.out))?)
    }

    fn pages(
        &self,
        out: &mut dyn Write,
        judge: &Judge,
        shown: &[&BlockDevice],
    ) -> Result<(), RunError> {
        let options = output::options(self.out);
        for (at, report) in self.reports(judge, shown).iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            let kname = KName::new(&report.kname);
            let Some(device) = kname.and_then(|kname| self.topology.get(&kname)) else {
                continue;
            };
            let page = detail::page(report, device, detail::Detail { raw: self.args.raw });
            write_page(out, &page, &options)?;
        }
        for (at, page) in files::pages(judge, self.named).iter().enumerate() {
            if at > 0 || !shown.is_empty() {
                writeln!(out)?;
            }
            write_page(out, page, &options)?;
        }
        Ok(())
    }

    /// Devices, then files, each with columns of their own.
    fn tables(
        &self,
        out: &mut dyn Write,
        judge: &Judge,
        shown: &[&BlockDevice],
    ) -> Result<(), RunError> {
        let options = output::options(self.out);
        if self.named.files.is_empty() || !shown.is_empty() {
            write_table(out, &self.columns, &self.reports(judge, shown), &options)?;
        }
        if self.named.files.is_empty() {
            return Ok(());
        }
        if !shown.is_empty() {
            writeln!(out)?;
        }
        let answers = self.named.file_answers(judge);
        Ok(write_table(out, &self.file_columns, &answers, &options)?)
    }

    fn exit(&self, judge: &Judge, shown: &[&'r BlockDevice]) -> Exit {
        let named = self.named;
        let there = |kname: &KName| self.topology.get(kname);
        let targets: Vec<&BlockDevice> = named.devices.iter().filter_map(there).collect();
        let gone = named.devices.len() - targets.len();
        let exit = exit_of(named.asked(), gone + named.failures.len());
        let required = if self.explains { &targets } else { shown };
        let nothing = required.is_empty() && named.files.is_empty();
        match self.args.require {
            Some(require)
                if exit == Exit::All
                    && (nothing
                        || !met(judge, required, require)
                        || !named.meet(judge, require)) =>
            {
                Exit::NotMet
            }
            _ => exit,
        }
    }
}

fn document<L>(collector: &Collector, devices: L, files: Vec<FileAnswer>) -> Report<L> {
    let release = &collector.kernel.release;
    Report {
        schema_version: SCHEMA_VERSION,
        zinspect: env!("CARGO_PKG_VERSION").to_owned(),
        kernel: (!release.is_empty()).then(|| release.clone()),
        source: collector.host.source,
        devices,
        files,
    }
}

/// Whether anybody asks about it: no RAM disk, and no loop, nbd, ublk or zram that holds nothing.
pub(super) fn is_listed(device: &BlockDevice) -> bool {
    match device.kind {
        Kind::Brd => false,
        Kind::Loop | Kind::Nbd | Kind::Zram | Kind::Ublk => device.size_bytes.get() != Some(0),
        _ => true,
    }
}

fn compare(a: &Cell, b: &Cell) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    match (a, b) {
        (Cell::Missing(_), Cell::Missing(_)) => Ordering::Equal,
        (Cell::Missing(_), _) => Ordering::Less,
        (_, Cell::Missing(_)) => Ordering::Greater,
        (Cell::UInt(a) | Cell::Bytes(a), Cell::UInt(b) | Cell::Bytes(b)) => a.cmp(b),
        (Cell::Bool(a), Cell::Bool(b)) => a.cmp(b),
        (a, b) => {
            let text = |cell: &Cell| cell.to_text(zinspect_exporters::ByteStyle::Plain);
            natural_order(&text(a), &text(b))
        }
    }
}
