//! A script as it is written: events in their order, each with its line.

use bentpipe_units::Duration;

use crate::expression::Expression;
use crate::icmp::IcmpPattern;
use crate::packet::{Flags, TcpOption};

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The lines `--name=value` at its head.
    pub options: Vec<Setting>,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// A line `--name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Where it stands, from one.
    pub line: u32,
    /// Without the dashes.
    pub name: String,
    /// Empty for a name alone.
    pub value: String,
}

/// One thing that happens or is expected to.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Where it stands, from one.
    pub line: u32,
    /// When.
    pub when: When,
    /// What.
    pub action: Action,
}

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// `*`: whenever it does.
    Any,
    /// No time is written: as soon as the event before it is over.
    Next,
    /// Between two times, mostly the same.
    Between {
        /// What both are counted from.
        base: Base,
        /// The earliest.
        from: Duration,
        /// The latest.
        to: Duration,
    },
}

/// What a time is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The script's start.
    Start,
    /// `+`: the event before.
    Previous,
}

/// What an event is.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `<`: a segment comes from the peer.
    Inject(PacketPattern),
    /// `>`: a segment of the endpoint is expected.
    Expect(PacketPattern),
    /// `< icmp`: a message about a segment of the endpoint comes from somewhere on the path.
    InjectIcmp(IcmpPattern),
    /// A system call of the application and what it returns.
    Call(CallLine),
    /// Between backticks: a command for the shell.
    Shell(String),
    /// Between `%{` and `}%`: Python, mostly an assertion about `tcp_info`.
    Code(String),
    /// What the grammar has and no backend can do, such as a datagram of UDP.
    Foreign(String),
}

/// A segment as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketPattern {
    /// What is written of the IP header.
    pub ip: IpPattern,
    /// The control bits.
    pub flags: Flags,
    /// First sequence number, as the script counts.
    pub seq: u32,
    /// Bytes of payload.
    pub length: u32,
    /// Acknowledgement number; none where it is not written.
    pub ack: Option<u32>,
    /// The window field as it is on the wire; none where it is not written.
    pub window: Option<u16>,
    /// The urgent pointer; none where it is not written.
    pub urgent: Option<u16>,
    /// The options.
    pub options: OptionsPattern,
}

/// What is written of the IP header between brackets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IpPattern {
    /// `ect0`, `ce` and the like.
    pub ecn: Option<EcnPattern>,
    /// `tos 0x10`: all eight bits.
    pub traffic_class: Option<u8>,
    /// `ttl 64`.
    pub hop_limit: Option<u8>,
}

/// `[ect0]` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnPattern {
    /// `[noecn]`.
    NotCapable,
    /// `[ect0]`.
    Ect0,
    /// `[ect1]`.
    Ect1,
    /// `[ect01]`: either.
    Ect,
    /// `[ce]`.
    CongestionExperienced,
}

/// The options of a segment as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionsPattern {
    /// `<...>`: any.
    Any,
    /// These, in their order, padding included.
    Exactly(Vec<OptionPattern>),
}

/// An option as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionPattern {
    /// All of it is.
    Option(TcpOption),
    /// `FO NAME`, `FOEXP NAME`: a cookie of Fast Open that has a name.
    Cookie {
        /// The name.
        name: String,
        /// Whether in the experimental option.
        is_experimental: bool,
    },
}

impl From<TcpOption> for OptionPattern {
    fn from(option: TcpOption) -> Self {
        Self::Option(option)
    }
}

/// A system call as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct CallLine {
    /// `a...b`: it blocks until then, counted from the same as its start.
    pub until: Option<Duration>,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// What it returns; none for `...`.
    pub result: Option<Expression>,
    /// The name of the error that it returns.
    pub errno: Option<String>,
}
