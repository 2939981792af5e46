//! The return link's air interface: DVB-RCS2 (ETSI EN 301 545-2). Model page: docs/models/rcs2.md.
//!
//! A [`Waveform`] says what one burst carries, a [`LayoutSpec`] when the bursts are, and [`Fragmenter`] and
//! [`Reassembler`] how IP packets get into bursts and out again: by [RLE](rle), or as in DVB-RCS before it in the
//! packets of [a transport stream](crate::mpeg_ts). Who may send in which timeslot is decided in [`crate::rcs2::dama`].

mod burst_error;
pub(crate) mod config;
pub mod dama;
pub(crate) mod egress;
mod encapsulation;
mod goodput;
mod layout;
pub mod rle;
mod waveform;

pub use crate::dvbs2::SymbolRate;
pub use burst_error::burst_error;
pub use config::{BurstSpec, DemandClassSpec, Rcs2EncapsulationSpec, Rcs2Spec};
pub use encapsulation::{Encapsulation, Fragmenter, Piece, Reassembler};
pub use goodput::Goodput;
pub use layout::{LayoutSpec, Span, Superframes};
pub use rle::{ProtectionSpec, ProtocolField};
pub use waveform::{BurstLength, Modulation, Waveform};
