//! The DVB-S2 forward link (ETSI EN 302 307-1) with GSE (ETSI TS 102 606-1) or a [transport stream](crate::mpeg_ts).
//! Model page: docs/models/dvbs2.md.
//!
//! ```text
//! Source -> GSE or TS packets -> BBFRAMEs -> PLFRAMEs -> symbols -> (frame error) -> Reassembly
//! ```
//!
//! A [`Transmitter`] builds one PLFRAME after the other from what waits in a [`Source`]. It times them by their
//! symbols, and says which packets each of them completes. Whoever drives it
//! 1. before anything changes at an instant (a packet comes, or [`Transmitter::set_plframe`] is called), calls
//!    [`Transmitter::poll`] with that instant until it returns `None`; or, where [`Transmitter::next_start`] is later,
//!    only [`Transmitter::observe`],
//! 2. asks [`Transmitter::next_start`] and comes back then, or earlier with a change,
//! 3. decides what becomes of each [`Frame`], for instance by its [`frame_error`], and asks [`Reassembly`] which of
//!    the completed packets are lost with it.
//!
//! Packets travel in streams. A frame carries one stream, because it has one MODCOD:
//! - CCM is one stream whose [`PlFrame`] never changes,
//! - VCM is one stream per class, each with a [`PlFrame`] of its own,
//! - ACM is a stream whose [`PlFrame`] is set anew whenever its receiver reports; it holds for frames that start later.

pub(crate) mod acm;
pub(crate) mod config;
mod customers;
mod dummies;
pub(crate) mod egress;
mod encapsulation;
mod fecframe;
mod frame;
mod gse;
mod gse_packets;
mod modcod;
mod net_rate;
mod packing;
mod per;
mod probe;
mod reassembly;
mod round_robin;
mod scheduling;
mod share;
mod source;
mod symbols;
mod transmitter;
mod user_packets;

pub use acm::AcmSpec;
pub use config::{Dvbs2EncapsulationSpec, Dvbs2Spec, ModulationSpec};
pub use customers::CustomerSpec;
pub(crate) use dummies::DummyTrain;
pub use encapsulation::Encapsulation;
pub use fecframe::FecFrameSpec;
pub use frame::{IdleSpec, PilotsSpec, PlFrame};
pub use gse::{Gse, Label};
pub use modcod::{CodeRate, Modcod, Modulation};
pub use net_rate::net_rate;
pub use packing::Edge;
pub(crate) use per::error_probability;
pub use per::frame_error;
pub use reassembly::{Fate, Reassembly};
pub use scheduling::Scheduling;
pub(crate) use share::Share;
pub use source::{Backlog, Source};
pub(crate) use symbols::NANOS_PER_SEC;
pub use symbols::SymbolRate;
pub use transmitter::{Carrier, Frame, Transmitter};
