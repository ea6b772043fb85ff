//! Answers from a transcript, and the recorder that makes one.

use std::cell::RefCell;

use crate::source::command::{Command, CommandError, Commands, Node, Reply};
use crate::source::transcript::{Exchange, Transcript};

/// A captured host, or a test's script: every answer comes from a transcript.
#[derive(Debug)]
pub struct Scripted {
    transcript: Transcript,
    unexpected: Option<RefCell<Vec<String>>>,
}

impl Scripted {
    /// Answers what is recorded; the rest was not asked.
    pub fn new(transcript: Transcript) -> Self {
        Self {
            transcript,
            unexpected: None,
        }
    }

    /// As [`Scripted::new`], and remembers every command that is not recorded, for a test to
    /// fail on.
    pub fn strict(transcript: Transcript) -> Self {
        Self {
            transcript,
            unexpected: Some(RefCell::default()),
        }
    }

    /// The commands that came and were not recorded, in their order, as a transcript writes them.
    /// Always empty unless this is [`Scripted::strict`].
    pub fn unexpected(&self) -> Vec<String> {
        self.unexpected
            .as_ref()
            .map(|list| list.borrow().clone())
            .unwrap_or_default()
    }

    /// The transcript behind it.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}

impl Commands for Scripted {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        let Some(exchange) = self.transcript.get(node, command) else {
            if let Some(unexpected) = &self.unexpected {
                unexpected
                    .borrow_mut()
                    .push(Transcript::describe(node, command));
            }
            return Err(CommandError::NotAsked("not recorded in this capture"));
        };
        same_node(node, &exchange.node)?;
        exchange.answer.clone()
    }
}

/// The recorded node must be the one that is asked for, as a live one must.
fn same_node(wanted: &Node, found: &Node) -> Result<(), CommandError> {
    let wrong = |why: String| {
        Err(CommandError::WrongNode {
            path: wanted.path.clone(),
            why,
        })
    };
    if wanted.kind != found.kind {
        return wrong(format!("it is a {}, not a {}", found.kind, wanted.kind));
    }
    match (wanted.devno, found.devno) {
        (Some(wanted), Some(found)) if wanted != found => wrong(format!(
            "its number is {}:{}, not {}:{}",
            found.0, found.1, wanted.0, wanted.1
        )),
        _ => Ok(()),
    }
}

/// Passes commands on and keeps what came back. A command that comes again gets the answer it got
/// before, so that a report and the capture made beside it say the same.
#[derive(Debug)]
pub struct Recorder<C> {
    commands: C,
    transcript: RefCell<Transcript>,
}

impl<C: Commands> Recorder<C> {
    /// Records what goes to `commands`.
    pub fn new(commands: C) -> Self {
        Self {
            commands,
            transcript: RefCell::default(),
        }
    }

    /// What was recorded so far.
    pub fn transcript(&self) -> Transcript {
        self.transcript.borrow().clone()
    }

    /// Ends the recording.
    pub fn into_transcript(self) -> Transcript {
        self.transcript.into_inner()
    }
}

impl<C: Commands> Commands for Recorder<C> {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        if let Some(exchange) = self.transcript.borrow().get(node, command)
            && exchange.node == *node
        {
            return exchange.answer.clone();
        }
        let answer = self.commands.command(node, command);
        let (node, command) = (node.clone(), command.clone());
        let exchange = Exchange {
            node,
            command,
            answer: answer.clone(),
        };
        self.transcript.borrow_mut().insert(exchange);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
dm /dev/mapper/control c table 253:0
flags 20
line 0 8 zero

nvme /dev/nvme0 c240:0 identify cns=01 nsid=0 csi=00
status 0002
data 0
";

    fn script() -> Transcript {
        Transcript::parse(SCRIPT).unwrap()
    }

    #[test]
    fn what_is_not_recorded_was_not_asked() {
        let scripted = Scripted::strict(script());
        let node = Node::dm_control();
        assert!(
            scripted
                .command(&node, &Command::DmTable { devno: (253, 0) })
                .is_ok()
        );
        assert_eq!(scripted.unexpected(), [""; 0]);
        let answer = scripted.command(&node, &Command::DmTable { devno: (253, 1) });
        assert_eq!(
            answer,
            Err(CommandError::NotAsked("not recorded in this capture"))
        );
        assert_eq!(
            scripted.unexpected(),
            ["dm /dev/mapper/control table 253:1"]
        );
    }

    #[test]
    fn another_device_behind_the_same_path_is_refused() {
        let scripted = Scripted::new(script());
        let exchange = script().exchanges().nth(1).cloned().unwrap();
        let right = Node::char("/dev/nvme0", (240, 0));
        assert_eq!(scripted.command(&right, &exchange.command), exchange.answer);
        let stale = Node::char("/dev/nvme0", (240, 1));
        let answer = scripted.command(&stale, &exchange.command);
        assert!(
            matches!(answer, Err(CommandError::WrongNode { .. })),
            "{answer:?}"
        );
    }

    #[test]
    fn a_recorder_makes_the_transcript_that_answers_the_same() {
        let recorder = Recorder::new(Scripted::new(script()));
        for exchange in script().exchanges() {
            let answer = recorder.command(&exchange.node, &exchange.command);
            assert_eq!(answer, exchange.answer);
        }
        let missing = recorder.command(&Node::dm_control(), &Command::DmVersion);
        assert!(missing.is_err());
        assert_eq!(recorder.transcript(), script());
        assert_eq!(recorder.into_transcript().to_string(), SCRIPT);
    }

    #[test]
    fn a_recorder_asks_once() {
        struct Counting(RefCell<u32>);
        impl Commands for Counting {
            fn command(&self, _: &Node, _: &Command) -> Result<Reply, CommandError> {
                *self.0.borrow_mut() += 1;
                Ok(Reply::DmVersion([4, *self.0.borrow(), 0]))
            }
        }
        let recorder = Recorder::new(Counting(RefCell::new(0)));
        let ask = || recorder.command(&Node::dm_control(), &Command::DmVersion);
        assert_eq!(ask(), Ok(Reply::DmVersion([4, 1, 0])));
        assert_eq!(ask(), Ok(Reply::DmVersion([4, 1, 0])));
    }
}
