//! TLS by rustls, with a certificate authority of the run's own.

mod accept;
mod clock;
mod connect;
mod early;
mod handshake;
mod identity;
mod secrets;
mod terms;

pub(crate) use accept::{Accepted, Acceptor};
pub(crate) use clock::Standstill;
pub(crate) use connect::connect;
pub(crate) use handshake::{EarlyData, Secured, handshake};
pub use identity::{Identity, IdentityError, KeyKind};
pub use secrets::Secrets;
pub use terms::Terms;
pub(crate) use terms::wire;
