//! NVMe: what Identify says of controllers and namespaces, and what the kernel shows beside it.

use std::rc::Rc;

use crate::facts::collect::Collector;
use crate::facts::needs::Sections;
use crate::facts::origin::{Fact, Origin};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{DevNo, KName};
use crate::source::command::{Command, Node, Reply};
use crate::source::files::{Dir, base_name, join, parent};
use crate::wire::nvme::command::{CNS_CONTROLLER, CNS_NAMESPACE, Identify};
use crate::wire::nvme::identify::{IdentifyController, IdentifyNamespace, IdentifyNvmController};
use crate::wire::nvme::status::NvmeStatus;

/// A controller, as its directory in `/sys/class/nvme` and its Identify data have it.
#[derive(Debug)]
pub struct Controller {
    /// `nvme0`.
    pub name: String,
    /// Its directory below the root.
    pub syspath: String,
    /// Model number.
    pub model: Reading<String>,
    /// Serial number.
    pub serial: Reading<String>,
    /// Firmware revision.
    pub firmware_rev: Reading<String>,
    /// `pcie`, `tcp`, `rdma`, `fc`, `loop` or `apple-nvme`.
    pub transport: Reading<String>,
    /// PCI address or fabrics address.
    pub address: Reading<String>,
    /// `live`, `connecting`, …
    pub state: Reading<String>,
    /// Controller id.
    pub cntlid: Reading<u64>,
    /// Qualified name of its subsystem.
    pub subsysnqn: Reading<String>,
    /// Names of the kernel's quirks in force (since 7.0).
    pub quirks: Reading<Vec<String>>,
    /// PCI vendor and device.
    pub pci_id: Reading<(u16, u16)>,
    /// How an IOMMU treats it: `DMA`, `DMA-FQ`, `identity`; absent without one.
    pub iommu_group_type: Reading<String>,
    /// Identify Controller (CNS 01h).
    pub identify: Fact<Vec<u8>>,
    /// Identify Controller of the NVM command set (CNS 06h, CSI 00h).
    pub nvm: Fact<Vec<u8>>,
    /// Whether it refused CNS 06h by a status, which the kernel takes as "no such limits".
    pub nvm_refused: bool,
    /// Its character device.
    pub node: Option<Node>,
}

/// The NVMe side of a block device.
#[derive(Debug)]
pub struct NvmeFacts {
    /// Controllers it is reached by: one, or those of every path.
    pub controllers: Vec<Rc<Controller>>,
    /// Namespace id.
    pub nsid: Reading<u64>,
    /// Worldwide name, as the kernel builds it.
    pub wwid: Reading<String>,
    /// Command set: 0 NVM, 2 zoned.
    pub csi: Reading<u64>,
    /// ANA state of a path.
    pub ana_state: Reading<String>,
    /// How a multipath head chooses its path.
    pub iopolicy: Reading<String>,
    /// Identify Namespace (CNS 00h).
    pub identify: Fact<Vec<u8>>,
}

impl NvmeFacts {
    /// Identify Namespace, decoded.
    pub fn namespace(&self) -> Reading<&IdentifyNamespace> {
        self.identify
            .reading
            .as_ref()
            .and_then(|bytes| match IdentifyNamespace::decode(bytes) {
                Ok(decoded) => Reading::Present(decoded),
                Err(error) => Reading::malformed(error.to_string()),
            })
    }

    /// The controller of a plain namespace or a path; the first of several.
    pub fn controller(&self) -> Option<&Rc<Controller>> {
        self.controllers.first()
    }
}

impl Controller {
    /// Identify Controller, decoded.
    pub fn data(&self) -> Reading<&IdentifyController> {
        self.identify
            .reading
            .as_ref()
            .and_then(|bytes| match IdentifyController::decode(bytes) {
                Ok(decoded) => Reading::Present(decoded),
                Err(error) => Reading::malformed(error.to_string()),
            })
    }

    /// Identify Controller of the NVM command set, decoded.
    pub fn nvm_data(&self) -> Reading<&IdentifyNvmController> {
        self.nvm
            .reading
            .as_ref()
            .and_then(|bytes| match IdentifyNvmController::decode(bytes) {
                Ok(decoded) => Reading::Present(decoded),
                Err(error) => Reading::malformed(error.to_string()),
            })
    }
}

