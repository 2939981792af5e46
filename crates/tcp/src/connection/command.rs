//! What the application asks for.

use bentpipe_units::{Bytes, Time};

use super::{Connection, LINGER, Reader, Reset};
use crate::config::Nagle;
use crate::event::{Closed, Read, StreamError};
use crate::payload::Payload;
use crate::receive::Decision;
use crate::state::State;

impl Connection {
    /// Takes as much of `payload` as the send buffer has room for and returns how many bytes that was. When it was
    /// cut short, [`Event::Writable`](crate::Event::Writable) tells when to go on.
    ///
    /// # Errors
    /// After [`shutdown`](Self::shutdown) and when the connection has ended.
    pub fn write(&mut self, now: Time, payload: &Payload) -> Result<u64, StreamError> {
        if let Some(reason) = self.ended {
            return Err(reason.into());
        }
        if self.send.is_shut_down() {
            return Err(StreamError::ShutDown);
        }
        Ok(self.send.write(now, payload))
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

    /// Gives the send buffer so much memory, whatever the window (`SO_SNDBUF`, twice what a program asks for).
    pub fn set_send_buffer(&mut self, memory: Bytes) {
        self.send.set_buffer(memory);
    }

    /// Whether small segments wait from now on (`TCP_NODELAY`).
    pub const fn set_nagle(&mut self, nagle: Nagle) {
        self.send.set_nagle(nagle);
    }

    /// Ends the connection at once with a reset.
    pub fn abort(&mut self) {
        self.abort_with(Closed::Aborted);
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
