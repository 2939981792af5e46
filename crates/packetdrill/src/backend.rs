//! What a script runs against: an endpoint with its sockets, its peer and a clock.

use std::collections::BTreeMap;

use bentpipe_units::{Duration, Time};

use crate::call::Call;
use crate::icmp::Icmp;
use crate::outcome::{Handle, Missing, Outcome};
use crate::packet::Packet;

/// An endpoint that a script drives.
///
/// Time counts from the start of the script. What it sends is kept until it is asked for.
pub trait Backend {
    /// How long something is waited for that should have happened.
    fn patience(&self) -> Duration;

    /// How far apart the segments may be read that leave at once.
    fn burst(&self) -> Duration;

    /// Now.
    fn now(&self) -> Time;

    /// Lets time pass.
    fn wait_until(&mut self, at: Time);

    /// A segment from the peer.
    ///
    /// # Errors
    /// Where the backend cannot have such a segment: what it lacks.
    fn inject(&mut self, packet: &Packet) -> Result<(), Missing>;

    /// A message about a segment of the endpoint comes from its peer.
    ///
    /// # Errors
    /// Where the backend cannot have such a message: what it lacks.
    fn inject_icmp(&mut self, icmp: &Icmp) -> Result<(), Missing>;

    /// The next segment that the endpoint sends, if it does until then.
    fn next_packet(&mut self, until: Time) -> Option<Captured>;

    /// Starts a system call, and waits for its end for no longer than `patience`.
    ///
    /// # Errors
    /// Where the backend has no such call: what it lacks.
    fn call(&mut self, call: &Call, patience: Duration) -> Result<Progress, Missing>;

    /// The end of the call that blocked, if it comes until then.
    fn finish(&mut self, until: Time) -> Option<(Time, Outcome)>;

    /// Runs a command.
    ///
    /// # Errors
    /// Where the backend cannot: what it lacks.
    fn shell(&mut self, command: &str) -> Result<Ended, Missing>;

    /// `TCP_INFO` and `SO_MEMINFO` of a socket; none where it has none.
    fn tcp_info(&mut self, socket: Handle) -> Option<TcpInfo>;
}

/// A segment that the endpoint sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// When.
    pub at: Time,
    /// What.
    pub packet: Packet,
    /// Where segmentation offload will cut it: bytes of each segment but the last.
    pub segment_bytes: Option<u32>,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is over.
    Done(Outcome),
    /// It blocks.
    Blocked,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With status 0.
    Well,
    /// Otherwise: what it said last.
    Badly(String),
}

/// The fields of `TCP_INFO` and `SO_MEMINFO` by their names in linux/tcp.h and linux/sock_diag.h; one that a backend does not know is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo(pub BTreeMap<&'static str, i64>);
