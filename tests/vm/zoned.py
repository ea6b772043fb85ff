"""Metadata of dm-zoned, which Debian has no tool to write: an empty device, with every chunk unmapped.

Layout: struct dmz_super and dm-zoned-metadata.c of the kernel, version 1. The second copy is left out: the driver
makes it from the first.
"""

import struct
import zlib

BLOCK = 4096
MAGIC = int.from_bytes(b"DZBD", "big")
UNMAPPED = b"\xff" * BLOCK
ENTRIES_A_BLOCK = BLOCK // 8
RESERVED_ZONES = 2


def metadata(zones: int, zone_bytes: int) -> bytes:
    """For a device of that many zones, the first of them conventional, to be written at its begin."""
    bitmap_blocks = zones * max(1, zone_bytes // BLOCK // (8 * BLOCK))
    # Twice the metadata, each in a zone of its own.
    chunks = zones - 2 - RESERVED_ZONES
    map_blocks = -(-chunks // ENTRIES_A_BLOCK)
    whole = 1 + map_blocks + bitmap_blocks
    assert whole * BLOCK <= zone_bytes, "the metadata does not fit one zone"
    return super_block(whole, chunks, map_blocks, bitmap_blocks) + UNMAPPED * map_blocks + bytes(BLOCK * bitmap_blocks)


def super_block(whole: int, chunks: int, map_blocks: int, bitmap_blocks: int) -> bytes:
    generation = 1

    def with_sum(checksum: int) -> bytes:
        fields = struct.pack("<IIQQIIIIII", MAGIC, 1, generation, 0, whole, RESERVED_ZONES, chunks, map_blocks,
                             bitmap_blocks, checksum)
        return fields.ljust(BLOCK, b"\0")

    # The kernel's crc32_le takes its start as it is, and inverts nothing.
    inverted = 0xffffffff
    return with_sum(zlib.crc32(with_sum(0), generation ^ inverted) ^ inverted)
