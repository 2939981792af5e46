//! What the QUIC library asks of its host: a clock, timers, tasks and a UDP socket.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bentpipe_net::{QuicDatagram, QuicDatagrams};
use bentpipe_units::{Duration, Time};
use noq::udp::EcnCodepoint;
use noq::{AsyncTimer, AsyncUdpSocket, Runtime};

use crate::clock::Clock;
use crate::executor::Injector;
use crate::host::udp::{Received, UdpSocket};
use crate::stream::v4;
use crate::tick::TickTimer;

/// The host as the library sees it.
pub(crate) struct QuicRuntime {
    /// The instant of time zero.
    pub(crate) epoch: Instant,
    pub(crate) clock: Arc<Clock>,
    pub(crate) injector: Injector,
}

#[derive(Debug)]
struct QuicTimer {
    epoch: Instant,
    timer: TickTimer,
}

impl Runtime for QuicRuntime {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        let timer = TickTimer::new(&self.clock, time_of(at, self.epoch));
        Box::pin(QuicTimer { epoch: self.epoch, timer })
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        self.injector.push(future);
    }

    fn wrap_udp_socket(&self, _socket: std::net::UdpSocket) -> io::Result<Box<dyn AsyncUdpSocket>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "a simulated host has no sockets of the system"))
    }

    fn now(&self) -> Instant {
        self.epoch + std::time::Duration::from_nanos(self.clock.now().as_nanos())
    }
}

impl AsyncTimer for QuicTimer {
    fn reset(self: Pin<&mut Self>, at: Instant) {
        self.timer.reset(time_of(at, self.epoch));
    }

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.timer.poll(cx)
    }
}

impl QuicDatagrams for UdpSocket {
    fn local(&self) -> SocketAddr {
        UdpSocket::local(self)
    }

    #[inline]
    fn poll_datagram(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<QuicDatagram> {
        self.poll_receive(cx, buffer).map(|Received { length, from, ecn }| QuicDatagram {
            length,
            from,
            ecn: EcnCodepoint::from_bits(ecn),
        })
    }

    #[inline]
    fn send_datagram(&self, payload: &[u8], to: SocketAddr, ecn: Option<EcnCodepoint>) -> io::Result<()> {
        self.send(payload, v4(to)?, ecn.map_or(0, |codepoint| codepoint as u8));
        Ok(())
    }
}

impl fmt::Debug for QuicRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QuicRuntime")
    }
}

fn time_of(at: Instant, epoch: Instant) -> Time {
    Time::ZERO + Duration::from(at.saturating_duration_since(epoch))
}
