//! TLS by rustls, with a certificate authority of the run's own.

mod accept;
mod client;
mod clock;
mod connect;
pub mod cost;
mod early;
mod handshake;
mod identity;
mod key_exchange;
mod memory;
mod processing;
mod secrets;
mod settings;

pub use accept::{Accepted, Acceptor};
pub use client::ClientTls;
pub use connect::{connect, server_name};
pub use handshake::{EarlyData, Secured, Told};
pub use identity::{Identity, IdentityError, KeyKind};
pub use memory::Memory;
pub use processing::Processing;
pub use secrets::Secrets;
pub use settings::TlsSettings;

pub(crate) use clock::FrozenClock;
pub(crate) use handshake::handshake;
pub(crate) use key_exchange::name as key_exchange_name;
use key_exchange::provider;
pub(crate) use memory::Store;
use settings::wire;
