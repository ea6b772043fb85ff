use std::fmt::Write as _;

use proptest::prelude::*;
use rustix::io::Errno;

use super::*;
use crate::source::command::{DmLine, DmTargetVersion, NodeKind};
use crate::source::errno::parse_errno;
use crate::wire::nvme::command::Identify;
use crate::wire::scsi::cdb::ReadCdb;

const TEXT: &str = r"dm /dev/mapper/control c deps 253:0
dep 8:16
dep 8:32

dm /dev/mapper/control c table 253:0
flags 20
line 0 65536 linear 8:16 0
line 65536 8 error

dm /dev/mapper/control c targets
target linear 1.4.0
target striped 1.6.0

dm /dev/mapper/control c version
version 4.50.0

nvme /dev/nvme0 c240:0 identify cns=01 nsid=0 csi=00
status 4002
data 0

nvme /dev/nvme0n1 b259:0 identify cns=00 nsid=1 csi=00
status 0000
data 64
*
0010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 19
*

scsi /dev/sda b8:0 12 01 b2 00 40 00 # INQUIRY (VPD)
status 02 host 0000 driver 0008
sense 70 00 05 00 00 00 00 0a 00 00 00 00 24 00 00 00 00 00
data 0

scsi /dev/sda b8:0 9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00 # READ CAPACITY (16)
status 00 host 0000 driver 0000
data 2
0000: 00 01

scsi /dev/sdb b8:16 12 00 00 00 24 00 # INQUIRY
error ioctl ENOTTY SG_IO

scsi /dev/sdc b8:32 12 00 00 00 24 00 # INQUIRY
error node its number is 8:48, not 8:32

scsi /dev/sdd b8:48 12 00 00 00 24 00 # INQUIRY
error open EACCES
";

#[test]
fn a_transcript_reads_and_writes_back_as_it_was() {
    let transcript = Transcript::parse(TEXT).unwrap();
    assert_eq!(transcript.len(), 11);
    assert_eq!(transcript.to_string(), TEXT);

    let node = Node::block("/dev/nvme0n1", (259, 0));
    let identify = Command::NvmeIdentify(Identify {
        cns: 0,
        nsid: 1,
        csi: 0,
    });
    let mut data = vec![0; 64];
    data[31] = 0x19;
    assert_eq!(
        transcript.get(&node, &identify).unwrap().answer,
        Ok(Reply::Nvme { status: 0, data })
    );

    let node = Node::block("/dev/sdd", (8, 48));
    let path = "/dev/sdd".to_owned();
    assert_eq!(
        transcript
            .get(&node, &Command::Scsi(ReadCdb::inquiry(36)))
            .unwrap()
            .answer,
        Err(CommandError::Open {
            errno: Errno::ACCESS,
            path
        })
    );
}

#[test]
fn the_order_of_exchanges_comments_and_empty_lines_do_not_matter() {
    let mut blocks: Vec<&str> = TEXT.split("\n\n").collect();
    blocks.reverse();
    let text = format!(
        "# a comment\n\n\n{}\n\n\n",
        blocks.join("\n\n# another\n\n\n")
    );
    assert_eq!(Transcript::parse(&text).unwrap().to_string(), TEXT);
    assert_eq!(Transcript::parse("").unwrap().to_string(), "");
    assert_eq!(Transcript::parse("# nothing\n").unwrap().len(), 0);
}

#[test]
fn an_error_says_which_line() {
    let line = |text: &str| Transcript::parse(text).unwrap_err();
    let error =
        line("# x\n\ndm /dev/mapper/control c table 253:0\nflags 20\nline 0 x linear 8:16 0\n");
    assert_eq!(
        error.to_string(),
        "line 5 of the transcript: \"x\" is no number, or too large"
    );
    assert_eq!(line("nvme /dev/nvme0\n").line, 1);
    let twice = "dm /d c version\nversion 4.0.0\n\ndm /d c version\nversion 4.0.0\n";
    assert_eq!(
        line(twice).to_string(),
        "line 5 of the transcript: dm /d version has an answer already"
    );
}

