use std::process::Command;

use proptest::prelude::*;
use zerocopy::IntoBytes;

use super::command::{Identify, OFFSETS};
use super::status::NvmeStatus;

#[test]
fn identify_commands_are_laid_out_as_the_kernel_takes_them() {
    let namespace = Identify::namespace(3).to_passthru(0x1122_3344_5566_7788, 4096, 5000);
    let bytes = namespace.as_bytes();
    assert_eq!((bytes[0], &bytes[4..8]), (0x06, &3_u32.to_ne_bytes()[..]));
    assert_eq!(&bytes[24..32], &0x1122_3344_5566_7788_u64.to_ne_bytes());
    assert_eq!(&bytes[36..40], &4096_u32.to_ne_bytes());
    assert_eq!(
        (namespace.cdw10, namespace.cdw11, namespace.timeout_ms),
        (0, 0, 5000)
    );
    assert_eq!(Identify::controller().to_passthru(0, 0, 0).cdw10, 1);
    assert_eq!(Identify::nvm_controller().to_passthru(0, 0, 0).cdw10, 6);
    let zoned = Identify {
        cns: 6,
        nsid: 0,
        csi: 2,
    }
    .to_passthru(0, 0, 0);
    assert_eq!((zoned.cdw10, zoned.cdw11), (6, 0x0200_0000));
}

#[test]
fn status_is_named_and_its_bits_told_apart() {
    let status = NvmeStatus::from_ioctl(0x4002).unwrap();
    assert_eq!(status.to_string(), "Invalid Field in Command (0x4002)");
    assert_eq!(
        (status.sct(), status.sc(), status.dnr(), status.more()),
        (0, 2, true, false)
    );
    let status = NvmeStatus(0x2000 | 0x1800 | 0x0700 | 0x55);
    assert_eq!((status.sct(), status.sc(), status.crd()), (7, 0x55, 3));
    assert_eq!(
        (status.dnr(), status.more(), status.name()),
        (false, true, None)
    );
    assert_eq!(
        NvmeStatus(0x0183).name(),
        Some("Command Size Limit Exceeded")
    );
    assert_eq!(
        NvmeStatus(0x0287).name(),
        Some("Deallocated or Unwritten Logical Block")
    );
    assert_eq!(
        NvmeStatus(0x0302).name(),
        Some("Asymmetric Access Inaccessible")
    );
    assert_eq!(
        NvmeStatus(0x010a).to_string(),
        "status type 1 code 0x0a (0x010a)"
    );
    assert_eq!(NvmeStatus::from_ioctl(0), None);
    assert_eq!(NvmeStatus::from_ioctl(-22), None);
}

/// Every size and offset of `PassthruCommand`, asked of the C compiler.
#[test]
fn passthru_command_is_the_kernel_headers_struct() {
    let dir = tempfile::tempdir().unwrap();
    let (source, program) = (dir.path().join("check.c"), dir.path().join("check"));
    let ask = |(field, _): &(&str, usize)| {
        format!("ASK(\"{field}\", offsetof(struct nvme_passthru_cmd, {field}));\n")
    };
    let asked = OFFSETS.iter().map(ask).collect::<Vec<_>>().concat();
    let code = format!(
        "#include <linux/nvme_ioctl.h>\n#include <stddef.h>\n#include <stdio.h>\n\
         #define ASK(name, value) printf(\"%s %zu\\n\", name, (size_t)(value))\n\
         int main(void) {{\nASK(\"size\", sizeof(struct nvme_passthru_cmd));\n{asked}}}\n"
    );
    std::fs::write(&source, code).unwrap();
    let built = Command::new("cc")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output();
    match built {
        Err(error) => return println!("skipped: no C compiler (cc: {error})"),
        Ok(built) if !built.status.success() => {
            let said = String::from_utf8_lossy(&built.stderr).into_owned();
            assert!(said.contains("nvme_ioctl.h: No such file"), "{said}");
            return println!("skipped: no linux/nvme_ioctl.h");
        }
        Ok(_) => {}
    }
    let said = Command::new(&program).output().unwrap().stdout;
    let offsets = OFFSETS
        .iter()
        .map(|(field, offset)| format!("{field} {offset}\n"));
    let expected: String = std::iter::once("size 72\n".to_owned())
        .chain(offsets)
        .collect();
    assert_eq!(String::from_utf8(said).unwrap(), expected);
}

proptest! {
    #[test]
    fn status_always_has_words(raw: u16) {
        let hex = format!("({raw:#06x})");
        prop_assert!(NvmeStatus(raw).to_string().ends_with(&hex));
    }
}
