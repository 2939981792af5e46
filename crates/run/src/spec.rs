//! What a run is to be, complete and without defaults: the seam's input.

use bentpipe_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Algorithm, BbrSpec, Browser, DnsSpec, Dscp, HostsSpec, Http2Spec, KeyExchange, LinkSpec, PageLoadSpec,
    PepSpec, QuicSpec, ResumeSpec, Server, ServerBehind, SlowStartChoice, TcpSpec, TerrestrialSpec, TlsSpec,
    Transport, Visit,
};

/// Everything that decides a run's result. Equal specs and seeds give equal simulated records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// Seed of every random stream of the run; each component derives its own.
    pub seed: u64,
    /// The path between client and server.
    pub link: LinkSpec,
    /// Where the server is, where that is not behind the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_behind: Option<ServerBehind>,
    /// The network between gateway and server, where that is not perfect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terrestrial: Option<TerrestrialSpec>,
    /// Congestion control of every sender of the run; of several flows each has its own.
    pub cc: Algorithm,
    /// Settings of TCP at both ends.
    pub tcp: TcpSpec,
    /// Settings of QUIC at both ends.
    pub quic: QuicSpec,
    /// Settings of HTTP/2 at both ends; SPDY has the same windows and limits.
    pub http2: Http2Spec,
    /// TLS at both ends; without it: TLS 1.3 with a full handshake for every connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsSpec>,
    /// Key exchange of TLS over TCP and of QUIC; without it: X25519.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_exchange: Option<KeyExchange>,
    /// How the client of a page load finds the addresses of hosts; without it they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dns: Option<DnsSpec>,
    /// How fast both ends are; without it they take no time beside that of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostsSpec>,
    /// A proxy on the path, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pep: Option<PepSpec>,
    /// How slow start ends, where that is not the algorithm's own way in Linux. The kernel's CUBIC can do SEARCH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow_start: Option<SlowStartChoice>,
    /// BBR version 1, where it is not that of today's Linux. TCP of the kernel knows its own alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bbr: Option<BbrSpec>,
    /// Careful Resume (RFC 9959) of senders, where they start from what is known of the path. TCP of the kernel cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeSpec>,
    /// What is done over the link.
    pub workload: Workload,
    /// What loads the page, where that is not our loader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Browser>,
    /// What serves the page, where that is not our origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// Marks the packets of the workload, both ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dscp: Option<Dscp>,
    /// When the run's numbers may be trusted.
    pub validity: ValiditySpec,
    /// What is kept besides the record.
    pub capture: CaptureSpec,
}

/// What the client does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Workload {
    /// Load one web page.
    PageLoad(PageLoadSpec),
    /// Transfer one flow.
    Bulk(BulkSpec),
    /// Transfer several flows at once.
    Flows(FlowsSpec),
    /// Transfer one flow over TCP by iperf3, which is client and server then (emulate only).
    Iperf3(BulkSpec),
    /// Send UDP echo requests.
    Ping(PingSpec),
}

/// One bulk flow. It ends after `bytes` or after `duration_ns`, whichever is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkSpec {
    /// Transport protocol.
    pub transport: Transport,
    /// Who sends.
    pub direction: Direction,
    /// Length of the transfer, when it is limited by length.
    pub bytes: Option<Bytes>,
    /// Length of the transfer, when it is limited by time.
    pub duration_ns: Option<Duration>,
}

/// Several bulk flows over one link. Each ends after `bytes`, or all of them end `duration_ns` after the start of the
/// workload, whichever is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowsSpec {
    /// Who sends, in all of them.
    pub direction: Direction,
    /// Length of each transfer, when they are limited by length.
    pub bytes: Option<Bytes>,
    /// The end that they have in common, when they are limited by time.
    pub duration_ns: Option<Duration>,
    /// The flows.
    pub flows: Vec<FlowSpec>,
}

