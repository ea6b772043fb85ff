"""What zinspect says of paths that lead to nothing that has an answer: exit status, error, and what to do."""

from stage import Stage

# Name -> what the error of `zinspect PATH` and of `zinspect extents PATH` must hold.
ERRORS = {
    "dangling": ("is a link to /nonexistent/x, which is not there (ENOENT (2)", None),
    "round": ("ELOOP (40)", None),
    "fifo": ("is a FIFO: fallocate answers ESPIPE (29)", "is a FIFO; extents are those of regular files"),
    "char": ("is a character device: fallocate answers ENODEV (19)", "is a character device; extents"),
    "socket": ("is a socket: it cannot be opened (ENXIO)", "is a socket; extents"),
    "long": ("ENAMETOOLONG (36)", None),
    "stale": ("ESTALE (116)", None),
    "eio": ("EIO (5)", None),
    "denied": ("EACCES (13)", None),
    "no-server": ("ENOTCONN (107)", None),
}
ADVICE = {"stale": "mount it anew", "no-server": "umount -l", "eio": "dmesg"}


def hold(stage: Stage, checks):
    served = stage.status("bad-stale") is not None
    for name, (says, of_extents) in ERRORS.items():
        if not served and name in ("stale", "eio", "denied", "no-server"):
            continue
        for run in ("", "-extents", "-plain", "-plain-extents"):
            wanted = of_extents if "extents" in run and of_extents else says
            refused(stage, checks, f"bad-{name}{run}", wanted)
        if name in ADVICE:
            checks.true("advice", name, ADVICE[name] in stage.text(f"bad-{name}.err"), stage.text(f"bad-{name}.err"))
    # The superuser may, a plain user may not and is told so.
    checks.equal("private", "root", 0, stage.status("bad-private"))
    refused(stage, checks, "bad-private-plain", "EACCES (13)")
    refused(stage, checks, "bad-private-plain-extents", "EACCES (13)")
    refused(stage, checks, "bad-pid", "is process")
    refused(stage, checks, "bad-pid-extents", "is process")
    for name in ("bad-odd", "bad-odd-extents"):
        files = (stage.json(name) or {}).get("files") or [{}]
        checks.true(name, "path", files[0].get("path", "").endswith("odd\\xff\\x1b[31m"), files[0].get("path"))
    unmounted(stage, checks)
    pulled(stage, checks)


def refused(stage: Stage, checks, name: str, says: str):
    """Nothing on standard output, no panic, and the words."""
    error = stage.text(f"{name}.err")
    checks.equal(name, "exit code", 32, stage.status(name))
    checks.equal(name, "standard output", "", stage.text(f"{name}.out"))
    checks.true(name, says, says in error and "panicked" not in error, error)


def unmounted(stage: Stage, checks):
    """The file is there and the mount is not: no answer, and why."""
    files = (stage.json("bad-unmounted") or {}).get("files") or [{}]
    checks.equal("unmounted", "write zeroes", None, files[0].get("write_zeroes", {}).get("supported"))
    reasons = {one["field"]: one for one in files[0].get("unread", [])}
    checks.equal("unmounted", "mount", "malformed", reasons.get("mount", {}).get("status"))
    title = stage.text("bad-unmounted-page.out").partition("\n")[0]
    checks.true("unmounted", "title", "it was unmounted meanwhile" in title, title)
    checks.equal("unmounted", "extents", 0, stage.status("bad-unmounted-extents"))


def pulled(stage: Stage, checks):
    """The disk is gone under the filesystem: the file fails as it really does, and no limit is made up."""
    before = ((stage.json("pulled-before") or {}).get("files") or [{}])[0]
    disk = dict(line.split() for line in stage.text("../roles").splitlines())["pulled"]
    checks.equal("pulled", "before", [disk], before.get("devices"))
    for name in ("bad-pulled", "bad-pulled-new"):
        file = ((stage.json(name) or {}).get("files") or [{}])[0]
        checks.equal(name, "devices", None, file.get("devices"))
        reasons = {one["field"]: one["status"] for one in file.get("unread", [])}
        checks.equal(name, "devices", "unsupported", reasons.get("devices"))
        tried = stage.text(f"{name}.trial").strip()
        said = file.get("write_zeroes", {})
        fails = said.get("supported") is False and f"{said['call']} {said['errno']}"
        # Of a file that is still to be made it may stay open.
        if name == "bad-pulled" or fails:
            checks.equal(name, "write zeroes", tried, fails)