#[test]
fn what_is_malformed_is_refused() {
    let nvme = "nvme /dev/nvme0 c240:0 identify cns=01 nsid=0 csi=00\n";
    let scsi = "scsi /dev/sda b8:0 12 00 00 00 24 00\n";
    let table = "dm /dev/mapper/control c table 253:0\n";
    for text in [
        "what /dev/sda b8:0 12 00 00 00 24 00\n".to_owned(),
        "nvme /dev/nvme0 x240:0 identify cns=01 nsid=0 csi=00\nstatus 0000\ndata 0\n".to_owned(),
        "nvme /dev/nvme0 c240 identify cns=01 nsid=0 csi=00\nstatus 0000\ndata 0\n".to_owned(),
        "nvme /dev/nvme0 c240:0 identify cns=101 nsid=0 csi=00\nstatus 0000\ndata 0\n".to_owned(),
        "nvme /dev/nvme0 c240:0 format cns=01 nsid=0 csi=00\nstatus 0000\ndata 0\n".to_owned(),
        "dm /dev/mapper/control c remove 253:0\n".to_owned(),
        // WRITE SAME (16) and UNMAP can't be expressed.
        "scsi /dev/sda b8:0 93 08 00 00 00 00 00 00 00 00 00 00 00 08 00 00\n".to_owned(),
        "scsi /dev/sda b8:0 42 00 00 00 00 00 00 00 18 00\n".to_owned(),
        nvme.to_owned(),
        format!("{nvme}status 10000\ndata 0\n"),
        format!("{nvme}status 0000\n"),
        format!("{nvme}status 0000\ndata 16\n"),
        format!("{nvme}status 0000\ndata 18446744073709551615\n*\n"),
        format!("{nvme}status 0000\ndata 1048577\n*\n"),
        format!("{nvme}status 0000\ndata 0\nwhat\n"),
        format!("{scsi}status 00\ndata 0\n"),
        format!("{scsi}status 000 host 0 driver 0\ndata 0\n"),
        format!("{scsi}error what EIO\n"),
        format!("{scsi}error open EWHAT\n"),
        format!("{scsi}error ioctl EIO BLKDISCARD\n"),
        format!("{scsi}error open EIO\nstatus 00 host 0 driver 0\ndata 0\n"),
        format!("{table}line 0 8 zero\n"),
        format!("{table}flags 20\nline 0 8\n"),
        format!("{table}flags 20\nline 0 8 zero\ndep 8:16\n"),
        format!("{table}flags 20\nline 0 8 zero \\u{{d800}}\n"),
        format!("{table}flags 20\nline 0 8 zero \\x\n"),
    ] {
        assert!(Transcript::parse(&text).is_err(), "{text}");
    }
}

#[test]
fn the_size_of_all_data_is_limited() {
    let mut text = String::new();
    for nsid in 0..=(MAX_TOTAL_DATA / MAX_DATA) {
        writeln!(text, "nvme /dev/n c identify cns=00 nsid={nsid} csi=00").unwrap();
        writeln!(text, "status 0000\ndata {MAX_DATA}\n*\n").unwrap();
    }
    let error = Transcript::parse(&text).unwrap_err();
    assert!(error.why.contains("in all"), "{error}");
    let error = Transcript::parse(&"#\n".repeat(MAX_TEXT)).unwrap_err();
    assert!(error.why.contains("longer"), "{error}");
}

#[test]
fn text_of_any_kind_stays_on_its_line() {
    let line = DmLine {
        start: 0,
        length: 8,
        target: String::new(),
        params: " a\nb\\ \u{1b}[31m\u{202e}é  ".to_owned(),
    };
    let transcript: Transcript = [Exchange {
        node: Node {
            path: "/dev/a b\n".to_owned(),
            devno: None,
            kind: NodeKind::Char,
        },
        command: Command::DmTable { devno: (1, 2) },
        answer: Ok(Reply::DmTable {
            flags: 0,
            lines: vec![line],
        }),
    }]
    .into_iter()
    .collect();
    let text = transcript.to_string();
    assert_eq!(
        text,
        "dm /dev/a\\u{20}b\\u{a} c table 1:2\nflags 0\n\
         line 0 8 \\u{} \\u{20}a\\u{a}b\\\\ \\u{1b}[31m\\u{202e}\\u{e9}\\u{20}\\u{20}\n"
    );
    assert_eq!(Transcript::parse(&text), Ok(transcript));
}

#[test]
fn an_answer_to_another_command_is_not_kept() {
    let mut transcript = Transcript::default();
    let (node, command) = (Node::dm_control(), Command::DmVersion);
    let answer = Ok(Reply::DmDeps(Vec::new()));
    transcript.insert(Exchange {
        node: node.clone(),
        command: command.clone(),
        answer,
    });
    let answer = Err(CommandError::NotAsked("--no-ioctl"));
    transcript.insert(Exchange {
        node: node.clone(),
        command: command.clone(),
        answer,
    });
    assert!(transcript.is_empty());
    for version in [[4, 1, 0], [4, 2, 0]] {
        let answer = Ok(Reply::DmVersion(version));
        transcript.insert(Exchange {
            node: node.clone(),
            command: command.clone(),
            answer,
        });
    }
    // The first answer is the one that was used.
    assert_eq!(
        transcript.get(&node, &command).unwrap().answer,
        Ok(Reply::DmVersion([4, 1, 0]))
    );
}