/// What tells a flow from those beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Congestion control of both its ends.
    pub cc: Algorithm,
    /// Transport protocol.
    pub transport: Transport,
    /// When it begins, from the start of the workload.
    pub start_ns: Duration,
    /// Marks its packets, both ways, in place of the run's mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dscp: Option<Dscp>,
}

/// Direction of a bulk flow, seen from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Server to client, over the forward link unless the server is behind the terminal.
    Down,
    /// Client to server, over the return link likewise.
    Up,
}

/// UDP echo requests at a fixed interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingSpec {
    /// Number of requests.
    pub count: u32,
    /// Time between two requests.
    pub interval_ns: Duration,
    /// UDP payload of each; at least 20.
    pub payload_bytes: Bytes,
}

/// Bounds beyond which a run is invalid or given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValiditySpec {
    /// Largest tolerated 99.9th percentile of the emulator's release lateness.
    pub lateness_p999_ns: Duration,
    /// The run fails when its workload takes longer than this.
    pub timeout_ns: Duration,
}

/// Optional outputs of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureSpec {
    /// Every packet at both ends of the link, with the TLS secrets, as pcapng.
    pub pcapng: bool,
    /// QUIC events of both ends as qlog.
    pub qlog: bool,
}

impl RunSpec {
    /// Whether a visit before the load teaches senders the path, which takes a load of its own.
    pub fn learns_path_by_visit(&self) -> bool {
        let is_repeat =
            matches!(&self.workload, Workload::PageLoad(load) if load.visit == Some(Visit::Repeat));
        is_repeat && self.resume.is_some_and(|resume| resume.saved.is_none())
    }

    /// The direction of the link that is taken by what goes down to the client, or up to the server.
    pub const fn link_direction(&self, direction: Direction) -> bentpipe_link::Direction {
        match (self.server_behind, direction) {
            (None, Direction::Down) | (Some(ServerBehind::Terminal), Direction::Up) => {
                bentpipe_link::Direction::Forward
            }
            (None, Direction::Up) | (Some(ServerBehind::Terminal), Direction::Down) => {
                bentpipe_link::Direction::Return
            }
        }
    }

    /// What the packets of the workload are marked with; flows may have marks of their own.
    pub fn mark(&self) -> Dscp {
        self.dscp.unwrap_or(Dscp::DEFAULT)
    }

    /// What a tunnel puts before each packet on the link; nothing where there is none.
    pub fn tunnel_header(&self) -> Bytes {
        match &self.pep {
            Some(PepSpec::Tunnel(tunnel)) => tunnel.header_bytes,
            Some(PepSpec::Split(_) | PepSpec::Proxy(_) | PepSpec::Masque(_) | PepSpec::QuicSplit(_))
            | None => Bytes::ZERO,
        }
    }

    /// The longest packet that a host can send: the header of a tunnel comes on top of it.
    pub fn host_mtu(&self) -> Bytes {
        Bytes::new(self.link.mtu_bytes.get().saturating_sub(self.tunnel_header().get()))
    }

    /// The bulk flows of the run with the mark of each, of which a single one has the run's congestion control; none of
    /// other workloads.
    pub fn flows(&self) -> Option<FlowsSpec> {
        match &self.workload {
            Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns })
            | Workload::Iperf3(BulkSpec { transport, direction, bytes, duration_ns }) => {
                let (cc, transport, dscp) = (self.cc, *transport, self.dscp);
                let only = FlowSpec { cc, transport, start_ns: Duration::ZERO, dscp };
                let (direction, bytes, duration_ns) = (*direction, *bytes, *duration_ns);
                Some(FlowsSpec { direction, bytes, duration_ns, flows: vec![only] })
            }
            Workload::Flows(flows) => {
                let mut flows = flows.clone();
                flows.flows.iter_mut().for_each(|flow| flow.dscp = flow.dscp.or(self.dscp));
                Some(flows)
            }
            Workload::PageLoad(_) | Workload::Ping(_) => None,
        }
    }
}
