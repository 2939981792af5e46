//! Packets in an MPEG transport stream, by MPE (ETSI EN 301 192) or ULE (RFC 4326).
//! Model page: docs/models/mpeg_ts.md.
//!
//! ```text
//! packet -> SNDU -> payloads of TS packets -> frames of DVB-S2, or bursts of DVB-RCS
//! ```
//!
//! An SNDU (subnetwork data unit, RFC 4259) is a packet with what an [`Encapsulation`] puts around it: a section of
//! MPE, or what ULE calls by the name. A [`Payload`] says how SNDUs share TS packets. [`crate::dvbs2`] cuts the TS
//! packets of a stream where its frames end; bursts of the return link carry whole ones, in which [`Fragmenter`] puts
//! packets and [`Reassembler`] finds them.

mod encapsulation;
mod fragmenter;
mod packet;
mod payload;
mod reassembler;

pub use encapsulation::{Address, Encapsulation};
pub use fragmenter::{Fragmenter, Part};
pub use packet::TS_PACKET_BYTES;
pub use payload::Payload;
pub use reassembler::Reassembler;
