use super::super::plan::{Ask, Mode};
use super::super::target::Target;
use super::super::target::fixtures::disk;
use super::*;
use rustix::fd::AsFd;

/// A journal of a file that stands for a device of 4 MiB, each of its MiB filled with its own number.
fn kept(dir: &Path, name: &str) -> Kept {
    let image = dir.join("image");
    let bytes: Vec<u8> = (1..=4).flat_map(|n| vec![n; 1 << 20]).collect();
    std::fs::write(&image, bytes).expect("an image");
    let device = disk(4 << 20);
    let ask = Ask {
        methods: Vec::new(),
        range: Some(Span {
            offset: 0,
            length: 4 << 20,
        }),
        mode: Some(Mode::Preserve),
    };
    let plan = Plan::new(&Target::Device(Box::new(device.clone())), &ask).expect("a plan");
    let fd = File::open(&image).expect("opened");
    let own = dir.join("state.journal");
    let kept = keep(&plan, &device, fd.as_fd(), 7, &dir.join(name), &own);
    kept.expect("kept")
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let kept = Kept::open(path).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    kept.each(|_, bytes| {
        found.extend_from_slice(bytes);
        Ok(())
    })?;
    Ok(found)
}

#[test]
fn no_byte_that_a_checksum_does_not_vouch_for_is_given() {
    let dir = tempfile::tempdir().expect("a folder");
    let made = kept(dir.path(), "j");
    let whole = std::fs::read(made.path()).expect("read");
    assert_eq!(read(made.path()).expect("whole").len(), 4 << 20);
    let header = usize::try_from(made.data_at).expect("small");
    let refused = |bytes: &[u8], what: &str| {
        let path = dir.path().join("changed");
        std::fs::write(&path, bytes).expect("written");
        assert!(read(&path).is_err(), "{what}");
    };
    for cut in
        (0..header)
            .step_by(7)
            .chain([header, header + 3, header + 4, 1 << 20, whole.len() - 1])
    {
        refused(&whole[..cut], "cut");
    }
    refused(&[&whole[..], b"x"].concat(), "longer");
    let flipped = dir.path().join("flipped");
    std::fs::write(&flipped, &whole).expect("written");
    let file = File::options().write(true).open(&flipped).expect("opened");
    for flip in (0..header).chain((header..whole.len()).step_by(262_147)) {
        let at = flip as u64;
        file.write_all_at(&[whole[flip] ^ 1], at).expect("written");
        assert!(read(&flipped).is_err(), "flipped at {flip}");
        file.write_all_at(&[whole[flip]], at).expect("written");
    }
    assert!(read(&flipped).is_ok());
    let chunk = 4 + (1 << 20);
    let (first, second) = (header..header + chunk, header + chunk..header + 2 * chunk);
    let rest = &whole[second.end..];
    let swapped = [
        &whole[..header],
        &whole[second.clone()],
        &whole[first.clone()],
        rest,
    ];
    refused(&swapped.concat(), "two pieces changed places");
    let twice = [&whole[..header], &whole[first.clone()], &whole[first], rest];
    refused(&twice.concat(), "one piece twice");
    let mut other = made.header().clone();
    other.run += 1;
    let text = serde_json::to_vec(&other).expect("serialised");
    let length = u32::try_from(text.len()).expect("short").to_le_bytes();
    let sum = crc(&[&text]).to_le_bytes();
    let foreign = [&MAGIC[..], &length, &sum, &text, &whole[header..]];
    refused(&foreign.concat(), "another journal's pieces");
}

#[test]
fn a_journal_gives_its_own_bytes_whatever_takes_its_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let made = kept(dir.path(), "j");
    std::fs::remove_file(made.path()).expect("removed");
    std::fs::write(made.path(), "another run's journal").expect("written");
    let mut first = 0;
    made.each(|span, bytes| {
        first += u64::from(bytes[0]) << (span.offset >> 20 << 3);
        Ok(())
    })
    .expect("its own bytes");
    assert_eq!(first, 0x0403_0201);
    let error = made.remove().expect_err("not its own").to_string();
    assert!(error.contains("another file"), "{error}");
    assert!(made.path().exists());
}
