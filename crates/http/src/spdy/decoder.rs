//! The frames that come.

use bytes::BytesMut;

use super::block::{Decompressor, MOST_BLOCK};
use super::frame::{
    CONTROL, FLAG_CLEAR_SETTINGS, FLAG_FIN, FLAG_UNIDIRECTIONAL, FRAME_HEADER, MOST_31_BITS, VERSION, kind,
};
use super::{
    Carried, Fin, Frame, FrameError, Headers, Priority, ResetStatus, SessionError, Sides, StreamError,
    StreamId,
};

/// What a control frame may hold: a header block of the largest size that deflate cannot shorten. The draft asks for
/// 8192 bytes (section 2.2.1).
const MOST_CONTROL: usize = MOST_BLOCK + 1024;

/// Reads the frames of one direction, however the bytes arrive.
#[derive(Debug)]
pub struct Decoder {
    buffer: BytesMut,
    /// The data frame whose payload is arriving.
    data: Option<Arriving>,
    decompressor: Decompressor,
    carried: Carried,
}

#[derive(Clone, Copy, Debug)]
struct Arriving {
    stream: StreamId,
    fin: Fin,
    left: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        let buffer = BytesMut::new();
        Self { buffer, data: None, decompressor: Decompressor::new(), carried: Carried::default() }
    }
}

impl Decoder {
    /// Takes bytes as they arrive.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame, or the next piece of a data frame; none until more bytes arrive.
    ///
    /// # Errors
    /// After a stream error the next frame can be read; after a session error nothing can.
    pub fn poll(&mut self) -> Result<Option<Frame>, FrameError> {
        loop {
            if let Some(arriving) = self.data {
                return Ok(self.piece(arriving));
            }
            let Some(header) = self.buffer.first_chunk::<FRAME_HEADER>().copied() else { return Ok(None) };
            let [a, b, c, d, flags, length @ ..] = header;
            let length = u32::from_be_bytes([0, length[0], length[1], length[2]]) as usize;
            let first = u16::from_be_bytes([a, b]);
            if first & CONTROL == 0 {
                allow(FLAG_FIN, 0, flags)?;
                let stream = u32::from_be_bytes([a, b, c, d]);
                let _header = self.buffer.split_to(FRAME_HEADER);
                self.carried.count_frame(FRAME_HEADER);
                self.data = Some(Arriving { stream, fin: Fin::of_flags(flags), left: length });
                continue;
            }
            if first & !CONTROL != VERSION {
                return Err(SessionError::Version(first & !CONTROL).into());
            }
            if length > MOST_CONTROL {
                return Err(SessionError::TooLarge.into());
            }
            if self.buffer.len() < FRAME_HEADER + length {
                return Ok(None);
            }
            let frame = self.buffer.split_to(FRAME_HEADER + length);
            if let Some(frame) = self.control(u16::from_be_bytes([c, d]), flags, &frame[FRAME_HEADER..])? {
                return Ok(Some(frame));
            }
        }
    }

    /// What was read so far.
    pub fn carried(&self) -> Carried {
        self.carried
    }

    fn piece(&mut self, arriving: Arriving) -> Option<Frame> {
        let Arriving { stream, fin, left } = arriving;
        let here = left.min(self.buffer.len());
        if here == 0 && left > 0 {
            return None;
        }
        let payload = self.buffer.split_to(here).freeze();
        self.carried.count_data(here);
        let left = left - here;
        self.data = (left > 0).then_some(Arriving { stream, fin, left });
        let fin = if left > 0 { Fin::Absent } else { fin };
        Some(Frame::Data { stream, fin, payload })
    }

