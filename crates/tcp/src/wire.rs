//! The bytes of a segment (RFC 9293 section 3.1), for captures.

use crate::cookie::Cookie;
use crate::options::{FastOpenForm, Options, SackPermitted, SynOptions, Timestamps};
use crate::payload::Payload;
use crate::segment::{Segment, TCP_HEADER};

const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const FAST_OPEN: u8 = 34;
/// RFC 6994: with the number of the experiment behind.
const EXPERIMENTAL: u8 = 254;
const FAST_OPEN_EXPERIMENT: [u8; 2] = [0xf9, 0x89];

impl Segment {
    /// Appends header, options and data; the IP header is left out, and the checksum, which covers part of it, is
    /// zero.
    ///
    /// Data of which only the number is known are zeros.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let header_words = (TCP_HEADER + self.options.wire_len()) / 4;
        bytes.extend(self.source.port().to_be_bytes());
        bytes.extend(self.destination.port().to_be_bytes());
        bytes.extend(self.seq.0.to_be_bytes());
        bytes.extend(self.ack.0.to_be_bytes());
        bytes.extend([(header_words as u8) << 4, self.flags.bits()]);
        bytes.extend(self.window.to_be_bytes());
        // Checksum and urgent pointer.
        bytes.extend([0; 4]);
        self.options.encode(bytes);
        match &self.payload {
            Payload::Bytes(data) => bytes.extend_from_slice(data),
            Payload::Length(length) => bytes.resize(bytes.len() + *length as usize, 0),
        }
    }
}

impl Options {
    /// In Linux's order, padded by no-operations to words (`tcp_options_write`).
    fn encode(&self, bytes: &mut Vec<u8>) {
        if let Some(syn) = &self.syn {
            bytes.extend([MAXIMUM_SEGMENT_SIZE, 4]);
            bytes.extend(syn.mss.to_be_bytes());
        }
        let offers_sack = self.syn.is_some_and(|syn| syn.sack == SackPermitted::Yes);
        match (self.timestamps, offers_sack) {
            (None, false) => {}
            (None, true) => bytes.extend([NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]),
            (Some(timestamps), false) => {
                bytes.extend([NO_OPERATION, NO_OPERATION]);
                timestamps.encode(bytes);
            }
            (Some(timestamps), true) => {
                bytes.extend([SACK_PERMITTED, 2]);
                timestamps.encode(bytes);
            }
        }
        if let Some(shift) = self.syn.and_then(|syn| syn.window_scale) {
            bytes.extend([NO_OPERATION, WINDOW_SCALE, 3, shift]);
        }
        let blocks = self.sack.as_slice();
        if !blocks.is_empty() {
            bytes.extend([NO_OPERATION, NO_OPERATION, SACK, 2 + 8 * blocks.len() as u8]);
            for (start, end) in blocks {
                bytes.extend(start.0.to_be_bytes());
                bytes.extend(end.0.to_be_bytes());
            }
        }
        if let Some(SynOptions { fast_open: Some(option), .. }) = &self.syn {
            let cookie = option.cookie.as_ref().map_or(&[][..], Cookie::as_bytes);
            match option.form {
                FastOpenForm::Assigned => bytes.extend([FAST_OPEN, 2 + cookie.len() as u8]),
                FastOpenForm::Experimental => {
                    bytes.extend([EXPERIMENTAL, 4 + cookie.len() as u8]);
                    bytes.extend(FAST_OPEN_EXPERIMENT);
                }
            }
            bytes.extend(cookie);
            let padding = option.len().next_multiple_of(4) - option.len();
            bytes.extend((0..padding).map(|_| NO_OPERATION));
        }
    }
}

impl Timestamps {
    fn encode(self, bytes: &mut Vec<u8>) {
        bytes.extend([TIMESTAMPS, 10]);
        bytes.extend(self.value.to_be_bytes());
        bytes.extend(self.echo.to_be_bytes());
    }
}
