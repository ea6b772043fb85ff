//! Targets with a store beside the data: thin provisioning, snapshots, caches, era, clone.

use super::{Parsed, Result};
use crate::wire::dm::args::Args;
use crate::wire::dm::table::{Details, Role};

/// `<pool> <id> [<external origin>]`
pub(super) fn thin(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "pool device", Role::Pool)?;
    to.details = Details::Thin {
        device_id: args.number("device id")?,
    };
    if args.len() > 0 {
        to.device(args, "external origin device", Role::Origin)?;
    }
    Ok(())
}

/// `<metadata> <data> <block> <low water> [<n> <features>]`
pub(super) fn thin_pool(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "metadata device", Role::Metadata)?;
    to.device(args, "data device", Role::Data)?;
    let block_sectors = args.number("data block size")?;
    let low_water_blocks = args.number("low water mark")?;
    to.details = Details::ThinPool {
        block_sectors,
        low_water_blocks,
    };
    to.options = args.optional_group("feature argument")?;
    Ok(())
}

/// `<origin> <cow> <P|PO|N> <chunk> [<n> <features>]`
pub(super) fn snapshot(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "origin device", Role::Origin)?;
    to.device(args, "copy-on-write device", Role::Cow)?;
    let persistence = args.word("persistence")?.to_owned();
    let chunk_sectors = args.number("chunk size")?;
    to.details = Details::Snapshot {
        persistence,
        chunk_sectors,
    };
    to.options = args.optional_group("feature argument")?;
    Ok(())
}

/// `<metadata> <cache> <origin> <block> <n> <features> <policy> <n> <settings>`
pub(super) fn cache(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "metadata device", Role::Metadata)?;
    to.device(args, "cache device", Role::Cache)?;
    to.device(args, "origin device", Role::Origin)?;
    let block_sectors = args.number("block size")?;
    to.options = args.group("feature argument")?;
    let policy = args.word("policy")?.to_owned();
    to.details = Details::Cache {
        block_sectors,
        policy,
    };
    args.optional_group("policy argument")?;
    Ok(())
}

/// `<p|s> <origin> <cache> <block> [<n> <options>]`
pub(super) fn writecache(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    let kind = args.word("kind of cache")?.to_owned();
    to.device(args, "origin device", Role::Origin)?;
    to.device(args, "cache device", Role::Cache)?;
    let block_bytes = args.number("block size")?;
    to.details = Details::Writecache { kind, block_bytes };
    to.options = args.optional_group("option")?;
    Ok(())
}

/// `<metadata> <origin> <block>`
pub(super) fn era(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "metadata device", Role::Metadata)?;
    to.device(args, "origin device", Role::Origin)?;
    to.details = Details::Era {
        block_sectors: args.number("block size")?,
    };
    args.end()
}

/// `<metadata> <destination> <source> <region> [<n> <features> [<n> <settings>]]`
pub(super) fn clone(to: &mut Parsed, args: &mut Args<'_>) -> Result<()> {
    to.device(args, "metadata device", Role::Metadata)?;
    to.device(args, "destination device", Role::Data)?;
    to.device(args, "source device", Role::Source)?;
    to.details = Details::Clone {
        region_sectors: args.number("region size")?,
    };
    to.options = args.optional_group("feature argument")?;
    args.optional_group("core argument")?;
    Ok(())
}
