//! What the application asks for.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::{Connection, LINGER, Reader, Reset};
use crate::config::Nagle;
use crate::event::{Closed, Read, StreamError};
use crate::payload::{Boundary, Payload};
use crate::receive::Decision;
use crate::state::State;

impl Connection {
    /// The application takes a connection from its listener's queue: its receive buffer may grow
    /// (`tcp_data_queue_ofo`: `sk->sk_socket`).
    pub const fn adopt(&mut self) {
        self.receive.adopt();
    }

    /// The application waits for the connection to write: the acknowledgement that opens it waits for that
    /// (`sk_write_pending`).
    pub const fn expect_write(&mut self) {
        self.handshake.expects_write = true;
    }

    /// Takes as much of `payload` as the send buffer has room for and returns how many bytes that was. When it was
    /// cut short, [`Event::Writable`](crate::Event::Writable) tells when to go on.
    ///
    /// # Errors
    /// After [`shutdown`](Self::shutdown) and when the connection has ended.
    pub fn write(&mut self, now: Time, payload: &Payload) -> Result<u64, StreamError> {
        self.write_up_to(now, payload, Boundary::Push)
    }

    /// As [`write`](Self::write), with what the application says of the write's end.
    ///
    /// # Errors
    /// As there.
    pub fn write_up_to(
        &mut self,
        now: Time,
        payload: &Payload,
        boundary: Boundary,
    ) -> Result<u64, StreamError> {
        if let Some(reason) = self.ended {
            return Err(reason.into());
        }
        if self.send.is_shut_down() {
            return Err(StreamError::ShutDown);
        }
        Ok(self.send.write(now, payload, boundary))
    }

    /// Takes up to `most` bytes that have arrived.
    ///
    /// # Errors
    /// When the connection has ended otherwise than by both directions' ends, and everything that came was read.
    pub fn read(&mut self, now: Time, most: u64) -> Result<Read, StreamError> {
        if let Some((payload, decision)) = self.receive.read(now, most) {
            let alive = !matches!(self.state, State::Closed | State::SynReceived);
            self.pending.acknowledgement |= alive && decision == Decision::Send;
            return Ok(Read::Data(payload));
        }
        match self.ended {
            _ if self.receive.is_finished() => Ok(Read::End),
            None => Ok(Read::Pending),
            Some(Closed::Finished) => Ok(Read::End),
            Some(reason) => Err(reason.into()),
        }
    }

    /// Finishes our direction: the FIN follows what was written. The peer may still send.
    pub fn shutdown(&mut self) {
        if self.ended.is_some() || self.send.is_shut_down() {
            return;
        }
        self.send.shutdown();
        self.state = match self.state {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            other => other,
        };
    }

    /// The application reads no more than what comes while it may still write: what comes later is refused
    /// (`SHUT_RD`, RFC 1122 section 4.2.2.13). The peer is not told.
    pub fn shutdown_reading(&mut self) {
        if self.reader == Reader::Present {
            self.reader = Reader::ShutDown;
        }
    }

    /// The application lets go: our direction is finished, and what still comes is refused (`tcp_close`).
    /// Unread data resets the connection (RFC 2525 section 2.17).
    pub fn close(&mut self, now: Time) {
        if self.reader == Reader::Gone {
            return;
        }
        self.reader = Reader::Gone;
        match self.state {
            State::SynSent => self.vanish(Closed::Aborted),
            _ if self.receive.unread() > 0 => self.abort_with(Closed::Aborted),
            State::FinWait2 => self.lingers_until = Some(now + LINGER),
            _ => self.shutdown(),
        }
    }

    /// Gives the receive buffer so much memory, for good (`SO_RCVBUF`, twice what a program asks for).
    pub const fn set_receive_buffer(&mut self, memory: Bytes) {
        self.receive.set_buffer(memory);
    }

    /// Gives the send buffer so much memory, whatever the window (`SO_SNDBUF`, twice what a program asks for).
    pub fn set_send_buffer(&mut self, memory: Bytes) {
        self.send.set_buffer(memory);
    }

    /// So much of what is written may wait that has not left (`TCP_NOTSENT_LOWAT`).
    pub const fn set_max_unsent(&mut self, bytes: Bytes) {
        self.send.set_max_unsent(bytes);
    }

    /// For how long the peer may leave unanswered what is retransmitted, or keep its window shut, before the connection ends
    /// (`TCP_USER_TIMEOUT`, RFC 9293 section 3.8.3), which counts for SYNs and for probes of a silent peer too; none for Linux's
    /// own times.
    pub const fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.send.set_user_timeout(timeout);
    }

    /// Paced from now on, and no faster than this (`SO_MAX_PACING_RATE`).
    pub const fn set_max_pacing_rate(&mut self, rate: Rate) {
        self.send.set_max_pacing_rate(rate);
    }

    /// Whether small segments wait from now on (`TCP_NODELAY`).
    pub fn set_nagle(&mut self, nagle: Nagle) {
        self.send.set_nagle(nagle);
    }

    /// Whether segments that are not full wait from now on until they are (`TCP_CORK`).
    pub fn set_cork(&mut self, is_corked: bool) {
        self.send.set_cork(is_corked);
    }

    /// Ends the connection at once with a reset.
    pub fn abort(&mut self) {
        self.abort_with(Closed::Aborted);
    }

    /// The network says that the peer cannot be reached: the connection ends without a word (`tcp_done_with_error`).
    pub fn give_up(&mut self) {
        self.vanish(Closed::Aborted);
    }

    pub(super) fn abort_with(&mut self, reason: Closed) {
        // RFC 9293 section 3.10.5.
        if !matches!(self.state, State::SynSent | State::Closed | State::TimeWait) {
            self.receive.discard_unread();
            self.pending.reset = Some(Reset::Own);
        }
        self.vanish(reason);
    }
}
