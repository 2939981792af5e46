//! Congestion controls for the kernel's own TCP: eBPF programs (struct_ops) and what loads them.
//!
//! The kernel has no Vivace, Hybla only as a module that many kernels lack, and CUBIC without SEARCH. The programs in
//! `c/` are these three; the last leaves CUBIC to the kernel's own functions. Their arithmetic is in headers of integers,
//! such as `c/hybla.h`, which the tests compile for the host as well and compare with `bentpipe-cc` step by step.
//!
//! A [`Registration`] makes one of them available by its name on the whole host, or shares what another process
//! has registered. The last one takes it back when it is dropped or its process ends, however that comes about;
//! before Linux 6.4 a process that is killed may leave its registration behind ([`remove_leftovers`]). Sockets that
//! use it then keep it until they are closed.
//!
//! Needs root, Linux 6.1 or later with BTF, and a clang at build time; [`obstacle`] says what is missing.

mod control;
mod hold;
mod kernel;
mod layout;
mod leftovers;
mod load;
mod lock;
mod marker;
mod object;
mod obstacle;
mod programs;
mod registered;
mod registration;

pub use control::Control;
pub use leftovers::{leftovers, remove_leftovers};
pub use lock::Pause;
pub use obstacle::{Obstacle, obstacle};
pub use registration::{Error, Registration};
