use std::io::{Seek, Write};

use super::*;

fn file(written: &[(u64, usize)], size: u64) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    for (at, length) in written {
        file.seek(std::io::SeekFrom::Start(*at)).expect("seek");
        file.write_all(&vec![7; *length]).expect("write");
    }
    file.as_file().set_len(size).expect("a size");
    file.as_file().sync_all().expect("sync");
    file
}

#[test]
fn a_file_is_looked_at_through_links_and_stays_as_it_was() {
    let file = file(&[(0, 4096)], 1 << 20);
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(file.path(), &link).expect("a link");
    let inode = look(View::Own, &link).expect("a look");
    assert_eq!(inode.stat.node, NodeType::Regular);
    assert_eq!(inode.stat.size_bytes, 1 << 20);
    assert_eq!(
        inode.real.as_deref(),
        std::fs::canonicalize(file.path()).ok().as_deref()
    );
    assert_eq!(inode.closed(), None);
    assert!(is_link(&link) && !is_link(file.path()));
}

#[test]
fn data_and_holes_are_told_apart() {
    let file = file(&[(0, 1 << 16)], 1 << 20);
    let inode = look(View::Own, file.path()).expect("a look");
    let segments = inode.segments().expect("segments");
    assert_eq!(
        segments.iter().map(|segment| segment.length).sum::<u64>(),
        1 << 20
    );
    assert_eq!(
        segments
            .first()
            .map(|segment| (segment.start, segment.data)),
        Some((0, true))
    );
    // Where this machine's filesystem has FIEMAP, both must agree on where the file begins.
    if let Ok(extents) = inode.extents() {
        assert_eq!(extents.first().map(|extent| extent.logical), Some(0));
        assert!(extents.iter().all(|extent| extent.length > 0));
    }
}

#[test]
fn a_fifo_is_seen_and_not_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .expect("a fifo");
    let inode = look(View::Own, &path).expect("a look");
    assert_eq!(
        (inode.stat.node, inode.closed()),
        (NodeType::Fifo, Some(Errno::BADF))
    );
}

#[test]
fn what_is_not_there_is_an_error_with_its_number() {
    let look = |path: &str| look(View::Own, Path::new(path)).err();
    assert_eq!(look("/nonexistent/file"), Some(Errno::NOENT));
    assert_eq!(
        look(&format!("/{}", "x/".repeat(2048))),
        Some(Errno::NAMETOOLONG)
    );
    assert_eq!(look("/dev/null/file"), Some(Errno::NOTDIR));
}