impl NvmeFacts {
    /// Reads them, and puts a head's paths among its slaves.
    pub fn collect(collector: &Collector, dir: &Dir, device: &mut BlockDevice) -> Self {
        let head = device.kind == Kind::NvmeHead;
        let places: Vec<String> = if head {
            collector.nvme_paths(device);
            let place = |path: &KName| collector.syspath(path).ok();
            device
                .slaves
                .iter()
                .filter_map(place)
                .map(|path| parent(&path).to_owned())
                .collect()
        } else {
            vec![parent(&device.syspath).to_owned()]
        };
        let own = block_node(device);
        let controllers: Vec<Rc<Controller>> = places
            .iter()
            .map(|place| Controller::shared(collector, place, own.as_ref()))
            .collect();
        let nsid = collector.number(dir, "nsid");
        let mut nodes: Vec<Node> = own.into_iter().collect();
        if !head {
            // A hidden path has no node; its controller's takes the command with the namespace id.
            nodes.extend(controllers.iter().filter_map(|c| c.node.clone()));
        }
        let identify = match namespace_id(&nsid, device.kname.as_str()) {
            Some(nsid) => identify(
                collector,
                &nodes,
                Identify {
                    cns: CNS_NAMESPACE,
                    nsid,
                    csi: 0,
                },
            ),
            None => Fact::not_asked("the namespace id could not be read"),
        };
        let all = collector.needs.wants(Sections::NVME);
        let wanted = |name: &str| match all {
            true => collector.text(dir, name),
            false => Reading::NotAsked(LATER),
        };
        Self {
            controllers,
            wwid: wanted("wwid"),
            ana_state: if all {
                wanted("ana_state")
            } else {
                Reading::NotAsked(LATER)
            },
            csi: if all {
                collector.number(dir, "csi")
            } else {
                Reading::NotAsked(LATER)
            },
            nsid,
            iopolicy: iopolicy(collector, device),
            identify,
        }
    }
}

/// How a head chooses its path; others have no such file.
fn iopolicy(collector: &Collector, device: &BlockDevice) -> Reading<String> {
    if device.kind != Kind::NvmeHead || !collector.needs.wants(Sections::NVME) {
        return Reading::Absent;
    }
    match collector.host.files.dir(parent(&device.syspath)) {
        Ok(subsystem) => collector.text(&subsystem, "iopolicy"),
        Err(error) => Reading::from_errno(error),
    }
}

const LATER: &str = "not needed for what was asked";

impl Controller {
    /// The controller in this directory, read once for all its namespaces.
    fn shared(collector: &Collector, place: &str, other: Option<&Node>) -> Rc<Self> {
        if let Some(known) = collector.controllers.borrow().get(place) {
            return known.clone();
        }
        let controller = Rc::new(Self::collect(collector, place, other));
        collector
            .controllers
            .borrow_mut()
            .insert(place.to_owned(), controller.clone());
        controller
    }

    fn collect(collector: &Collector, place: &str, other: Option<&Node>) -> Self {
        let files = collector.host.files.as_ref();
        let name = base_name(place).to_owned();
        let dir = files.dir(place);
        let all = collector.needs.wants(Sections::NVME);
        let text = |name: &str| match &dir {
            _ if !all => Reading::NotAsked(LATER),
            Ok(dir) => collector.text(dir, name),
            Err(error) => Reading::from_errno(*error),
        };
        let node = dir
            .as_ref()
            .ok()
            .and_then(|dir| char_node(collector, dir, &name));
        let nodes: Vec<Node> = node.iter().chain(other).cloned().collect();
        let quirks = match &dir {
            Ok(dir) => collector.text(dir, "quirks"),
            Err(error) => Reading::from_errno(*error),
        };
        let quirks = quirks.map(|text| words_of_quirks(&text));
        let pci = Pci::collect(collector, place, quirks.is_present() && !all);
        let nvm = ask(collector, &nodes, Identify::nvm_controller());
        Self {
            model: text("model"),
            serial: text("serial"),
            firmware_rev: text("firmware_rev"),
            transport: text("transport"),
            address: text("address"),
            state: text("state"),
            cntlid: match &dir {
                Ok(dir) if all => collector.number(dir, "cntlid"),
                _ => Reading::NotAsked(LATER),
            },
            subsysnqn: text("subsysnqn"),
            quirks,
            pci_id: pci.id,
            iommu_group_type: pci.iommu_group_type,
            identify: identify(
                collector,
                &nodes,
                Identify {
                    cns: CNS_CONTROLLER,
                    nsid: 0,
                    csi: 0,
                },
            ),
            nvm_refused: nvm.refused,
            nvm: nvm.fact,
            node,
            syspath: place.to_owned(),
            name,
        }
    }
}

/// The character device of a controller; older captures do not hold its number.
fn char_node(collector: &Collector, dir: &Dir, name: &str) -> Option<Node> {
    let devno: DevNo = collector.text(dir, "dev").value()?.parse().ok()?;
    Some(Node::char(
        format!("/dev/{name}"),
        (devno.major, devno.minor),
    ))
}

