//! Arguments of what feeds others: Prometheus, udev, people who watch.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Exporting.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// To whom.
    #[command(subcommand)]
    pub to: ExportTo,
}

/// Programs that are fed.
#[derive(Debug, Subcommand)]
pub enum ExportTo {
    /// Metrics in Prometheus' text format 0.0.4, for node_exporter's textfile collector
    Prometheus(PrometheusArgs),
    /// Properties ID_ZINSPECT_* of one device, for udev's IMPORT{program}; ends with status 0 whatever it finds of
    /// the device
    Udev(UdevArgs),
}

/// Metrics.
#[derive(Debug, Args)]
pub struct PrometheusArgs {
    /// File to write whole, through a hidden file beside it, mode 0644; standard output without one
    #[arg(short, long, value_name = "FILE.prom")]
    pub output: Option<PathBuf>,
    /// Which series there are.
    #[command(flatten)]
    pub series: SeriesArgs,
}

/// Properties.
#[derive(Debug, Args)]
pub struct UdevArgs {
    /// The device: its node, as udev has it in $devnode
    #[arg(value_name = "DEVNODE")]
    pub node: OsString,
    /// Send commands to the device as well (Identify, VPD pages); without it sysfs alone is read
    #[arg(long)]
    pub commands: bool,
}

/// Which series there are.
#[derive(Debug, Clone, Copy, Args)]
pub struct SeriesArgs {
    /// Every number of the queue, beyond the at most 25 series of a device
    #[arg(long)]
    pub all_limits: bool,
    /// Partitions as well, which share the queue of their disk
    #[arg(long)]
    pub partitions: bool,
    /// Devices that nobody asks about as well: unbound loop and nbd, RAM disks, empty zram
    #[arg(short, long)]
    pub all: bool,
}

/// Serving.
#[cfg(feature = "serve")]
#[derive(Debug, Clone, Copy, Args)]
pub struct ServeArgs {
    /// Address to listen on, where systemd hands over no socket
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:9984")]
    pub listen: std::net::SocketAddr,
    /// Seconds for which a collection is answered again before sysfs is read anew
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub max_age: u64,
    /// Seconds that a scrape waits for a collection before it is answered 503
    #[arg(long, value_name = "SECONDS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub time_limit: u64,
    /// Which series there are.
    #[command(flatten)]
    pub series: SeriesArgs,
}

/// Watching.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Devices that are there: kernel name, path or MAJ:MIN; without one every device, those that come too
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Seconds between two looks: the kernel tells of no limit that changes
    #[arg(short, long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub interval: u64,
    /// An object for each line
    #[arg(long)]
    pub ndjson: bool,
    /// After a limit changed, ask the kernel for a change event, so that udev's properties follow (root)
    #[arg(long)]
    pub trigger: bool,
    /// End after so many looks
    #[arg(long, value_name = "NUMBER")]
    pub looks: Option<u64>,
}
