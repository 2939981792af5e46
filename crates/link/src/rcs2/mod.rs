//! The return link's air interface: DVB-RCS2 (ETSI EN 301 545-2). Model page: docs/models/rcs2.md.
//!
//! A [`Waveform`] says what one burst carries, a [`Layout`] when the bursts are, and [`Fragmenter`] and
//! [`Reassembler`] how IP packets get into bursts and out again (RLE, ETSI TS 103 179). Who may send in
//! which timeslot is decided in [`crate::dama`].

mod fragmenter;
mod layout;
mod reassembler;
mod rle;
mod waveform;

pub use fragmenter::Fragmenter;
pub use layout::{Layout, Span, Superframes};
pub use reassembler::Reassembler;
pub use rle::{Encapsulation, Ppdu, Protection, ProtocolField};
pub use waveform::{BurstLength, Modulation, Waveform};
