//! What the QUIC library asks of its host: a clock, timers, tasks and a UDP socket.

use std::fmt;
use std::future::Future;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bentpipe_net::{QuicDatagram, segments};
use bentpipe_units::{Duration, Time};
use noq::udp::{EcnCodepoint, RecvMeta, Transmit};
use noq::{AsyncTimer, AsyncUdpSocket, Runtime, UdpSender};

use crate::clock::{Clock, Timer};
use crate::executor::Injector;
use crate::host::udp::UdpSocket;
use crate::stream::v4;

/// The host as the library sees it.
pub(crate) struct QuicRuntime {
    /// The instant of time zero.
    pub(crate) epoch: Instant,
    pub(crate) clock: Arc<Clock>,
    pub(crate) injector: Arc<Injector>,
}

#[derive(Debug)]
struct QuicTimer {
    epoch: Instant,
    timer: Timer,
}

impl Runtime for QuicRuntime {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        let timer = Timer::new(&self.clock, time_of(at, self.epoch));
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

impl AsyncUdpSocket for UdpSocket {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(self.clone())
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let received = ready!(self.poll_receive(cx, &mut buffers[0]));
        let ecn = EcnCodepoint::from_bits(received.ecn);
        QuicDatagram { from: received.from, to: self.local().ip(), length: received.length, ecn }
            .describe(&mut meta[0]);
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.local())
    }

    fn may_fragment(&self) -> bool {
        false
    }
}

impl UdpSender for UdpSocket {
    fn poll_send(
        self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        _cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let ecn = transmit.ecn.map_or(0, |codepoint| codepoint as u8);
        let to = v4(transmit.destination)?;
        for contents in segments(transmit) {
            self.send(contents, to, ecn);
        }
        Poll::Ready(Ok(()))
    }

    fn max_transmit_segments(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
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