    /// A control frame; none of a type that is unknown.
    fn control(&mut self, kind: u16, flags: u8, payload: &[u8]) -> Result<Option<Frame>, FrameError> {
        let fields = match kind {
            kind::SYN_STREAM => 10,
            kind::SYN_REPLY | kind::HEADERS => 4,
            _ => payload.len(),
        };
        self.carried.count_frame(FRAME_HEADER + fields.min(payload.len()));
        let allowed = match kind {
            kind::SYN_STREAM => FLAG_FIN | FLAG_UNIDIRECTIONAL,
            kind::SYN_REPLY | kind::HEADERS => FLAG_FIN,
            kind::SETTINGS => FLAG_CLEAR_SETTINGS,
            kind::RST_STREAM | kind::PING | kind::GOAWAY | kind::WINDOW_UPDATE => 0,
            _ => return Ok(None),
        };
        allow(allowed, kind, flags)?;
        let (fields, block) =
            payload.split_at_checked(fields).ok_or(SessionError::Length { kind, length: payload.len() })?;
        let fin = Fin::of_flags(flags);
        Ok(Some(match kind {
            kind::SYN_STREAM => {
                let stream = word(fields, 0) & MOST_31_BITS;
                let headers = self.headers(stream, block)?;
                let associated = word(fields, 4) & MOST_31_BITS;
                let priority = Priority::new(fields[8] >> 5).expect("three bits");
                let sides = Sides::of_flags(flags);
                Frame::SynStream { stream, associated, priority, fin, sides, headers }
            }
            kind::SYN_REPLY => {
                let stream = word(fields, 0) & MOST_31_BITS;
                Frame::SynReply { stream, fin, headers: self.headers(stream, block)? }
            }
            kind::HEADERS => {
                let stream = word(fields, 0) & MOST_31_BITS;
                Frame::Headers { stream, fin, headers: self.headers(stream, block)? }
            }
            kind::SETTINGS => Frame::Settings(settings(payload)?),
            kind::RST_STREAM => {
                let [stream, status] = words(kind, payload)?;
                Frame::RstStream { stream: stream & MOST_31_BITS, status }
            }
            kind::PING => {
                let [id] = words(kind, payload)?;
                Frame::Ping(id)
            }
            kind::GOAWAY => {
                let [last_good, status] = words(kind, payload)?;
                Frame::Goaway { last_good: last_good & MOST_31_BITS, status }
            }
            _ => {
                let [stream, delta] = words(kind, payload)?;
                Frame::WindowUpdate { stream: stream & MOST_31_BITS, delta: delta & MOST_31_BITS }
            }
        }))
    }

    fn headers(&mut self, stream: StreamId, compressed: &[u8]) -> Result<Headers, FrameError> {
        let block = self.decompressor.decompress(compressed)?;
        self.carried.count_block(compressed.len(), block.len());
        // The compression context is intact: the other streams go on (draft 2.4.1).
        let malformed = StreamError { stream, status: ResetStatus::ProtocolError };
        Headers::decode(&block).map_err(|_| malformed.into())
    }
}

fn allow(allowed: u8, kind: u16, flags: u8) -> Result<(), SessionError> {
    if flags & !allowed == 0 { Ok(()) } else { Err(SessionError::Flags { kind, flags }) }
}

/// The word that starts at a byte of fields whose length is known.
fn word(fields: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]])
}

/// A payload of so many words and nothing else.
fn words<const N: usize>(kind: u16, payload: &[u8]) -> Result<[u32; N], SessionError> {
    if payload.len() != 4 * N {
        return Err(SessionError::Length { kind, length: payload.len() });
    }
    Ok(std::array::from_fn(|i| word(payload, 4 * i)))
}

/// Ids and values; of an id that is there twice the first counts (draft 2.6.4).
fn settings(payload: &[u8]) -> Result<Vec<(u32, u32)>, SessionError> {
    let wrong = SessionError::Length { kind: kind::SETTINGS, length: payload.len() };
    let (count, entries) = payload.split_first_chunk::<4>().ok_or(wrong)?;
    if !entries.len().is_multiple_of(8) || u32::from_be_bytes(*count) as usize != entries.len() / 8 {
        return Err(wrong);
    }
    let mut settings: Vec<(u32, u32)> = Vec::new();
    for entry in entries.chunks_exact(8) {
        // The first byte holds flags.
        let (id, value) = (word(entry, 0) & 0x00ff_ffff, word(entry, 4));
        if !settings.iter().any(|(known, _)| *known == id) {
            settings.push((id, value));
        }
    }
    Ok(settings)
}
