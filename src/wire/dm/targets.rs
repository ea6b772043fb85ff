//! The arguments of each target type: Documentation/admin-guide/device-mapper, and the `ctr` and
//! `status` functions in drivers/md where they say more (Linux 7.3).

mod stores;

use super::args::Args;
use super::table::{Details, DeviceId, DeviceRef, PathGroup, Role, TableError};

/// What a target's arguments say.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) devices: Vec<DeviceRef>,
    pub(super) options: Vec<String>,
    pub(super) details: Details,
}

impl Parsed {
    fn new() -> Self {
        Self {
            devices: Vec::new(),
            options: Vec::new(),
            details: Details::Plain,
        }
    }

    fn device(&mut self, args: &mut Args<'_>, name: &str, role: Role) -> Result<()> {
        let device = args.device_id(name)?;
        self.devices.push(DeviceRef {
            device,
            role,
            offset: None,
        });
        Ok(())
    }

    /// `<device> <offset>`
    fn extent(&mut self, args: &mut Args<'_>, name: &str, role: Role) -> Result<()> {
        let device = args.device_id(name)?;
        let offset = Some(args.number(&format!("offset on the {name}"))?);
        self.devices.push(DeviceRef {
            device,
            role,
            offset,
        });
        Ok(())
    }
}

type Result<T> = std::result::Result<T, TableError>;

/// Parses the arguments of a target type; an unknown type has no devices and no error.
pub(super) fn parse(name: &str, args: &mut Args<'_>) -> Result<Parsed> {
    let mut parsed = Parsed::new();
    let to = &mut parsed;
    match name {
        "zero" => args.end()?,
        "error" if args.len() == 0 => {}
        "linear" | "error" => {
            to.extent(args, "device", Role::Data)?;
            args.end()?;
        }
        "striped" => striped(to, args)?,
        "unstriped" => unstriped(to, args)?,
        "multipath" => multipath(to, args)?,
        "crypt" | "inlinecrypt" => crypt(to, args, false)?,
        "default-key" => crypt(to, args, true)?,
        "thin" => stores::thin(to, args)?,
        "thin-pool" => stores::thin_pool(to, args)?,
        "snapshot" | "snapshot-merge" => stores::snapshot(to, args)?,
        "snapshot-origin" => to.device(args, "origin device", Role::Origin)?,
        "cache" => stores::cache(to, args)?,
        "writecache" => stores::writecache(to, args)?,
        "mirror" => mirror(to, args)?,
        "raid" => raid(to, args)?,
        "integrity" => integrity(to, args)?,
        "verity" => verity(to, args)?,
        "era" => stores::era(to, args)?,
        "clone" => stores::clone(to, args)?,
        "delay" => delay(to, args)?,
        "flakey" => flakey(to, args)?,
        "dust" | "ebs" => to.extent(args, "device", Role::Data)?,
        "switch" => switch(to, args)?,
        "log-writes" => {
            to.device(args, "device", Role::Data)?;
            to.device(args, "log device", Role::Log)?;
        }
        "zoned" => zoned(to, args)?,
        "vdo" => vdo(to, args)?,
        "pcache" => {
            to.device(args, "cache device", Role::Cache)?;
            to.device(args, "backing device", Role::Data)?;
            to.options = args.optional_group("feature argument")?;
        }
        _ => {}
    }
    Ok(parsed)
}

/// `<stripes> <chunk> {<device> <offset>}`
fn striped(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    let stripes = args.number("number of stripes")?;
    let chunk_sectors = args.number("chunk size")?;
    for stripe in 1..=stripes {
        to.extent(args, &format!("device of stripe {stripe}"), Role::Data)?;
    }
    to.details = Details::Striped {
        stripes,
        chunk_sectors,
    };
    args.end()
}

/// `<stripes> <chunk> <stripe> <device> <offset>`
fn unstriped(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    let stripes = args.number("number of stripes")?;
    let chunk_sectors = args.number("chunk size")?;
    let stripe = args.number("stripe")?;
    to.details = Details::Unstriped {
        stripes,
        chunk_sectors,
        stripe,
    };
    to.extent(args, "device", Role::Data)?;
    args.end()
}

/// `<n> <features> <n> <handler> <groups> <next> {<selector> <n> <words> <paths> <n> {<device>
/// <words>}}`
fn multipath(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.options = args.group("feature argument")?;
    let handler = args.group("hardware handler argument")?;
    let count = args.count("number of path groups")?;
    args.first_of(count, "path group to begin with")?;
    let mut groups = Vec::new();
    for group in 1..=count {
        let selector = args
            .word(&format!("path selector of group {group}"))?
            .to_owned();
        args.group("selector argument")?;
        let paths = args.some(&format!("number of paths of group {group}"))?;
        let words = args.count(&format!("number of path arguments of group {group}"))?;
        let mut devices = Vec::new();
        for path in 1..=paths {
            to.device(args, &format!("path {path} of group {group}"), Role::Path)?;
            devices.extend(to.devices.last().map(|path| path.device.clone()));
            for word in 1..=words {
                args.word(&format!("argument {word} of path {path} of group {group}"))?;
            }
        }
        groups.push(PathGroup {
            selector,
            paths: devices,
        });
    }
    to.details = Details::Multipath { handler, groups };
    args.end()
}

