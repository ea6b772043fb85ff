"""A writer for the `newc` cpio format, which is what the kernel takes as an initramfs.

Own code instead of cpio(1), since it needs no root for the console node, makes every file
root's, and gives the same bytes for the same input.
"""

import stat


class Archive:
    def __init__(self, stream):
        self.stream = stream
        self.inode = 0
        self.folders = set()

    def folder(self, path: str, mode: int = 0o755):
        """A folder and those above it, each once."""
        path = path.strip("/")
        if not path or path in self.folders:
            return
        if "/" in path:
            self.folder(path.rpartition("/")[0])
        self.folders.add(path)
        self._entry(path, stat.S_IFDIR | mode, b"")

    def file(self, path: str, data: bytes, mode: int = 0o644):
        self._parent(path)
        self._entry(path.strip("/"), stat.S_IFREG | mode, data)

    def link(self, path: str, target: str):
        self._parent(path)
        self._entry(path.strip("/"), stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, path: str, major: int, minor: int, mode: int):
        self._parent(path)
        self._entry(path.strip("/"), stat.S_IFCHR | mode, b"", (major, minor))

    def close(self):
        self._entry("TRAILER!!!", 0, b"")

    def _parent(self, path: str):
        self.folder(path.strip("/").rpartition("/")[0])

    def _entry(self, name: str, mode: int, data: bytes, device=(0, 0)):
        self.inode += 1
        encoded = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(encoded), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        # Header with name, and data, are each padded to four bytes.
        self.stream.write(header + encoded + b"\0" * (-(len(header) + len(encoded)) % 4))
        self.stream.write(data + b"\0" * (-len(data) % 4))
