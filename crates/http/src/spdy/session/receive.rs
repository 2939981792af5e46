//! What a session makes of each frame.

use bytes::Bytes;

use super::{Event, Leave, MOST_ANSWERS, Role, Session};
use crate::spdy::frame::{MOST_31_BITS, setting};
use crate::spdy::stream::{Incoming, Outgoing};
use crate::spdy::{Fin, Frame, Headers, Priority, ResetStatus, SessionError, Sides, StreamId};

type Handled = Result<Option<Event>, SessionError>;

impl Session {
    /// What a frame means.
    pub(super) fn handle(&mut self, frame: Frame) -> Handled {
        match frame {
            Frame::SynStream { stream, associated, priority, fin, sides, headers } => {
                self.syn_stream((stream, associated), priority, (fin, sides), headers)
            }
            Frame::SynReply { stream, fin, headers } => self.reply(stream, fin, headers),
            Frame::Headers { stream, fin, headers } => self.more_headers(stream, fin, headers),
            Frame::Data { stream, fin, payload } => self.data(stream, fin, payload),
            Frame::RstStream { stream, status } => {
                // No answer, lest resets be answered by resets (draft 2.4.2).
                Ok(self.forget(stream).then_some(Event::Reset { stream, status }))
            }
            Frame::Settings(entries) => self.settings(&entries),
            Frame::Ping(id) => self.ping(id),
            Frame::Goaway { last_good, status } => {
                if self.leave == Leave::No {
                    self.leave = Leave::Peer;
                }
                let gone = |stream: &StreamId| self.is_ours(*stream) && *stream > last_good;
                let gone: Vec<_> = self.streams.keys().copied().filter(gone).collect();
                for stream in gone {
                    self.forget(stream);
                }
                Ok(Some(Event::Goaway { last_good, status }))
            }
            Frame::WindowUpdate { stream, delta } => self.window_update(stream, delta),
        }
    }

    /// Ends a stream for the peer's error.
    pub(super) fn fail_stream(&mut self, stream: StreamId, status: ResetStatus) -> Handled {
        if stream == 0 {
            return Err(SessionError::StreamId(stream));
        }
        if self.was_reset.contains(&stream) {
            return Ok(None);
        }
        self.pass_over(stream);
        self.answer(&Frame::RstStream { stream, status: status.wire() })?;
        Ok(self.forget(stream).then_some(Event::Reset { stream, status: status.wire() }))
    }

    /// Ends the session (draft 2.4.1).
    pub(super) fn fail(&mut self, error: SessionError) {
        self.leave = Leave::Failed(error);
        self.streams.clear();
        self.queue(&Frame::Goaway { last_good: self.last_peer, status: error.goaway_status() });
    }

    /// Queues a frame that the peer has provoked.
    fn answer(&mut self, frame: &Frame) -> Result<(), SessionError> {
        self.answers += 1;
        if self.answers > MOST_ANSWERS {
            return Err(SessionError::Flood);
        }
        self.queue(frame);
        Ok(())
    }

    fn syn_stream(
        &mut self,
        (stream, associated): (StreamId, StreamId),
        priority: Priority,
        (fin, sides): (Fin, Sides),
        headers: Headers,
    ) -> Handled {
        if stream == 0 || self.is_ours(stream) {
            return Err(SessionError::StreamId(stream));
        }
        if self.leave == Leave::Us || self.was_reset.contains(&stream) {
            return Ok(None);
        }
        // Draft 2.3.2: one that is open ends, one that was open or is out of order ends the session.
        if self.streams.contains_key(&stream) {
            return self.fail_stream(stream, ResetStatus::ProtocolError);
        }
        if stream <= self.last_peer {
            return Err(SessionError::StreamId(stream));
        }
        self.last_peer = stream;
        if self.role == Role::Client {
            // Draft 3.3.1.
            if sides == Sides::Both {
                return self.fail_stream(stream, ResetStatus::ProtocolError);
            }
            if !self.is_ours(associated) || !self.streams.contains_key(&associated) {
                return self.fail_stream(stream, ResetStatus::InvalidStream);
            }
        }
        let open = self.streams.keys().filter(|stream| !self.is_ours(**stream)).count();
        if open as u64 >= u64::from(self.config.max_concurrent_streams) {
            return self.fail_stream(stream, ResetStatus::RefusedStream);
        }
        let outgoing = match sides {
            Sides::Both => Outgoing::Unanswered,
            Sides::Creator => Outgoing::Done,
        };
        self.add(stream, priority, outgoing, Incoming::after(fin));
        Ok(Some(Event::Opened { stream, associated, priority, fin, headers }))
    }

