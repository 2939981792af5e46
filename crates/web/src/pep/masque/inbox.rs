//! UDP packets that have come for a socket.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

/// What each packet takes beside its bytes.
const OVERHEAD: usize = size_of::<Bytes>();

/// UDP packets that have come for a socket and wait for its reader. When it is full the newest is dropped, as by a kernel's
/// socket.
#[derive(Debug)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    /// Bytes that it holds at most.
    most: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    packets: VecDeque<Bytes>,
    bytes: usize,
    reader: Option<Waker>,
    is_closed: bool,
}

impl Inbox {
    pub(super) fn new(most: usize) -> Self {
        Self { waiting: Mutex::default(), most }
    }

    pub(super) fn push(&self, packet: Bytes) {
        let waiting = &mut *self.lock();
        let bytes = packet.len() + OVERHEAD;
        if waiting.is_closed || waiting.bytes + bytes > self.most {
            return;
        }
        waiting.bytes += bytes;
        waiting.packets.push_back(packet);
        if let Some(reader) = waiting.reader.take() {
            reader.wake();
        }
    }

    /// No packet comes any more.
    pub(super) fn close(&self) {
        let waiting = &mut *self.lock();
        waiting.is_closed = true;
        if let Some(reader) = waiting.reader.take() {
            reader.wake();
        }
    }

    /// The next packet; an error when there will be none.
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        let waiting = &mut *self.lock();
        if let Some(packet) = waiting.packets.pop_front() {
            waiting.bytes -= packet.len() + OVERHEAD;
            return Poll::Ready(Ok(packet));
        }
        if waiting.is_closed {
            let message = "the proxy has closed the socket";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::NotConnected, message)));
        }
        waiting.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("no panic while receiving")
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn packets_beyond_the_most_are_dropped_and_those_before_them_come_before_the_end() {
        let inbox = Inbox::new(2 * (OVERHEAD + 10));
        for byte in 0..3 {
            inbox.push(Bytes::from(vec![byte; 10]));
        }
        inbox.close();
        inbox.push(Bytes::from_static(b"late"));
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = || match inbox.poll(&mut cx) {
            Poll::Ready(result) => result.ok(),
            Poll::Pending => panic!("it is closed"),
        };
        assert_eq!([next(), next()], [0, 1].map(|byte| Some(Bytes::from(vec![byte; 10]))));
        assert_eq!(next(), None);
    }
}
