//! Scripts of packetdrill: an interpreter of our own for their language, sans-IO.
//!
//! A script ([`parse`]) has system calls of an application, segments that its peer sends, and segments that are
//! expected of the endpoint, each with a time. [`run`] follows it against a [`Backend`]: here the endpoint of
//! `bentpipe-tcp` in virtual time ([`Simulated`]); in `bentpipe-emu` the kernel. The [`Verdict`] is that it passed,
//! the first difference, or what it needs and the backend does not have.
//!
//! Segmentation offload hands over super-segments, the simulated endpoint single ones: what leaves at one instant is
//! joined before it is compared.
//!
//! Deliberately absent: UDP, and the code of the program of that name.

mod address;
mod backend;
mod call;
mod commands;
mod cookie;
mod expected;
mod expression;
mod files;
mod flow;
mod flows;
#[doc(hidden)]
pub mod fuzzing;
mod icmp;
mod interpreter;
mod message;
mod names;
mod outcome;
mod packet;
mod parse;
mod prepare;
mod script;
mod settings;
mod simulated;
mod symbols;
mod verdict;
pub mod wire;

pub use backend::{Backend, Captured, Ended, Progress, TcpInfo};
pub use call::{Address, Buffer, Call, Domain, End, OptionShape, OptionValue, SocketOption, Transfer};
pub use commands::{Effect, Look, effects};
pub use expression::{Definitions, Expression};
pub use files::{Files, ReadFile};
pub use icmp::{Icmp, IcmpMessage, IcmpPattern};
pub use interpreter::{Code, CodeError, Evaluate, Judged, Unexpected, run};
pub use outcome::{ControlData, ControlMessage, Handle, Missing, Outcome, Output};
pub use packet::{Flags, IpFields, Packet, TcpOption};
pub use parse::{ParseError, parse};
pub use script::{
    Action, Base, CallLine, EcnPattern, Event, IpPattern, OptionPattern, OptionsPattern, PacketPattern,
    Script, Setting, When,
};
pub use settings::{IpVersion, Settings};
pub use simulated::Simulated;
pub use verdict::{Difference, Skip, Verdict};
