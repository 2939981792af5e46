//! A transport proxy, which splits connections (RFC 3135 section 2.2.1).

use std::io;

use bentpipe_net::{Intercepted, Interceptor, Middlebox, Stream};
use bentpipe_run::{Algorithm, Direction, PepPlace, SplitSpec, Switch, TcpSpec};
use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::config::{Config, Side};
use super::counters::Counters;
use super::error::PepError;
use super::legs::{ACCEPT_PAUSE, buffer_bytes, control_towards_hosts};
use super::relay::relay;
use super::standing::{self, Introduction, Pool};

/// One side of a host on the path.
#[derive(Clone)]
struct Leg<N> {
    net: N,
    cc: Algorithm,
}

/// What all connections of a proxy share.
#[derive(Clone)]
struct Splitter<N: Middlebox> {
    far: Far<N>,
    buffer: usize,
    counters: Counters,
}

/// The side away from the client.
#[derive(Clone)]
enum Far<N: Middlebox> {
    /// On which a connection is opened for each.
    Opened(Leg<N>),
    /// On which each takes one that stands.
    Standing(Pool<N>),
}

/// Splits all connections that come from the client's side for ever (RFC 3135 section 2.2.1).
///
/// A connection is accepted in the server's name before the server knows of it, and opened to the server in the
/// client's name. Where terminal and gateway have standing connections, what is returned tells when these stand.
pub(super) fn start<N: Middlebox>(
    net: &N,
    config: &Config,
    spec: &SplitSpec,
    counters: &Counters,
) -> Result<Option<oneshot::Receiver<io::Result<()>>>, PepError> {
    let mut satellite = Leg { net: net.with_tcp(&spec.tcp), cc: spec.cc };
    let hosts = Leg { net: net.with_tcp(&config.spec.tcp), cc: control_towards_hosts(&config.spec) };
    let (counters, buffer) = (counters.clone(), buffer_bytes(spec.relay_buffer_bytes));
    let is_standing = spec.standing.is_on() && spec.place == PepPlace::Both;
    if is_standing {
        // A connection that waits for its first data does not stand.
        satellite.net = net.with_tcp(&TcpSpec { fast_open: Switch::Off, ..spec.tcp.clone() });
    }
    match config.side {
        Side::Terminal if is_standing => {
            let pool = Pool::new(satellite.net, satellite.cc, config.gateway);
            let (told, filled) = oneshot::channel();
            let (filling, wanted) = (pool.clone(), standing::wanted(&config.spec));
            net.spawn(async move {
                let _ = told.send(filling.fill(wanted).await);
            });
            Splitter { far: Far::Standing(pool), buffer, counters }.intercept(&hosts)?;
            Ok(Some(filled))
        }
        Side::Gateway if is_standing => Splitter { far: Far::Opened(hosts), buffer, counters }
            .await_standing(&satellite, config)
            .map(Some),
        side => {
            let (near, far) = match side {
                Side::Terminal => (hosts, satellite),
                Side::Gateway => (satellite, hosts),
            };
            Splitter { far: Far::Opened(far), buffer, counters }.intercept(&near)?;
            Ok(None)
        }
    }
}

impl<N: Middlebox> Splitter<N> {
    /// Takes the connections that pass.
    fn intercept(self, near: &Leg<N>) -> Result<(), PepError> {
        let mut interceptor = near.net.intercept(near.cc)?;
        let net = near.net.clone();
        net.clone().spawn(async move {
            loop {
                match interceptor.accept().await {
                    Ok(connection) => net.spawn(self.clone().carry(connection)),
                    // No descriptor was free: the connection waits until one is.
                    Err(_) => net.sleep(ACCEPT_PAUSE).await,
                }
            }
        });
        Ok(())
    }

    /// Takes those that a terminal introduces on standing ones, of which all stand when the receiver is told.
    fn await_standing(
        self,
        near: &Leg<N>,
        config: &Config,
    ) -> Result<oneshot::Receiver<io::Result<()>>, PepError> {
        let mut complete = Vec::new();
        for (mark, count) in standing::wanted(&config.spec) {
            let at = (config.address, standing::port(mark)).into();
            let mut listener = near.net.listen(at, near.cc, mark)?;
            let (told, all) = oneshot::channel();
            complete.push(all);
            let (net, splitter) = (near.net.clone(), self.clone());
            net.clone().spawn(async move {
                let mut told = Some(told);
                for accepted in 1.. {
                    let stream = standing::accepted(&net, &mut listener).await;
                    let splitter = splitter.clone();
                    net.spawn(async move {
                        // A terminal that has nothing to carry any more closes.
                        if let Ok(connection) = Introduction::await_on(stream, mark).await {
                            splitter.carry(connection).await;
                        }
                    });
                    if accepted == count {
                        told.take().map(|told| told.send(()));
                    }
                }
            });
        }
        let (told, filled) = oneshot::channel();
        near.net.spawn(async move {
            join_all(complete).await;
            let _ = told.send(Ok(()));
        });
        Ok(filled)
    }

    /// Has the other half of a connection and relays; what happens to one half happens to the other.
    async fn carry(self, mut connection: Intercepted<N::Stream>) {
        self.counters.opened();
        let Ok(mut server) = self.onwards(&mut connection).await else {
            self.counters.failed();
            connection.stream.reset();
            return;
        };
        let mut client = connection.stream;
        let carried = |direction, bytes| self.counters.carried(direction, bytes);
        if relay(&mut client, &mut server, self.buffer, carried).await.is_err() {
            self.counters.failed();
            client.reset();
            server.reset();
        }
    }

    /// The other half of a connection.
    async fn onwards(&self, connection: &mut Intercepted<N::Stream>) -> io::Result<N::Stream> {
        match &self.far {
            Far::Opened(Leg { net, cc }) => {
                net.connect_from(connection.source, connection.destination, *cc, connection.dscp).await
            }
            Far::Standing(pool) => {
                let mut first = Introduction::of(connection)?.encode().to_vec();
                // In one segment with the introduction: alone that would cost a packet more.
                first.reserve_exact(self.buffer);
                let bytes = connection.stream.read_buf(&mut first).await?;
                let mut server = pool.take(connection.dscp).await?;
                server.write_all(&first).await?;
                self.counters.carried(Direction::Up, bytes);
                Ok(server)
            }
        }
    }
}
