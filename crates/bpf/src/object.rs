//! The compiled programs.

/// Bytes where an ELF file may lie.
#[repr(C, align(8))]
pub(crate) struct Aligned<T: ?Sized>(pub(crate) T);

include!(concat!(env!("OUT_DIR"), "/objects.rs"));