/// `<cipher> <key> <iv offset> <device> <offset> [<n> <options>]`
///
/// inlinecrypt reports one word more than it takes, the type of the key, before the IV offset
/// (`inlinecrypt_status`); dm-default-key may leave the IV offset out.
fn crypt(to: &mut Parsed, args: &mut Args<'_>, iv_offset_optional: bool) -> Result<()> {
    let cipher = args.word("cipher")?.to_owned();
    args.word("key")?;
    let is_device = |ahead| args.peek(ahead).and_then(DeviceId::parse).is_some();
    let key_type = !is_device(1) && is_device(2);
    let no_iv_offset = iv_offset_optional && is_device(0);
    if key_type {
        args.word("key type")?;
    }
    let iv_offset = if no_iv_offset {
        0
    } else {
        args.number("IV offset")?
    };
    to.details = Details::Crypt { cipher, iv_offset };
    to.extent(args, "device", Role::Data)?;
    to.options = args.optional_group("option")?;
    Ok(())
}

/// `<log type> <n> <log words> <mirrors> {<device> <offset>} [<n> <features>]`
fn mirror(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    let mut log = vec![args.word("log type")?.to_owned()];
    log.extend(args.group("log argument")?);
    if let [kind, device, ..] = log.as_slice()
        && kind.ends_with("disk")
        && let Some(device) = DeviceId::parse(device)
    {
        to.devices.push(DeviceRef {
            device,
            role: Role::Log,
            offset: None,
        });
    }
    to.details = Details::Mirror { log };
    let mirrors = args.count("number of mirrors")?;
    for mirror in 1..=mirrors {
        to.extent(args, &format!("device of mirror {mirror}"), Role::Data)?;
    }
    to.options = args.optional_group("feature argument")?;
    Ok(())
}

/// `<level> <n> <chunk> <parameters> <members> {<metadata|-> <data|->}`
fn raid(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    let level = args.word("raid level")?.to_owned();
    let parameters = args.count("number of parameters")?;
    let chunk_sectors = if parameters > 0 {
        args.number("chunk size")?
    } else {
        0
    };
    for parameter in 2..=parameters {
        let word = args.word(&format!("parameter {parameter} of {parameters}"))?;
        if to.options.last().is_some_and(|name| name == "journal_dev")
            && let Some(device) = DeviceId::parse(word)
        {
            to.devices.push(DeviceRef {
                device,
                role: Role::Log,
                offset: None,
            });
        }
        to.options.push(word.to_owned());
    }
    let members = args.number("number of members")?;
    for member in 1..=members {
        for (part, role) in [("metadata", Role::Metadata), ("data", Role::Data)] {
            let name = format!("{part} device of member {member}");
            if args.peek(0) == Some("-") {
                args.word(&name)?;
            } else {
                to.device(args, &name, role)?;
            }
        }
    }
    to.details = Details::Raid {
        level,
        chunk_sectors,
        members,
    };
    Ok(())
}

/// `<device> <offset> <tag size> <mode> [<n> <options>]`
fn integrity(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.extent(args, "device", Role::Data)?;
    let tag_bytes = if args.peek(0) == Some("-") {
        args.word("tag size")?;
        None
    } else {
        Some(args.number("tag size")?)
    };
    let mode = args.word("mode")?.to_owned();
    to.details = Details::Integrity { tag_bytes, mode };
    to.options = args.optional_group("option")?;
    let metadata = to
        .options
        .iter()
        .filter_map(|option| option.strip_prefix("meta_device:"));
    to.devices.extend(
        metadata
            .filter_map(DeviceId::parse)
            .map(|device| DeviceRef {
                device,
                role: Role::Metadata,
                offset: None,
            }),
    );
    Ok(())
}

/// `<version> <data> <hash> <data block> <hash block> <blocks> <hash start> <algorithm> <digest>
/// <salt> [<n> <options>]`
fn verity(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    args.number("version")?;
    to.device(args, "data device", Role::Data)?;
    to.device(args, "hash device", Role::Hash)?;
    let data_block_bytes = args.number("data block size")?;
    args.number("hash block size")?;
    let data_blocks = args.number("number of data blocks")?;
    args.number("first hash block")?;
    let algorithm = args.word("algorithm")?.to_owned();
    args.word("root digest")?;
    args.word("salt")?;
    to.details = Details::Verity {
        data_block_bytes,
        data_blocks,
        algorithm,
    };
    to.options = args.optional_group("option")?;
    let mut words = to
        .options
        .iter()
        .skip_while(|word| *word != "use_fec_from_device");
    if let Some(device) = words.nth(1).and_then(|word| DeviceId::parse(word)) {
        to.devices.push(DeviceRef {
            device,
            role: Role::Fec,
            offset: None,
        });
    }
    Ok(())
}

/// `<device> <offset> <delay>` once for all, or again for writes, and again for flushes
fn delay(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    for name in ["device", "device for writes", "device for flushes"] {
        if args.len() == 0 && !to.devices.is_empty() {
            break;
        }
        to.extent(args, name, Role::Data)?;
        args.number("delay")?;
    }
    args.end()
}

/// `<device> <offset> <up> <down> [<n> <features>]`
fn flakey(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.extent(args, "device", Role::Data)?;
    args.number("up interval")?;
    args.number("down interval")?;
    to.options = args.optional_group("feature argument")?;
    Ok(())
}

/// `<paths> <region> <n> <options> {<device> <offset>}`
fn switch(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    let paths = args.count("number of paths")?;
    args.number("region size")?;
    to.options = args.group("option")?;
    for path in 1..=paths {
        to.extent(args, &format!("device of path {path}"), Role::Path)?;
    }
    args.end()
}

/// `<device> {<device>}`
fn zoned(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "device", Role::Data)?;
    while args.len() > 0 {
        to.device(args, "zoned device", Role::Data)?;
    }
    Ok(())
}

/// `V4 <device> <sectors> <minimum I/O> <cache blocks> <era> {<name> <value>}`
fn vdo(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    args.word("table version")?;
    to.device(args, "storage device", Role::Data)?;
    while args.len() > 0 {
        to.options.push(args.word("option")?.to_owned());
    }
    Ok(())
}
