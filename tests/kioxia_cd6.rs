//! The case that zinspect began with: a Kioxia CD6 reports `dlfeat : 25`, sysfs says 8388608, and somebody must know
//! what the two mean together. DLFEAT, MDTS and the limit are those of a real KCD61LUL7T68.

use std::fs;
use std::os::unix::fs::symlink;

use zinspect::facts::collect::Collector;
use zinspect::facts::needs::Needs;
use zinspect::facts::walk;
use zinspect::model::ids::KName;
use zinspect::source::command::{Command, CommandError, Commands, Node, Reply};
use zinspect::source::root::Root;
use zinspect::source::{Host, Source};
use zinspect::verdict::Judge;
use zinspect::verdict::judgement::{self, Agreement, Judgement, Zeroing};

/// A controller with Write Zeroes and an MDTS of 8 MiB, and a namespace of 512-byte blocks.
struct Kioxia {
    dlfeat: u8,
    oncs: u8,
    status: u16,
    wzsl: Result<u8, CommandError>,
}

impl Commands for Kioxia {
    fn command(&self, _node: &Node, command: &Command) -> Result<Reply, CommandError> {
        let Command::NvmeIdentify(identify) = command else {
            return Err(CommandError::NotAsked("not of this device"));
        };
        let mut data = vec![0_u8; 4096];
        match identify.cns {
            0x00 => {
                let blocks = 15_002_931_888_u64.to_le_bytes();
                data[0..8].copy_from_slice(&blocks);
                data[8..16].copy_from_slice(&blocks);
                data[33] = self.dlfeat;
                data[130] = 9;
            }
            0x01 => {
                data[77] = 11;
                data[80..84].copy_from_slice(&0x0001_0400_u32.to_le_bytes());
                data[520] = self.oncs;
            }
            _ => data[0..2].copy_from_slice(&[0, self.wzsl.clone()?]),
        }
        Ok(Reply::Nvme {
            status: self.status,
            data,
        })
    }
}

fn judged(device: Kioxia, limits: [u64; 3]) -> Judgement {
    let dir = tempfile::TempDir::new().expect("temporary folder");
    let write = |path: &str, value: &str| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, format!("{value}\n")).expect("file");
    };
    let disk = "sys/devices/pci0000:00/0000:00:03.0/nvme/nvme5/nvme5n1";
    for (name, value) in [
        ("dev", "259:7"),
        ("size", "15002931888"),
        ("ro", "0"),
        ("nsid", "1"),
    ] {
        write(&format!("{disk}/{name}"), value);
    }
    write(
        "sys/devices/pci0000:00/0000:00:03.0/nvme/nvme5/dev",
        "241:5",
    );
    write(
        "sys/devices/pci0000:00/0000:00:03.0/nvme/nvme5/quirks",
        "none",
    );
    let names = [
        "write_zeroes_max_bytes",
        "write_zeroes_unmap_max_hw_bytes",
        "write_zeroes_unmap_max_bytes",
    ];
    for (name, value) in names.iter().zip(limits) {
        write(&format!("{disk}/queue/{name}"), &value.to_string());
    }
    write(&format!("{disk}/queue/logical_block_size"), "512");
    write(&format!("{disk}/queue/max_hw_sectors_kb"), "8192");
    write("proc/sys/kernel/osrelease", "7.3.4");
    fs::create_dir_all(dir.path().join("sys/class/block")).expect("class");
    let target = format!("../../{}", disk.strip_prefix("sys/").expect("below sys"));
    symlink(target, dir.path().join("sys/class/block/nvme5n1")).expect("link");

    let files = Box::new(Root::captured(dir.path()).expect("root"));
    let host = Host {
        files,
        commands: Box::new(device),
        source: Source::Sysroot,
    };
    let collector = Collector::new(&host, Needs::VERDICT);
    let kname = KName::new("nvme5n1").expect("name");
    let collected = walk::with_stacks(&collector, std::slice::from_ref(&kname));
    assert_eq!(collected.missing, []);
    let judge = Judge::new(&collected.topology, &collector.kernel);
    judgement::judge(&judge, collected.topology.get(&kname).expect("read"))
}

const HONEST: Kioxia = Kioxia {
    dlfeat: 25,
    oncs: 0x5f,
    status: 0,
    wzsl: Ok(0),
};

#[test]
fn dlfeat_25_and_8_mib_mean_zeroes_by_deallocating_with_guard_crc() {
    let found = judged(HONEST, [8_388_608; 3]);
    assert_eq!(found.verdict.zeroing, Zeroing::Unmap);
    assert_eq!(found.verdict.max_bytes, Some(8_388_608));
    assert_eq!(found.agreement, Agreement::Agree);
    assert_eq!(
        found.verdict.summary,
        "zeroes by deallocating, 8 MiB a command: DLFEAT 25: deallocated blocks read as zeroes, \
         Write Zeroes can deallocate (DEAC), guard CRC"
    );
    assert!(found.verdict.conflicts.is_empty());
}

