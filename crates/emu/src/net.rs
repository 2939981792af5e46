use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_run::CongestionControl;
use bentpipe_units::Time;
use bentpipe_web::net::Net;
use nix::sys::socket::{setsockopt, sockopt};
use noq::Runtime;
use socket2::SockRef;
use tokio::net::TcpSocket;

use crate::clock;
use crate::tcp::{KernelListener, KernelStream};
use crate::udp::KernelDatagrams;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// Socket buffer for QUIC: a burst at 500 Mbit/s over 50 ms while another process has the core.
const UDP_BUFFER_BYTES: usize = 4 << 20;

/// The kernel's network, clock and a tokio executor on one thread.
#[derive(Clone, Debug)]
pub struct KernelNet;

impl Net for KernelNet {
    type Stream = KernelStream;
    type Listener = KernelListener;
    type Datagrams = KernelDatagrams;

    fn now(&self) -> Time {
        clock::now()
    }

    async fn sleep_until(&self, at: Time) {
        tokio::time::sleep(at.since(clock::now()).into()).await;
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        tokio::task::spawn_local(task);
    }

    async fn connect(&self, to: SocketAddr, cc: CongestionControl) -> io::Result<KernelStream> {
        let socket = tcp_socket(to, cc)?;
        KernelStream::new(socket.connect(to).await?)
    }

    fn listen(&self, at: SocketAddr, cc: CongestionControl) -> io::Result<KernelListener> {
        let socket = tcp_socket(at, cc)?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        // Accepted sockets inherit the congestion control.
        Ok(KernelListener(socket.listen(BACKLOG)?))
    }

    fn datagrams(&self, at: SocketAddr) -> io::Result<KernelDatagrams> {
        KernelDatagrams::bind(at)
    }

    fn quic_socket(&self, at: SocketAddr) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn Runtime>)> {
        let socket = std::net::UdpSocket::bind(at)?;
        enlarge_buffers(&socket)?;
        let runtime = Arc::new(noq::TokioRuntime);
        Ok((runtime.wrap_udp_socket(socket)?, runtime))
    }
}

/// A TCP socket that uses `cc`. The kernel reads back what it uses in `TcpSample`.
fn tcp_socket(peer: SocketAddr, cc: CongestionControl) -> io::Result<TcpSocket> {
    let socket = match peer {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // As browsers and servers do (RFC 9110 leaves it to them): requests must not wait for acknowledgements.
    socket.set_nodelay(true)?;
    let name = kernel_name(cc)?;
    SockRef::from(&socket).set_tcp_congestion(name.as_bytes()).map_err(|error| {
        io::Error::new(error.kind(), format!("congestion control {name} is not to be had: {error}"))
    })?;
    Ok(socket)
}

/// The kernel's name of an algorithm.
///
/// # Errors
/// When the kernel has not got it.
fn kernel_name(cc: CongestionControl) -> io::Result<&'static str> {
    cc.kernel_name().ok_or_else(|| {
        let known: Vec<_> =
            CongestionControl::ALL.into_iter().filter_map(CongestionControl::kernel_name).collect();
        let message = format!("run.cc over TCP: expected one of {}, found {}", known.join(", "), cc.name());
        io::Error::new(io::ErrorKind::Unsupported, message)
    })
}

/// Root may exceed the system's limit; anybody else gets as much as that allows.
fn enlarge_buffers(socket: &std::net::UdpSocket) -> io::Result<()> {
    let forced = setsockopt(socket, sockopt::RcvBufForce, &UDP_BUFFER_BYTES)
        .and_then(|()| setsockopt(socket, sockopt::SndBufForce, &UDP_BUFFER_BYTES));
    if forced.is_err() {
        let socket = SockRef::from(socket);
        socket.set_recv_buffer_size(UDP_BUFFER_BYTES)?;
        socket.set_send_buffer_size(UDP_BUFFER_BYTES)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_has_not_got_is_refused_by_name() {
        let error = kernel_name(CongestionControl::Bbr3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let message = error.to_string();
        assert!(message.starts_with("run.cc over TCP: expected one of reno, cubic, bbr"), "{message}");
        assert!(message.ends_with("found bbr3"), "{message}");
    }
}
