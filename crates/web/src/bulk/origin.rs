use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_run::Direction;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::order::{Limit, Order};
use super::transfer::{receive, send};
use crate::connection::Connections;
use crate::net::Net;
use crate::origin::{AcceptedQuic, AcceptedTcp, Config, Log, OriginError, Probe, accept_quic, accept_tcp};

/// Serves bulk flows over TCP.
pub(crate) fn serve_tcp<N: Net>(
    net: &N,
    at: SocketAddr,
    connections: &Connections<Probe<N>>,
    log: &Rc<Log>,
    config: &Config,
) -> Result<(), OriginError> {
    let log = Rc::clone(log);
    accept_tcp(net, at, connections, config, move |accepted| {
        let log = Rc::clone(&log);
        async move {
            let AcceptedTcp { stream, net, connections, index } = accepted;
            connections.update(index, |report| report.protocol = "bulk".to_owned());
            let (mut recv, mut send) = tokio::io::split(stream);
            log.note(serve(&net, &mut recv, &mut send, &log).await);
        }
    })
}

/// Serves bulk flows over QUIC, one stream a connection.
pub(crate) fn serve_quic<N: Net>(
    net: &N,
    at: SocketAddr,
    connections: &Connections<Probe<N>>,
    log: &Rc<Log>,
    config: &Config,
) -> Result<(), OriginError> {
    let log = Rc::clone(log);
    accept_quic(net, at, &["bulk"], connections, config, move |accepted| {
        let log = Rc::clone(&log);
        async move {
            let AcceptedQuic { connection, net } = accepted;
            // A client that leaves before it asks for anything asks for nothing.
            let Ok((mut send, mut recv)) = connection.accept_bi().await else { return };
            log.note(serve(&net, &mut recv, &mut send, &log).await);
            connection.closed().await;
        }
    })
}

async fn serve<N: Net>(
    net: &N,
    recv: &mut (impl AsyncRead + Unpin),
    out: &mut (impl AsyncWrite + Unpin),
    log: &Log,
) -> io::Result<()> {
    let order = Order::read(recv).await?;
    match order.direction {
        Direction::Down => match (send(net, out, order.limit).await, order.limit) {
            // A receiver whose time is over just leaves.
            (Err(_), Limit::Duration(_)) => Ok(()),
            (result, _) => result,
        },
        Direction::Up => {
            // The sender decides when its time is over; its data may still be on the way then.
            let limit = match order.limit {
                Limit::Bytes(_) => order.limit,
                Limit::Duration(_) => Limit::Bytes(bentpipe_units::Bytes::new(u64::MAX)),
            };
            let transfer = receive(net, recv, limit).await?;
            log.transfer.replace(Some(transfer));
            // The end of our side tells the sender that everything has arrived.
            out.shutdown().await
        }
    }
}
