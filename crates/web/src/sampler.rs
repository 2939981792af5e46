//! The state of connections, sampled.

use bentpipe_net::{Net, Probe};
use bentpipe_run::INTERVAL;

use crate::connection::Connections;

/// Samples every connection at fixed intervals from now on.
pub(crate) fn spawn<N: Net, P: Probe>(net: &N, connections: &Connections<P>) {
    let (clock, connections) = (net.clone(), connections.clone());
    net.spawn(async move {
        let mut at = clock.now();
        loop {
            connections.sample(at);
            at += INTERVAL;
            clock.sleep_until(at).await;
        }
    });
}
