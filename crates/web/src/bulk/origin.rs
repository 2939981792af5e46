use std::io;
use std::rc::Rc;

use bentpipe_run::Direction;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::order::{Limit, Order};
use super::transfer::{receive, send};
use crate::net::Net;
use crate::origin::{AcceptedQuic, AcceptedTcp, Host, OriginError, accept_quic, accept_tcp};

/// Serves bulk flows over TCP.
pub(crate) fn serve_tcp<N: Net>(host: &Rc<Host<N>>) -> Result<(), OriginError> {
    accept_tcp(host, host.config.ports.bulk, |accepted| async move {
        let AcceptedTcp { host, stream, index } = accepted;
        host.connections.update(index, |report| report.protocol = "bulk".to_owned());
        let (mut recv, mut send) = tokio::io::split(stream);
        host.note(serve(&host, &mut recv, &mut send).await);
    })
}

/// Serves bulk flows over QUIC, one stream a connection.
pub(crate) fn serve_quic<N: Net>(host: &Rc<Host<N>>) -> Result<(), OriginError> {
    accept_quic(host, host.config.ports.bulk, "bulk", |accepted| async move {
        let AcceptedQuic { host, connection } = accepted;
        // A client that leaves before it asks for anything asks for nothing.
        let Ok((mut send, mut recv)) = connection.accept_bi().await else { return };
        host.note(serve(&host, &mut recv, &mut send).await);
        connection.closed().await;
    })
}

async fn serve<N: Net>(
    host: &Host<N>,
    recv: &mut (impl AsyncRead + Unpin),
    out: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let order = Order::read(recv).await?;
    match order.direction {
        Direction::Down => match (send(&host.net, out, order.limit).await, order.limit) {
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
            let transfer = receive(&host.net, recv, limit).await?;
            host.transfer.replace(Some(transfer));
            // The end of our side tells the sender that everything has arrived.
            out.shutdown().await
        }
    }
}
