//! The octets of a segment (RFC 9293 section 3.1), for captures.

use crate::options::{FastOpenOption, Options, SackPermitted, SynOptions, Timestamps};
use crate::payload::Payload;
use crate::segment::{Segment, TCP_HEADER};

const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const FAST_OPEN: u8 = 34;

impl Segment {
    /// Appends header, options and data; the IP header is left out, and the checksum, which covers part of it, is
    /// zero.
    ///
    /// Data of which only the number is known are zeros.
    pub fn encode(&self, octets: &mut Vec<u8>) {
        let header_words = (TCP_HEADER + self.options.wire_len()) / 4;
        octets.extend(self.source.port().to_be_bytes());
        octets.extend(self.destination.port().to_be_bytes());
        octets.extend(self.seq.0.to_be_bytes());
        octets.extend(self.ack.0.to_be_bytes());
        octets.extend([(header_words as u8) << 4, self.flags.bits()]);
        octets.extend(self.window.to_be_bytes());
        // Checksum and urgent pointer.
        octets.extend([0; 4]);
        self.options.encode(octets);
        match &self.payload {
            Payload::Bytes(bytes) => octets.extend_from_slice(bytes),
            Payload::Length(length) => octets.resize(octets.len() + *length as usize, 0),
        }
    }
}

impl Options {
    /// In Linux's order, padded by no-operations to words (`tcp_options_write`).
    fn encode(&self, octets: &mut Vec<u8>) {
        if let Some(syn) = &self.syn {
            octets.extend([MAXIMUM_SEGMENT_SIZE, 4]);
            octets.extend(syn.mss.to_be_bytes());
        }
        let offers_sack = self.syn.is_some_and(|syn| syn.sack == SackPermitted::Yes);
        match (self.timestamps, offers_sack) {
            (None, false) => {}
            (None, true) => octets.extend([NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]),
            (Some(timestamps), false) => {
                octets.extend([NO_OPERATION, NO_OPERATION]);
                timestamps.encode(octets);
            }
            (Some(timestamps), true) => {
                octets.extend([SACK_PERMITTED, 2]);
                timestamps.encode(octets);
            }
        }
        if let Some(shift) = self.syn.and_then(|syn| syn.window_scale) {
            octets.extend([NO_OPERATION, WINDOW_SCALE, 3, shift]);
        }
        let blocks = self.sack.as_slice();
        if !blocks.is_empty() {
            octets.extend([NO_OPERATION, NO_OPERATION, SACK, 2 + 8 * blocks.len() as u8]);
            for (start, end) in blocks {
                octets.extend(start.0.to_be_bytes());
                octets.extend(end.0.to_be_bytes());
            }
        }
        if let Some(SynOptions { fast_open: Some(option), .. }) = &self.syn {
            let cookie: &[u8] = match option {
                FastOpenOption::Request => &[],
                FastOpenOption::Cookie(cookie) => &cookie.0,
            };
            octets.extend([FAST_OPEN, 2 + cookie.len() as u8]);
            octets.extend(cookie);
            octets.extend([NO_OPERATION, NO_OPERATION]);
        }
    }
}

impl Timestamps {
    fn encode(self, octets: &mut Vec<u8>) {
        octets.extend([TIMESTAMPS, 10]);
        octets.extend(self.value.to_be_bytes());
        octets.extend(self.echo.to_be_bytes());
    }
}
