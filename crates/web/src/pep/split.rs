//! A transport proxy, which splits connections (RFC 3135 section 2.2.1).

use bentpipe_net::{Intercepted, Interceptor, Middlebox, Stream};
use bentpipe_run::{Algorithm, SplitSpec};

use super::config::{Config, Side};
use super::counters::Counters;
use super::error::PepError;
use super::legs::{ACCEPT_PAUSE, buffer_bytes, control_towards_hosts};
use super::relay::relay;

/// One side of a host on the path.
#[derive(Clone)]
struct Leg<N> {
    net: N,
    cc: Algorithm,
}

/// Splits all connections that come from the client's side for ever (RFC 3135 section 2.2.1).
///
/// A connection is accepted in the server's name before the server knows of it, and opened to the server in the
/// client's name.
pub(super) fn start<N: Middlebox>(
    net: &N,
    config: &Config,
    spec: &SplitSpec,
    counters: &Counters,
) -> Result<(), PepError> {
    let satellite = Leg { net: net.with_tcp(&spec.tcp), cc: spec.cc };
    let hosts = Leg { net: net.with_tcp(&config.spec.tcp), cc: control_towards_hosts(&config.spec) };
    let (near, far) = match config.side {
        Side::Terminal => (hosts, satellite),
        Side::Gateway => (satellite, hosts),
    };
    let mut interceptor = near.net.intercept(near.cc)?;
    let (net, counters, buffer) = (net.clone(), counters.clone(), buffer_bytes(spec.relay_buffer_bytes));
    net.clone().spawn(async move {
        loop {
            match interceptor.accept().await {
                Ok(connection) => net.spawn(carry(connection, far.clone(), buffer, counters.clone())),
                // No descriptor was free: the connection waits until one is.
                Err(_) => net.sleep(ACCEPT_PAUSE).await,
            }
        }
    });
    Ok(())
}

/// Opens the other half of a connection and relays; what happens to one half happens to the other.
async fn carry<N: Middlebox>(
    connection: Intercepted<N::Stream>,
    far: Leg<N>,
    buffer: usize,
    counters: Counters,
) {
    let Intercepted { stream: mut client, source, destination, dscp } = connection;
    counters.opened();
    let Ok(mut server) = far.net.connect_from(source, destination, far.cc, dscp).await else {
        counters.failed();
        client.reset();
        return;
    };
    let carried = |direction, bytes| counters.carried(direction, bytes);
    if relay(&mut client, &mut server, buffer, carried).await.is_err() {
        counters.failed();
        client.reset();
        server.reset();
    }
}
