//! The frames that go.

use bytes::{BufMut, BytesMut};

use super::block::Compressor;
use super::frame::{CONTROL, FRAME_HEADER, VERSION, kind};
use super::{Carried, Frame, Headers};

/// Writes the frames of one direction.
#[derive(Debug)]
pub struct Encoder {
    compressor: Compressor,
    carried: Carried,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { compressor: Compressor::new(), carried: Carried::default() }
    }
}

impl Encoder {
    /// Appends a frame. Frames must be sent in the order in which they are written, for their header blocks build
    /// on one another.
    ///
    /// # Panics
    /// When a frame is longer than 2^24 - 1 bytes.
    pub fn encode(&mut self, frame: &Frame, out: &mut BytesMut) {
        match frame {
            Frame::SynStream { stream, associated, priority, fin, sides, headers } => {
                let block = self.block(headers);
                self.control(out, kind::SYN_STREAM, fin.flag() | sides.flag(), 10, block.len());
                out.put_u32(*stream);
                out.put_u32(*associated);
                // Three bits of priority, five unused, eight of the credential's slot, which is none.
                out.put_u16(u16::from(priority.get()) << 13);
                out.put_slice(&block);
            }
            Frame::SynReply { stream, fin, headers } => {
                self.stream_headers(out, kind::SYN_REPLY, fin.flag(), *stream, headers);
            }
            Frame::Headers { stream, fin, headers } => {
                self.stream_headers(out, kind::HEADERS, fin.flag(), *stream, headers);
            }
            Frame::RstStream { stream, status } => self.words(out, kind::RST_STREAM, &[*stream, *status]),
            Frame::Settings(entries) => {
                self.control(out, kind::SETTINGS, 0, 4 + 8 * entries.len(), 0);
                out.put_u32(entries.len() as u32);
                for (id, value) in entries {
                    // Eight bits of flags, none of them set, and 24 of the id.
                    out.put_u32(*id);
                    out.put_u32(*value);
                }
            }
            Frame::Ping(id) => self.words(out, kind::PING, &[*id]),
            Frame::Goaway { last_good, status } => self.words(out, kind::GOAWAY, &[*last_good, *status]),
            Frame::WindowUpdate { stream, delta } => {
                self.words(out, kind::WINDOW_UPDATE, &[*stream, *delta]);
            }
            Frame::Data { stream, fin, payload } => {
                out.put_u32(*stream);
                put_flags_and_length(out, fin.flag(), payload.len());
                out.put_slice(payload);
                self.carried.count_frame(FRAME_HEADER);
                self.carried.count_data(payload.len());
            }
        }
    }

    /// What was written so far.
    pub fn carried(&self) -> Carried {
        self.carried
    }

    fn block(&mut self, headers: &Headers) -> Vec<u8> {
        let block = headers.encode();
        let compressed = self.compressor.compress(&block);
        self.carried.count_block(compressed.len(), block.len());
        compressed
    }

    fn stream_headers(&mut self, out: &mut BytesMut, kind: u16, flags: u8, stream: u32, headers: &Headers) {
        let block = self.block(headers);
        self.control(out, kind, flags, 4, block.len());
        out.put_u32(stream);
        out.put_slice(&block);
    }

    fn words(&mut self, out: &mut BytesMut, kind: u16, words: &[u32]) {
        self.control(out, kind, 0, 4 * words.len(), 0);
        for word in words {
            out.put_u32(*word);
        }
    }

    /// The header of a control frame of `fields` bytes and a header block (draft 2.2.1).
    fn control(&mut self, out: &mut BytesMut, kind: u16, flags: u8, fields: usize, block: usize) {
        out.put_u16(CONTROL | VERSION);
        out.put_u16(kind);
        put_flags_and_length(out, flags, fields + block);
        self.carried.count_frame(FRAME_HEADER + fields);
    }
}

fn put_flags_and_length(out: &mut BytesMut, flags: u8, length: usize) {
    let length = u32::try_from(length).ok().filter(|length| *length < 1 << 24).expect("24 bits of length");
    out.put_u32(u32::from(flags) << 24 | length);
}
