//! What keeps a congestion control registered.

use std::os::fd::OwnedFd;

use libbpf_rs::MapHandle;

/// Flag of a map that is registered through a link (`include/uapi/linux/bpf.h`).
pub(crate) const BPF_F_LINK: u32 = 1 << 13;
/// A table of operations, or of constants, is a map with one element.
pub(crate) const ONLY_KEY: [u8; 4] = 0u32.to_ne_bytes();

/// What keeps a congestion control registered.
#[derive(Debug)]
pub(crate) enum Hold {
    /// A descriptor of a link: the registration ends with the last one, in whichever process (Linux 6.4).
    Link { _link: OwnedFd },
    /// A table of operations without a link: registered until its element is deleted.
    Table(MapHandle),
}
