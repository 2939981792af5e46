use std::io;
use std::rc::Rc;

use bentpipe_run::Direction;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::order::{Limit, Order};
use super::transfer::{receive, send};
use crate::net::{Bulk, Net};
use crate::origin::{AcceptedQuic, AcceptedTcp, Host, OriginError, accept_quic, accept_tcp};

/// Serves bulk flows over TCP.
pub(crate) fn serve_tcp<N: Net>(host: &Rc<Host<N>>) -> Result<(), OriginError> {
    accept_tcp(host, host.config.ports.bulk, |accepted| async move {
        let AcceptedTcp { host, mut stream, index } = accepted;
        host.connections.update(index, |report| report.protocol = "bulk".to_owned());
        host.note(serve(&host, &mut stream).await);
    })
}

/// Serves bulk flows over QUIC, one stream a connection.
pub(crate) fn serve_quic<N: Net>(host: &Rc<Host<N>>) -> Result<(), OriginError> {
    accept_quic(host, host.config.ports.bulk, "bulk", |accepted| async move {
        let AcceptedQuic { host, connection } = accepted;
        // A client that leaves before it asks for anything asks for nothing.
        let Ok((send, recv)) = connection.accept_bi().await else { return };
        let mut stream = tokio::io::join(recv, send);
        host.note(serve(&host, &mut stream).await);
        connection.closed().await;
    })
}

async fn serve<N: Net>(host: &Host<N>, stream: &mut impl Bulk) -> io::Result<()> {
    let order = Order::read(stream).await?;
    match order.direction {
        Direction::Down => match (send(&host.net, stream, order.limit).await, order.limit) {
            (Ok(()), _) => {
                // Megabytes may still wait in the send buffer: the connection's state is watched until the
                // receiver leaves, in whatever way it does.
                let _ = stream.read(&mut [0]).await;
                Ok(())
            }
            // A receiver whose time is over just leaves.
            (Err(_), Limit::Duration(_)) => Ok(()),
            (Err(error), Limit::Bytes(_)) => Err(error),
        },
        Direction::Up => {
            // The sender decides when its time is over; its data may still be on the way then.
            let limit = match order.limit {
                Limit::Bytes(_) => order.limit,
                Limit::Duration(_) => Limit::Bytes(bentpipe_units::Bytes::new(u64::MAX)),
            };
            let transfer = receive(&host.net, stream, limit).await?;
            host.transfer.replace(Some(transfer));
            // The end of our side tells the sender that everything has arrived.
            stream.shutdown().await
        }
    }
}
