//! Sends each command to a device once in the life of its diskseq, however often the device is read.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::source::Host;
use crate::source::command::{Command, CommandError, Commands, Node, Reply};

type Answer = Result<Reply, CommandError>;
/// What one disk was asked, and what it answered.
type Answers = Vec<(Node, Command, Answer)>;

/// Passes commands on and keeps what the devices answered.
///
/// A disk has another diskseq each time that it appears or its medium changes, so an answer is never told of another
/// disk. Requests to device-mapper go to the kernel and not to a device, and its tables change without a new diskseq:
/// those are passed on each time.
pub struct Remembering<C> {
    commands: C,
    of: Cell<Option<u64>>,
    known: RefCell<HashMap<u64, Answers>>,
}

impl<C: Commands> Remembering<C> {
    /// Remembers the answers of `commands`.
    pub fn new(commands: C) -> Self {
        Self {
            commands,
            of: Cell::new(None),
            known: RefCell::default(),
        }
    }

    /// What comes next is asked for a disk of this diskseq.
    pub fn begin(&self, diskseq: Option<u64>) {
        self.of.set(diskseq);
    }

    /// Forgets a disk, so that it is asked anew.
    pub fn forget(&self, diskseq: u64) {
        self.known.borrow_mut().remove(&diskseq);
    }

    /// Forgets every disk.
    pub fn forget_all(&self) {
        self.known.borrow_mut().clear();
    }

    /// Forgets the disks that went away.
    pub fn keep(&self, there: &HashSet<u64>) {
        self.known
            .borrow_mut()
            .retain(|diskseq, _| there.contains(diskseq));
    }
}

/// A host whose answers are remembered, and the memory.
pub fn remembering(host: Host) -> (Host, Rc<Remembering<Box<dyn Commands>>>) {
    let memory = Rc::new(Remembering::new(host.commands));
    let host = Host {
        files: host.files,
        commands: Box::new(memory.clone()),
        source: host.source,
    };
    (host, memory)
}

/// Whether asking again would send something to the device again. An open that failed sent nothing, and rights can
/// change.
fn was_sent(answer: &Answer) -> bool {
    !matches!(
        answer,
        Err(CommandError::Open { .. } | CommandError::NotAsked(_) | CommandError::WrongNode { .. })
    )
}

impl<C: Commands> Commands for Remembering<C> {
    fn command(&self, node: &Node, command: &Command) -> Answer {
        if !matches!(command, Command::NvmeIdentify(_) | Command::Scsi(_)) {
            return self.commands.command(node, command);
        }
        let Some(diskseq) = self.of.get() else {
            return Err(CommandError::NotAsked(
                "this kernel numbers no disks (diskseq, since Linux 5.15), so an answer could be told of another disk",
            ));
        };
        let known = self.known.borrow().get(&diskseq).and_then(|answers| {
            let same = |(n, c, _): &&(Node, Command, Answer)| n == node && c == command;
            answers.iter().find(same).map(|(.., answer)| answer.clone())
        });
        if let Some(answer) = known {
            return answer;
        }
        let answer = self.commands.command(node, command);
        if was_sent(&answer) {
            let entry = (node.clone(), command.clone(), answer.clone());
            self.known
                .borrow_mut()
                .entry(diskseq)
                .or_default()
                .push(entry);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::nvme::command::Identify;
    use rustix::io::Errno;

    /// Counts what is sent; answers the number of the call.
    struct Counting(Cell<u16>, Option<CommandError>);

    impl Commands for &Counting {
        fn command(&self, _: &Node, _: &Command) -> Answer {
            self.0.set(self.0.get() + 1);
            match &self.1 {
                Some(error) => Err(error.clone()),
                None => Ok(Reply::Nvme {
                    status: self.0.get(),
                    data: Vec::new(),
                }),
            }
        }
    }

    fn identify() -> (Node, Command) {
        let node = Node::char("/dev/nvme0", (240, 0));
        (node, Command::NvmeIdentify(Identify::namespace(1)))
    }

    #[test]
    fn a_disk_is_asked_once_until_it_is_another_or_is_forgotten() {
        let device = Counting(Cell::new(0), None);
        let remembering = Remembering::new(&device);
        let (node, command) = identify();
        let ask = |diskseq| {
            remembering.begin(Some(diskseq));
            remembering.command(&node, &command).unwrap();
            device.0.get()
        };
        assert_eq!([ask(1), ask(1), ask(2), ask(2), ask(1)], [1, 1, 2, 2, 2]);
        remembering.forget(1);
        assert_eq!([ask(1), ask(2)], [3, 3]);
        remembering.keep(&HashSet::from([1]));
        assert_eq!([ask(1), ask(2)], [3, 4]);
        remembering.forget_all();
        assert_eq!([ask(1), ask(2)], [5, 6]);
    }

    #[test]
    fn a_refusal_of_the_device_is_remembered_and_a_failed_open_is_not() {
        let (node, command) = identify();
        let refusal = CommandError::Ioctl {
            errno: Errno::IO,
            path: "/dev/nvme0".to_owned(),
            request: "NVME_IOCTL_ADMIN_CMD",
        };
        let open = CommandError::Open {
            errno: Errno::ACCESS,
            path: "/dev/nvme0".to_owned(),
        };
        for (error, sent) in [(refusal, 1), (open, 2)] {
            let device = Counting(Cell::new(0), Some(error));
            let remembering = Remembering::new(&device);
            remembering.begin(Some(1));
            for _ in 0..2 {
                remembering.command(&node, &command).unwrap_err();
            }
            assert_eq!(device.0.get(), sent);
        }
    }

    #[test]
    fn tables_are_read_each_time_and_a_disk_without_number_never() {
        let device = Counting(Cell::new(0), None);
        let remembering = Remembering::new(&device);
        remembering.begin(Some(1));
        for _ in 0..2 {
            let _ = remembering.command(&Node::dm_control(), &Command::DmVersion);
        }
        assert_eq!(device.0.get(), 2);
        remembering.begin(None);
        let (node, command) = identify();
        let answer = remembering.command(&node, &command);
        assert!(matches!(answer, Err(CommandError::NotAsked(_))));
        assert_eq!(device.0.get(), 2);
    }
}
