//! What QUIC takes of a host's processor.

use std::collections::BTreeSet;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bentpipe_net::Processor;
use noq::udp::{RecvMeta, Transmit};
use noq::{AsyncUdpSocket, UdpSender};

/// A UDP socket at a host whose processor takes time for the datagrams of QUIC: each waits until that is idle.
#[derive(Debug)]
pub(super) struct ProcessingSocket {
    socket: Box<dyn AsyncUdpSocket>,
    processor: Processor,
    /// Those whose first flight has come: every connection of ours has a port of its own at the client.
    peers: BTreeSet<SocketAddr>,
}

#[derive(Debug)]
struct ProcessingSender {
    sender: Pin<Box<dyn UdpSender>>,
    processor: Processor,
}

impl ProcessingSocket {
    /// Puts `socket` under the processor of its host, if that is modelled.
    pub(super) fn over(
        socket: Box<dyn AsyncUdpSocket>,
        processor: Option<Processor>,
    ) -> Box<dyn AsyncUdpSocket> {
        match processor {
            Some(processor) => Box::new(Self { socket, processor, peers: BTreeSet::new() }),
            None => socket,
        }
    }
}

impl AsyncUdpSocket for ProcessingSocket {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        let (sender, processor) = (self.socket.create_sender(), self.processor.clone());
        Box::pin(ProcessingSender { sender, processor })
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        ready!(self.processor.poll_idle(cx));
        // One at a time: the next is not looked at before this one is done.
        let count = ready!(self.socket.poll_recv(cx, &mut buffers[..1], &mut meta[..1]))?;
        for received in &meta[..count] {
            if self.peers.insert(received.addr) {
                self.processor.handle_handshake();
            }
            // Of equal length, but for the last (RecvMeta::stride), where the kernel hands over several.
            self.processor.handle_datagrams(received.len.div_ceil(received.stride.max(1)) as u64);
        }
        Poll::Ready(Ok(count))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn max_receive_segments(&self) -> NonZeroUsize {
        self.socket.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.socket.may_fragment()
    }
}

impl UdpSender for ProcessingSender {
    fn poll_send(
        mut self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.processor.poll_idle(cx));
        ready!(self.sender.as_mut().poll_send(transmit, cx))?;
        self.processor.handle_datagrams(1);
        Poll::Ready(Ok(()))
    }
}