#[test]
fn a_user_limit_of_0_is_named_with_the_way_back() {
    let found = judged(HONEST, [8_388_608, 8_388_608, 0]);
    assert_eq!(found.verdict.zeroing, Zeroing::Offload);
    assert_eq!(
        found.agreement,
        Agreement::Agree,
        "lowered by the user is agreed with"
    );
    let conflict = found.verdict.conflicts.first().expect("conflict");
    assert_eq!(conflict.rule, "user-limit");
    let advice = conflict.advice.as_deref().expect("advice");
    assert!(advice.contains("echo 8388608 > /sys/devices/"), "{advice}");
}

#[test]
fn a_runtime_disable_is_not_taken_for_a_limit() {
    let found = judged(HONEST, [0, 8_388_608, 0]);
    assert_eq!(found.verdict.zeroing, Zeroing::Software);
    assert_eq!(found.verdict.max_bytes, Some(0));
    assert_eq!(found.agreement, Agreement::Differ);
    let rules: Vec<&str> = found
        .verdict
        .conflicts
        .iter()
        .map(|conflict| conflict.rule)
        .collect();
    assert_eq!(rules, ["runtime-disabled"]);
}

#[test]
fn what_identify_says_now_wins_over_stale_limits() {
    let found = judged(
        Kioxia {
            dlfeat: 1,
            ..HONEST
        },
        [8_388_608; 3],
    );
    assert_eq!(
        found.verdict.zeroing,
        Zeroing::Offload,
        "the weaker of the two"
    );
    assert_eq!(found.agreement, Agreement::Differ);
    assert_eq!(
        found
            .verdict
            .conflicts
            .first()
            .map(|conflict| conflict.rule),
        Some("unmap-limit-kept")
    );
}

#[test]
fn a_refused_identify_is_a_refusal_and_not_zeroes() {
    let found = judged(
        Kioxia {
            status: 0x4002,
            ..HONEST
        },
        [8_388_608; 3],
    );
    assert_eq!(found.agreement, Agreement::NotPredicted);
    assert_eq!(
        found.verdict.zeroing,
        Zeroing::Unmap,
        "the kernel's numbers are there and consistent"
    );
    assert!(
        found.verdict.because.contains("Invalid Field in Command"),
        "{}",
        found.verdict.because
    );
}

#[test]
fn without_write_zeroes_in_oncs_there_is_nothing_to_deallocate_with() {
    let found = judged(
        Kioxia {
            oncs: 0x57,
            ..HONEST
        },
        [0; 3],
    );
    assert_eq!(found.verdict.zeroing, Zeroing::Software);
    assert_eq!(found.agreement, Agreement::Agree);
    assert!(
        found.verdict.because.contains("ONCS bit 3 is clear"),
        "{}",
        found.verdict.because
    );
}

#[test]
fn wzsl_sets_the_limit_and_unread_it_is_not_0() {
    let found = judged(
        Kioxia {
            wzsl: Ok(8),
            ..HONEST
        },
        [1_048_576; 3],
    );
    assert_eq!(found.agreement, Agreement::Agree, "4 KiB << 8");
    let error = CommandError::Ioctl {
        errno: rustix::io::Errno::IO,
        path: "/dev/nvme5".into(),
        request: "NVME_IOCTL_ADMIN_CMD",
    };
    let found = judged(
        Kioxia {
            wzsl: Err(error),
            ..HONEST
        },
        [1_048_576; 3],
    );
    assert_eq!(found.agreement, Agreement::NotPredicted);
    assert_eq!(
        found.verdict.max_bytes,
        Some(1_048_576),
        "the kernel's number, not half of it"
    );
}

#[test]
fn the_losing_prediction_does_not_speak_for_the_verdict() {
    let found = judged(HONEST, [0, 0, 0]);
    assert_eq!(found.verdict.zeroing, Zeroing::Software);
    assert!(
        found
            .verdict
            .because
            .contains("switched zeroes commands off"),
        "{}",
        found.verdict.because
    );
}

#[test]
fn a_user_limit_does_not_explain_a_stale_unmap_limit() {
    let found = judged(
        Kioxia {
            dlfeat: 1,
            ..HONEST
        },
        [8_388_608, 8_388_608, 0],
    );
    let mut rules: Vec<&str> = found
        .verdict
        .conflicts
        .iter()
        .map(|conflict| conflict.rule)
        .collect();
    rules.sort_unstable();
    assert_eq!(rules, ["unmap-limit-kept", "user-limit"]);
}
