//! Why no congestion control can be registered here, as far as can be told without trying.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use nix::unistd::geteuid;

use crate::object;

/// The kernel's type information, by which an object adapts to it.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// Why no control can be registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// There was no clang with the target bpf when the crate was built.
    NotCompiled,
    /// The kernel does not describe its types (CONFIG_DEBUG_INFO_BTF).
    NoTypeInformation,
    /// The process is not root.
    NotRoot,
}

impl Display for Obstacle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotCompiled => "built without clang",
            Self::NoTypeInformation => "the kernel has no BTF",
            Self::NotRoot => "not root",
        })
    }
}

/// What stands in the way of a [`Registration`](crate::Registration), as far as can be told without trying.
pub fn obstacle() -> Option<Obstacle> {
    if object::HYBLA.is_none() {
        Some(Obstacle::NotCompiled)
    } else if !Path::new(BTF).exists() {
        Some(Obstacle::NoTypeInformation)
    } else if !geteuid().is_root() {
        Some(Obstacle::NotRoot)
    } else {
        None
    }
}