    fn reply(&mut self, stream: StreamId, fin: Fin, headers: Headers) -> Handled {
        let is_ours = self.is_ours(stream);
        let Some(entry) = self.streams.get_mut(&stream) else { return self.stray(stream) };
        match entry.incoming {
            Incoming::Unanswered => {
                entry.incoming = Incoming::after(fin);
                self.retire(stream);
                Ok(Some(Event::Headers { stream, fin, headers }))
            }
            // Draft 2.6.2.
            Incoming::Open if is_ours => self.fail_stream(stream, ResetStatus::StreamInUse),
            Incoming::Open => self.fail_stream(stream, ResetStatus::ProtocolError),
            Incoming::Done => self.fail_stream(stream, ResetStatus::StreamAlreadyClosed),
        }
    }

    fn more_headers(&mut self, stream: StreamId, fin: Fin, headers: Headers) -> Handled {
        let Some(entry) = self.streams.get_mut(&stream) else { return self.stray(stream) };
        match entry.incoming {
            Incoming::Unanswered => self.fail_stream(stream, ResetStatus::ProtocolError),
            Incoming::Open => {
                entry.incoming = Incoming::after(fin);
                self.retire(stream);
                Ok(Some(Event::Headers { stream, fin, headers }))
            }
            Incoming::Done => self.fail_stream(stream, ResetStatus::StreamAlreadyClosed),
        }
    }

    fn data(&mut self, stream: StreamId, fin: Fin, payload: Bytes) -> Handled {
        // Draft 2.6.8: it counts whatever becomes of it.
        self.receive_window.receive(payload.len())?;
        self.receive_window.release(payload.len());
        let Some(entry) = self.streams.get_mut(&stream) else { return self.stray(stream) };
        match entry.incoming {
            // Draft 2.2.2.
            Incoming::Unanswered => return self.fail_stream(stream, ResetStatus::ProtocolError),
            // Draft 2.3.6.
            Incoming::Done => return self.fail_stream(stream, ResetStatus::StreamAlreadyClosed),
            Incoming::Open => {}
        }
        if entry.receive_window.receive(payload.len()).is_err() {
            return self.fail_stream(stream, ResetStatus::FlowControlError);
        }
        if fin == Fin::Present {
            entry.incoming = Incoming::Done;
            self.retire(stream);
        } else if payload.is_empty() {
            return Ok(None);
        }
        Ok(Some(Event::Data { stream, fin, payload }))
    }

    /// A frame of a stream that is not open (draft 2.2.2, 2.3.7).
    fn stray(&mut self, stream: StreamId) -> Handled {
        if self.leave == Leave::Us {
            return Ok(None);
        }
        let was_open = if self.is_ours(stream) { stream < self.next } else { stream <= self.last_peer };
        self.fail_stream(
            stream,
            if was_open { ResetStatus::ProtocolError } else { ResetStatus::InvalidStream },
        )
    }

    fn settings(&mut self, entries: &[(u32, u32)]) -> Handled {
        for (id, value) in entries.iter().copied() {
            match id {
                setting::MAX_CONCURRENT_STREAMS => self.peer_limit = value,
                setting::INITIAL_WINDOW_SIZE if value > MOST_31_BITS => {
                    return Err(SessionError::Setting { id, value });
                }
                setting::INITIAL_WINDOW_SIZE => {
                    let delta = i64::from(value) - i64::from(self.peer_window);
                    self.peer_window = value;
                    for stream in self.streams.values_mut() {
                        stream.send_window.change(delta)?;
                    }
                }
                // Estimates, and what was deprecated (draft 2.6.4).
                _ => {}
            }
        }
        Ok(None)
    }

    /// Draft 2.6.5: the peer's are sent back, others are ignored.
    fn ping(&mut self, id: u32) -> Handled {
        if !self.is_ours(id) {
            self.answer(&Frame::Ping(id))?;
        }
        Ok(None)
    }

    fn window_update(&mut self, stream: StreamId, delta: u32) -> Handled {
        if stream == 0 {
            if delta == 0 {
                return Err(SessionError::WindowUnchanged);
            }
            self.send_window.change(i64::from(delta))?;
            return Ok(None);
        }
        // Those of a stream that has just ended may still be on their way.
        let Some(entry) = self.streams.get_mut(&stream) else { return Ok(None) };
        if delta == 0 {
            return self.fail_stream(stream, ResetStatus::ProtocolError);
        }
        match entry.send_window.change(i64::from(delta)) {
            Ok(()) => Ok(None),
            Err(_) => self.fail_stream(stream, ResetStatus::FlowControlError),
        }
    }
}