/// The names of quirks: one a line, `none` where there is none (`quirks_show`, drivers/nvme/host/sysfs.c, 7.0).
fn words_of_quirks(text: &str) -> Vec<String> {
    // `text::attribute` shows the newlines between names as `\x0a`.
    text.split("\\x0a")
        .map(str::trim)
        .filter(|word| !word.is_empty() && *word != "none")
        .map(str::to_owned)
        .collect()
}

/// What the PCI function behind a controller says.
struct Pci {
    id: Reading<(u16, u16)>,
    iommu_group_type: Reading<String>,
}

impl Pci {
    fn collect(collector: &Collector, place: &str, skip: bool) -> Self {
        if skip {
            return Self {
                id: Reading::NotAsked(LATER),
                iommu_group_type: Reading::NotAsked(LATER),
            };
        }
        let files = collector.host.files.as_ref();
        let link = files
            .link(&format!("{place}/device"))
            .map(|target| join(place, &target));
        let dir = match link
            .as_ref()
            .map_err(|error| *error)
            .and_then(|path| files.dir(path))
        {
            Ok(dir) => dir,
            Err(error) => {
                return Self {
                    id: Reading::from_errno(error),
                    iommu_group_type: Reading::from_errno(error),
                };
            }
        };
        let id = |name: &str| {
            collector.text(&dir, name).and_then(|text| {
                let digits = text.strip_prefix("0x").unwrap_or(&text);
                match u16::from_str_radix(digits, 16) {
                    Ok(id) => Reading::Present(id),
                    Err(_) => Reading::malformed(format!("{text:?}: not a PCI id")),
                }
            })
        };
        let device = id("device");
        let group = files.link(&format!("{}/iommu_group", dir.path));
        let group = group.and_then(|target| files.dir(&join(&dir.path, &target)));
        Self {
            id: id("vendor").and_then(|vendor| device.map(|device| (vendor, device))),
            iommu_group_type: match group {
                Ok(group) => collector.text(&group, "type"),
                Err(error) => Reading::from_errno(error),
            },
        }
    }
}

fn block_node(device: &BlockDevice) -> Option<Node> {
    device
        .devno
        .get()
        .map(|devno| Node::block(device.kname.node(), (devno.major, devno.minor)))
}

/// The namespace id from `nsid`; kernels before 4.8 have no such file, but then the name ends with it.
fn namespace_id(nsid: &Reading<u64>, kname: &str) -> Option<u32> {
    match nsid {
        Reading::Present(nsid) => u32::try_from(*nsid).ok(),
        Reading::Absent => kname
            .rsplit_once('n')
            .and_then(|(_, digits)| digits.parse().ok()),
        _ => None,
    }
}

/// An answer, and whether the controller itself refused it.
struct Asked {
    fact: Fact<Vec<u8>>,
    refused: bool,
}

fn identify(collector: &Collector, nodes: &[Node], identify: Identify) -> Fact<Vec<u8>> {
    ask(collector, nodes, identify).fact
}

/// Asks one node after the other until one that may be asked answers.
fn ask(collector: &Collector, nodes: &[Node], identify: Identify) -> Asked {
    let nobody = Fact::not_asked("the device has no node to send a command to");
    let mut last = Asked {
        fact: nobody,
        refused: false,
    };
    for node in nodes {
        let reply = collector
            .host
            .commands
            .command(node, &Command::NvmeIdentify(identify));
        let mut refused = false;
        let reading = match reply {
            Ok(Reply::Nvme { status: 0, data }) => Reading::Present(data),
            Ok(Reply::Nvme { status, .. }) => {
                refused = true;
                let answer = format!("the controller answered {}", NvmeStatus(status));
                Reading::Unsupported(answer.into())
            }
            Ok(other) => Reading::malformed(format!("an answer to another command: {other:?}")),
            Err(error) => Reading::from_command(error),
        };
        let what = match identify.cns {
            CNS_NAMESPACE => format!("Identify Namespace (CNS 00h, NSID {})", identify.nsid),
            CNS_CONTROLLER => "Identify Controller (CNS 01h)".to_owned(),
            _ => "Identify Controller of the NVM command set (CNS 06h, CSI 00h)".to_owned(),
        };
        let origin = Origin::Command {
            node: node.path.clone(),
            what,
        };
        let answered = matches!(reading, Reading::Present(_) | Reading::Unsupported(_));
        last = Asked {
            fact: Fact { reading, origin },
            refused,
        };
        if answered {
            break;
        }
    }
    last
}
