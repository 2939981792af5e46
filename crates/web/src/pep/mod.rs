//! Performance-enhancing proxies (RFC 3135): hosts on either side of the satellite that take part in connections.
//!
//! [`relay`](relay()) carries the bytes of two streams to each other. `split` does so for connections whose ends know
//! nothing of it, `proxy` for a client that asks for them; `masque` carries UDP for a client that asks for that.
//! [`relay_quic`] does it for all streams of two QUIC connections, `quic_split` for those of ends that trust it.

mod config;
mod counters;
mod error;
mod legs;
mod masque;
mod proxy;
mod quic_relay;
mod quic_split;
mod relay;
mod split;
mod standing;
mod tunnel;

use std::io;

use bentpipe_net::{Middlebox, Net, within};
use bentpipe_run::{PepPlace, PepSpec};
use bentpipe_units::Duration;
use tokio::sync::oneshot;

pub use config::{Config, Side};
use counters::Counters;
pub use counters::PepReport;
pub use error::PepError;
pub(crate) use masque::{Masque, MasqueError};
pub(crate) use proxy::proxy_at;
pub use quic_relay::{LOST, relay as relay_quic};
pub use quic_split::ports as quic_ports;
pub use relay::relay;
pub(crate) use tunnel::Tunnel;

/// A host on the path at work. On some it has nothing to do but to forward packets, which is not its business.
#[derive(Debug)]
pub struct Pep {
    counters: Counters,
    /// Tells when its standing connections stand, where it has any.
    standing: Option<oneshot::Receiver<io::Result<()>>>,
}

impl Pep {
    /// Starts what the run's specification has on this side.
    ///
    /// # Errors
    /// When the host may not intercept, a port is taken, the congestion control is not to be had, or the certificate is
    /// unusable.
    pub fn start<N: Middlebox>(net: &N, config: &Config) -> Result<Self, PepError> {
        let counters = Counters::default();
        let mut standing = None;
        match &config.spec.pep {
            Some(PepSpec::Split(spec)) if stands_at(spec.place, config.side) => {
                standing = split::start(net, config, spec, &counters)?;
            }
            Some(PepSpec::Proxy(spec)) if config.side == Side::Gateway => {
                proxy::start(net, config, spec, &counters)?;
            }
            Some(PepSpec::Masque(spec)) if config.side == Side::Gateway => {
                masque::start(net, config, spec, &counters)?;
            }
            Some(PepSpec::QuicSplit(spec)) => quic_split::start(net, config, spec, &counters)?,
            // Nothing that goes through a tunnel looks like TCP.
            Some(PepSpec::Split(_) | PepSpec::Proxy(_) | PepSpec::Masque(_) | PepSpec::Tunnel(_)) | None => {}
        }
        Ok(Self { counters, standing })
    }

    /// Whether it has connections to open before the run.
    pub fn is_opening(&self) -> bool {
        self.standing.is_some()
    }

    /// Returns when the connections stand that are to stand before the run; at once where there are none.
    ///
    /// # Errors
    /// When one of them could not be opened, or not within `limit`.
    pub async fn ready<N: Net>(&mut self, net: &N, limit: Duration) -> Result<(), PepError> {
        let Some(standing) = self.standing.take() else { return Ok(()) };
        // Who would tell lives as long as the host.
        let result = within(net, limit, standing).await.ok_or(PepError::NotStanding { limit })?;
        Ok(result.unwrap_or(Ok(()))?)
    }

    /// What it has done so far.
    pub fn report(&self) -> PepReport {
        self.counters.report()
    }
}

fn stands_at(place: PepPlace, side: Side) -> bool {
    match place {
        PepPlace::Terminal => side == Side::Terminal,
        PepPlace::Gateway => side == Side::Gateway,
        PepPlace::Both => true,
    }
}