fn nodes() -> impl Strategy<Value = Node> {
    let kind = prop_oneof![Just(NodeKind::Block), Just(NodeKind::Char)];
    (
        "\\PC{0,12}|/dev/[a-z]{1,6}",
        any::<Option<(u32, u32)>>(),
        kind,
    )
        .prop_map(|(path, devno, kind)| Node { path, devno, kind })
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop_oneof![3 => Just(0_u8), 1 => any::<u8>()], 0..80)
}

fn errors(path: String) -> impl Strategy<Value = CommandError> {
    let names = [
        "NVME_IOCTL_ADMIN_CMD",
        "SG_IO",
        "DM_VERSION",
        "DM_TABLE_STATUS",
    ];
    let errno = (1..4096_i32).prop_map(|number| parse_errno(&number.to_string()).unwrap());
    let request = proptest::sample::select(names.to_vec());
    (0..4, errno, request, any::<String>()).prop_map(move |(which, errno, request, why)| {
        let path = path.clone();
        match which {
            0 => CommandError::Open { errno, path },
            1 => CommandError::Ioctl {
                errno,
                path,
                request,
            },
            2 => CommandError::WrongNode { path, why },
            _ => CommandError::Malformed { path, request, why },
        }
    })
}

fn lines() -> impl Strategy<Value = Vec<DmLine>> {
    let line = (any::<u64>(), any::<u64>(), any::<String>(), any::<String>()).prop_map(
        |(start, length, target, params)| DmLine {
            start,
            length,
            target,
            params,
        },
    );
    proptest::collection::vec(line, 0..4)
}

fn commands() -> impl Strategy<Value = (Command, Reply)> {
    let devno = || any::<(u32, u32)>();
    let targets = proptest::collection::vec((any::<String>(), any::<[u32; 3]>()), 0..4);
    prop_oneof![
        (any::<(u8, u32, u8)>(), any::<u16>(), data()).prop_map(
            |((cns, nsid, csi), status, data)| {
                (
                    Command::NvmeIdentify(Identify { cns, nsid, csi }),
                    Reply::Nvme { status, data },
                )
            }
        ),
        (any::<(u8, u16, u8, u16, u16)>(), data(), data()).prop_map(|(numbers, sense, data)| {
            let (page, len, status, host_status, driver_status) = numbers;
            let reply = Reply::Scsi {
                status,
                host_status,
                driver_status,
                sense,
                data,
            };
            (Command::Scsi(ReadCdb::vpd(page, len)), reply)
        }),
        any::<[u32; 3]>().prop_map(|version| (Command::DmVersion, Reply::DmVersion(version))),
        targets.prop_map(|targets| {
            let target = |(name, version)| DmTargetVersion { name, version };
            (
                Command::DmTargets,
                Reply::DmTargets(targets.into_iter().map(target).collect()),
            )
        }),
        (devno(), any::<u32>(), lines()).prop_map(|(devno, flags, lines)| {
            (Command::DmTable { devno }, Reply::DmTable { flags, lines })
        }),
        (devno(), any::<u32>(), lines()).prop_map(|(devno, flags, lines)| {
            (
                Command::DmStatus { devno },
                Reply::DmStatus { flags, lines },
            )
        }),
        (devno(), proptest::collection::vec(devno(), 0..4))
            .prop_map(|(devno, deps)| (Command::DmDeps { devno }, Reply::DmDeps(deps))),
    ]
}

fn exchanges() -> impl Strategy<Value = Exchange> {
    (nodes(), commands()).prop_flat_map(|(node, (command, reply))| {
        let failed = errors(node.path.clone()).prop_map(Err);
        prop_oneof![3 => Just(Ok(reply)), 1 => failed].prop_map(move |answer| Exchange {
            node: node.clone(),
            command: command.clone(),
            answer,
        })
    })
}

proptest! {
    #[test]
    fn every_transcript_reads_back(list in proptest::collection::vec(exchanges(), 0..6)) {
        let transcript: Transcript = list.iter().cloned().collect();
        let text = transcript.to_string();
        prop_assert_eq!(Transcript::parse(&text), Ok(transcript));
        // The order in which they came does not show, unless two answer the same command.
        let backwards: Transcript = list.iter().rev().cloned().collect();
        if backwards.len() == list.len() {
            prop_assert_eq!(backwards.to_string(), text);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,200}", at in 0..TEXT.len(), with in any::<char>()) {
        let _ = Transcript::parse(&text);
        let broken = format!("{}{with}{}", &TEXT[..at], &TEXT[at..]);
        let _ = Transcript::parse(&broken);
        let cut = &TEXT[..at];
        let _ = Transcript::parse(cut);
    }
}
