//! The echo service.

use std::net::SocketAddr;

use bentpipe_net::{Datagrams, Net};
use bentpipe_run::Dscp;

use super::error::OriginError;
use crate::ping::BUFFER;

/// Echoes every datagram to its sender (RFC 862), marked with `dscp`.
pub(super) fn serve<N: Net>(net: &N, at: SocketAddr, dscp: Dscp) -> Result<(), OriginError> {
    let socket = net.datagrams(at, dscp)?;
    net.spawn(async move {
        let mut buffer = vec![0; BUFFER];
        while let Ok((length, peer)) = socket.recv_from(&mut buffer).await {
            // An echo that cannot be sent is a lost echo.
            let _ = socket.send_to(&buffer[..length], peer).await;
        }
    });
    Ok(())
}
