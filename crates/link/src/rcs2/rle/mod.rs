//! Return link encapsulation (ETSI TS 103 179).

mod encapsulation;
mod fragmenter;
mod reassembler;

pub use encapsulation::{Ppdu, ProtectionSpec, ProtocolField, Rle};
pub use fragmenter::Fragmenter;
pub use reassembler::Reassembler;
