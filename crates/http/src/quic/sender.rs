//! Who an endpoint is among those of a run.

use bentpipe_run::{Algorithm, Dscp, RunSpec};
use bentpipe_units::Bytes;

/// Which end an endpoint is; each draws connection ids from a random stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The run's client.
    Client,
    /// The run's origin.
    Origin,
    /// The side of a proxy at the terminal that is turned to the client.
    TerminalAccepting,
    /// Its other side.
    TerminalOpening,
    /// The side of a proxy at the gateway that is turned to the terminal.
    GatewayAccepting,
    /// Its other side.
    GatewayOpening,
}

/// What tells an endpoint's connections from those of the host's other endpoints.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    /// Congestion control.
    pub cc: Algorithm,
    /// Gives it random streams of its own.
    pub index: u16,
    /// What it marks its packets with.
    pub dscp: Dscp,
    /// What waits at most of the QUIC datagrams (RFC 9221) that its connections carry; none where they carry streams alone.
    pub datagrams: Option<Bytes>,
}

impl Sender {
    /// One whose connections carry streams alone.
    pub const fn new(cc: Algorithm, index: u16, dscp: Dscp) -> Self {
        Self { cc, index, dscp, datagrams: None }
    }

    /// That between a run's client and host number `host`.
    pub fn with_host(spec: &RunSpec, host: usize) -> Self {
        // The odd ones are of visits.
        let index = u16::try_from(2 * host).unwrap_or(u16::MAX - 1);
        Self::new(spec.cc, index, spec.mark())
    }

    /// That of a visit before, which draws from random streams of its own.
    pub fn of_visit(self) -> Self {
        Self { index: self.index + 1, ..self }
    }
}
