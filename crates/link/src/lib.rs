//! The satellite link, sans-IO: packets and instants go in, packets and instants come out.
//!
//! A [`Path`] has two directions, each a chain of its own:
//!
//! ```text
//! enqueue -> access (queue and capacity) -> loss -> propagation -> poll
//! ```
//!
//! The link reads no clock and sets no timer. Whoever drives it (real time or an event queue)
//! 1. hands every packet to [`Path::enqueue`] with the instant at which it came,
//! 2. calls [`Path::poll`] with the present instant until it returns `None`,
//! 3. asks [`Path::next_event`] and comes back at that instant, or earlier with another packet.
//!
//! Coming back late changes nothing but the lateness: every instant in an [`Event`] is when it was
//! due, and what was due in between happened at its own time (the next packet left the queue when
//! the transmitter became free, not when somebody polled). Events come in order of their instants
//! over both directions; at equal instants the forward direction comes first, and within one
//! direction a loss comes before a delivery.
//!
//! Instants must not go backwards. One that does is taken for the latest instant seen, so that
//! equal histories stay equal whatever the driver's batching.
//!
//! # Determinism
//! Equal spec, seed and calls give equal events. Every random component of every direction draws
//! from a stream of its own, so that changing one leaves the draws of the others as they were.

#![forbid(unsafe_code)]

mod channel;
mod checks;
mod config;
mod counters;
mod describe;
mod direction;
mod directional_path;
mod dscp;
pub mod dvbs2;
mod ecn;
mod egress;
mod error;
mod event;
mod load;
pub mod mpeg_ts;
mod packet;
mod path;
mod pipe;
mod queue;
mod random;
pub mod rcs2;
mod report;
mod schedule;
mod signal;
mod table;
mod terrestrial;

pub use bentpipe_orbit::{ChoiceSpec, ConstellationSpec, GeometrySpec, IslSpec, ShellSpec, SiteSpec};
pub use channel::{JitterSpec, LossSpec, OutageSpec, QuantileSpec};
pub use config::{CapacitySpec, DirectionSpec, LinkSpec, check, nominal_rate};
pub use describe::{
    BurstDescription, DirectionDescription, Dvbs2Description, LinkDescription, ModcodDescription,
    Rcs2Description, SlotsDescription, describe, describe_slots,
};
pub use direction::Direction;
pub use dscp::{Dscp, DscpError};
pub use dvbs2::{
    AcmSpec, CustomerSpec, Dvbs2EncapsulationSpec, Dvbs2Spec, FecFrameSpec, IdleSpec, ModulationSpec,
    PilotsSpec,
};
pub use ecn::Ecn;
pub use error::SpecError;
pub use event::{DropCause, Event};
pub use load::{LoadError, LoadSpec, TracePacketSpec};
pub use packet::Packet;
pub use path::Path;
pub use queue::{ClassSpec, Dualpi2Spec, QueueSpec};
pub use rcs2::dama::{
    BackgroundSpec, FreeSpec, MixSpec, PlacementSpec, RbdcSpec, SignallingSpec, SlotRateSpec, VolumeKindSpec,
    VolumeOrderSpec, VolumeSpec,
};
pub use rcs2::{BurstSpec, DemandClassSpec, LayoutSpec, ProtectionSpec, Rcs2EncapsulationSpec, Rcs2Spec};
pub use report::{
    DirectionReport, DropCounts, LatenessReport, LinkReport, PacketSighting, QueueClassReport, TimerReport,
};
pub use schedule::{
    CapacityVariationSpec, EpochDelaySpec, EpochSpec, OPPORTUNITY_BYTES, RowSpec, ScheduleSpec,
    SilenceKindSpec, SilenceSpec, StateSpec, schedule_rows, schedule_series,
};
pub use signal::{AttenuationPoint, AttenuationSpec, EsN0Spec, LegSpec};
pub use table::{INTERVAL, Table};
pub use terrestrial::{Heading, Terrestrial, TerrestrialSpec};
