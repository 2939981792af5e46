//! The seam between Python and Rust: [`RunSpec`] goes in, [`RunRecord`] comes out.
//!
//! Both are plain data, both have a JSON schema generated from the types ([`schema`]). A spec is
//! complete: nothing is filled in later, because the defaults live in `python/bentpipe/scenario/defaults.py`
//! alone. A setting that it does not have is not in use. The parties of a run (client, origin, link) each
//! hand in a report; [`assemble`] turns them into the record, the same way for both engines.

mod assemble;
mod browser;
mod carried;
mod dns;
mod flows;
mod handshakes;
mod host;
mod layers;
pub mod media;
mod object_kind;
mod page;
mod page_load;
mod pep;
mod priorities;
mod programs;
mod queues;
mod quic;
mod reason;
mod record;
mod report;
pub mod schema;
mod server_behind;
mod spare_connections;
mod spec;
mod streams;
mod tls;
mod transport;
mod visit;

pub use assemble::{RunReports, assemble, failed};
// What a spec and a record hold of congestion control, TCP and the link is theirs.
pub use bentpipe_cc::Algorithm;
pub use bentpipe_cc::bbr::BbrSpec;
pub use bentpipe_cc::careful_resume::{ResumeSpec, SavedSpec, Transition};
pub use bentpipe_cc::slow_start::SlowStartChoice;
pub use bentpipe_link::{
    AcmSpec, AttenuationPoint, AttenuationSpec, BackgroundSpec, BurstSpec, CapacitySpec, ClassSpec,
    CustomerSpec, DemandClassSpec, DirectionReport, DirectionSpec, DropCounts, Dscp, DscpError, Dualpi2Spec,
    Dvbs2EncapsulationSpec, Dvbs2Spec, EsN0Spec, FecFrameSpec, FreeSpec, INTERVAL, IdleSpec, JitterSpec,
    LatenessReport, LayoutSpec, LegSpec, LinkReport, LinkSpec, LoadSpec, LossSpec, MixSpec, ModulationSpec,
    OutageSpec, PacketSighting, PilotsSpec, PlacementSpec, ProtectionSpec, QuantileSpec, QueueClassReport,
    QueueSpec, RbdcSpec, Rcs2EncapsulationSpec, Rcs2Spec, SignallingSpec, SlotRateSpec, Table,
    TerrestrialSpec, TimerReport, TracePacketSpec, VolumeKindSpec, VolumeOrderSpec, VolumeSpec,
};
pub use bentpipe_tcp::TcpSpec;
pub use bentpipe_units::Switch;
pub use browser::{BrowserRecord, BrowserReport, Frame, FrameSighting};
pub use carried::{Carried, CarriedBytes};
pub use dns::{DnsProtocol, DnsSpec, ResolverCache, ResolverConnection, ResolverPlace};
pub use host::{HostSpec, HostsSpec, WakeupStep};
pub use layers::{BytesByLayer, LayerBytes};
pub use object_kind::ObjectKind;
pub use page::{FileSpec, ObjectSpec, PageSpec};
pub use page_load::{Http, Http2Spec, PageLoadSpec, Visit};
pub use pep::{MasqueSpec, PepPlace, PepSpec, ProxySpec, QuicSplitSpec, SplitSpec, TunnelSpec};
pub use priorities::Priorities;
pub use programs::{Browser, Server};
pub use quic::{AckFrequencySpec, QuicSpec};
pub use reason::{End, Reason};
pub use record::{
    Engine, FlowRecord, Metrics, ObjectTiming, Provenance, QueueRecord, RttUnderLoad, RunRecord, Status,
};
pub use report::{
    ClientReport, ConnectionReport, Drops, Handshake, ObjectSighting, OriginReport, PingReport, Purpose,
    TransferReport,
};
pub use server_behind::ServerBehind;
pub use spec::{
    BulkSpec, CaptureSpec, Direction, FlowSpec, FlowsSpec, PingSpec, RunSpec, ValiditySpec, Workload,
};
pub use tls::{KeyExchange, Resumption, TlsSpec, TlsVersion};
pub use transport::Transport;
