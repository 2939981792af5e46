//! The origin's end of all flows.

use std::io;
use std::rc::Rc;

use bentpipe_net::{Bulk, Net};
use bentpipe_run::{Direction, Transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::flow::Flow;
use super::order::{Limit, Order};
use super::transfer::{Receiver, send};
use crate::origin::{AcceptedQuic, AcceptedTcp, Host, OriginError, accept_quic, accept_tcp};

/// Serves each flow of the run at a port of its own.
pub(crate) fn serve<N: Net>(host: &Rc<Host<N>>) -> Result<(), OriginError> {
    Flow::all(&host.config.spec).into_iter().try_for_each(|flow| match flow.transport {
        Transport::Tcp => serve_tcp(host, flow),
        Transport::Quic => serve_quic(host, flow),
    })
}

fn serve_tcp<N: Net>(host: &Rc<Host<N>>, flow: Flow) -> Result<(), OriginError> {
    accept_tcp(host, host.at(flow.port(host.config.ports)), flow.cc, flow.dscp, move |accepted| async move {
        let AcceptedTcp { host, mut stream, index } = accepted;
        host.connections.update(index, |report| {
            report.protocol = "bulk".to_owned();
            report.flow = Some(flow.index);
        });
        host.note(exchange(&host, &mut stream, flow).await);
    })
}

/// One stream a connection.
fn serve_quic<N: Net>(host: &Rc<Host<N>>, flow: Flow) -> Result<(), OriginError> {
    accept_quic(host, 0, flow.port(host.config.ports), "bulk", flow.sender(), move |accepted| async move {
        let AcceptedQuic { host, connection, index } = accepted;
        host.connections.update(index, |report| report.flow = Some(flow.index));
        // A client that leaves before it asks for anything asks for nothing.
        let Ok((send, recv)) = connection.accept_bi().await else { return };
        let mut stream = tokio::io::join(recv, send);
        host.note(exchange(&host, &mut stream, flow).await);
        connection.closed().await;
    })
}

async fn exchange<N: Net>(host: &Host<N>, stream: &mut impl Bulk, flow: Flow) -> io::Result<()> {
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
            let mut receiver = Receiver::new(&host.net, limit);
            receiver.run(&host.net, stream).await?;
            host.transfers.borrow_mut().push(receiver.report(flow.index));
            // The end of our side tells the sender that everything has arrived.
            stream.shutdown().await
        }
    }
}
