//! Header blocks in a stream of frames.

use std::marker::PhantomData;

/// Finds header blocks in a stream of frames, however it is cut into pieces.
///
/// It follows its own side's frames, which are sound; of others it counts something and does no harm.
#[derive(Debug)]
pub struct Scanner<F> {
    /// Bytes to pass over before the first frame.
    preface: u64,
    /// The start of a frame's header.
    header: Vec<u8>,
    /// Bytes of the present frame before its header block.
    before: u64,
    /// Bytes of its header block.
    block: u64,
    /// Bytes of it that are something else.
    other: u64,
    framing: PhantomData<F>,
}

/// How frames start.
pub trait Framing: Unpin {
    /// What a client sends before its first frame.
    const CLIENT_PREFACE: u64 = 0;

    /// The frame whose header these bytes are; none when it is not complete.
    fn frame(header: &[u8]) -> Option<Frame>;
}

/// A frame's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its length.
    length: u64,
    /// Where a block of header fields starts that fills the rest of it.
    block_at: Option<u64>,
}

/// RFC 9113 section 4.1.
#[derive(Debug)]
pub enum Http2 {}

/// SPDY/3.1, section 2.2.
#[derive(Debug)]
pub enum Spdy {}

/// RFC 9114 section 7.1, on a request stream.
#[derive(Debug)]
pub enum Http3 {}

/// A protocol without frames.
#[derive(Debug)]
pub enum Unframed {}

impl<F: Framing> Scanner<F> {
    /// Of what a client sends.
    pub fn of_client() -> Self {
        Self { preface: F::CLIENT_PREFACE, ..Self::of_server() }
    }

    /// Of what a server sends.
    pub fn of_server() -> Self {
        let framing = PhantomData;
        Self { preface: 0, header: Vec::new(), before: 0, block: 0, other: 0, framing }
    }

    /// Takes the next bytes and returns how many of them belong to header blocks.
    pub fn header_block_bytes(&mut self, mut bytes: &[u8]) -> u64 {
        let mut found = 0;
        loop {
            skip(&mut bytes, &mut self.preface);
            skip(&mut bytes, &mut self.before);
            found += skip(&mut bytes, &mut self.block);
            skip(&mut bytes, &mut self.other);
            let Some((first, rest)) = bytes.split_first() else { return found };
            self.header.push(*first);
            bytes = rest;
            if let Some(Frame { length, block_at }) = F::frame(&self.header) {
                self.header.clear();
                match block_at {
                    None => self.other = length,
                    Some(at) => {
                        self.before = at.min(length);
                        self.block = length - self.before;
                    }
                }
            }
        }
    }
}

/// Passes over what is left of a part, as far as `bytes` reach; returns how far that was.
fn skip(bytes: &mut &[u8], left: &mut u64) -> u64 {
    let here = (*left).min(bytes.len() as u64);
    *bytes = &bytes[here as usize..];
    *left -= here;
    here
}

impl Framing for Http2 {
    /// RFC 9113 section 3.4.
    const CLIENT_PREFACE: u64 = 24;

    fn frame(header: &[u8]) -> Option<Frame> {
        const PRIORITY: u8 = 0x20;
        let header: &[u8; 9] = header.try_into().ok()?;
        let length = u64::from(u32::from_be_bytes([0, header[0], header[1], header[2]]));
        let block_at = match (header[3], header[4] & PRIORITY) {
            // HEADERS, with or without a dependency and a weight; CONTINUATION; PUSH_PROMISE with its stream.
            (0x1, 0) | (0x9, _) => Some(0),
            (0x1, _) => Some(5),
            (0x5, _) => Some(4),
            _ => None,
        };
        Some(Frame { length, block_at })
    }
}

impl Framing for Spdy {
    fn frame(header: &[u8]) -> Option<Frame> {
        let header: &[u8; 8] = header.try_into().ok()?;
        let length = u64::from(u32::from_be_bytes([0, header[5], header[6], header[7]]));
        let is_control = header[0] & 0x80 != 0;
        let block_at = match (is_control, u16::from_be_bytes([header[2], header[3]])) {
            // SYN_STREAM after both stream ids, priority and slot; SYN_REPLY and HEADERS after the stream id.
            (true, 1) => Some(10),
            (true, 2 | 8) => Some(4),
            _ => None,
        };
        Some(Frame { length, block_at })
    }
}

impl Framing for Http3 {
    fn frame(header: &[u8]) -> Option<Frame> {
        let (kind, rest) = varint(header)?;
        let (length, _) = varint(rest)?;
        // HEADERS; pushes, which have a block too, are not in use.
        Some(Frame { length, block_at: (kind == 0x1).then_some(0) })
    }
}

impl Framing for Unframed {
    /// One that never ends.
    fn frame(_: &[u8]) -> Option<Frame> {
        Some(Frame { length: u64::MAX, block_at: None })
    }
}

/// A variable-length integer (RFC 9000 section 16) and what follows it; none when it is not complete.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let first = *bytes.first()?;
    let length = 1 << (first >> 6);
    let (number, rest) = bytes.split_at_checked(length)?;
    let high = u64::from(first & 0x3f);
    Some((number[1..].iter().fold(high, |number, byte| number << 8 | u64::from(*byte)), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// SETTINGS of no entry, HEADERS of three bytes with a priority before them, DATA of four, CONTINUATION of two.
    const HTTP2: &[u8] = &[
        0, 0, 0, 4, 0, 0, 0, 0, 0, //
        0, 0, 8, 1, 0x24, 0, 0, 0, 1, 0, 0, 0, 0, 9, b'a', b'b', b'c', //
        0, 0, 4, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, //
        0, 0, 2, 9, 4, 0, 0, 0, 1, b'd', b'e',
    ];
    /// SYN_STREAM with a block of two bytes, DATA of three, SYN_REPLY with a block of one.
    const SPDY: &[u8] = &[
        0x80, 3, 0, 1, 1, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, b'a', b'b', //
        0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, //
        0x80, 3, 0, 2, 0, 0, 0, 5, 0, 0, 0, 1, b'c',
    ];
    /// HEADERS of two bytes, DATA of three whose length takes two bytes.
    const HTTP3: &[u8] = &[1, 2, b'a', b'b', 0, 0x40, 3, 1, 2, 3];

    fn found<F: Framing>(mut scanner: Scanner<F>, pieces: &[&[u8]]) -> u64 {
        pieces.iter().map(|piece| scanner.header_block_bytes(piece)).sum()
    }

    #[test]
    fn header_blocks_are_found_among_other_frames() {
        assert_eq!(found(Scanner::<Http2>::of_server(), &[HTTP2]), 3 + 2);
        assert_eq!(found(Scanner::<Spdy>::of_server(), &[SPDY]), 2 + 1);
        assert_eq!(found(Scanner::<Http3>::of_server(), &[HTTP3]), 2);
        assert_eq!(found(Scanner::<Unframed>::of_server(), &[HTTP2]), 0);
    }

    #[test]
    fn a_client_s_preface_is_no_frame() {
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        assert_eq!(found(Scanner::<Http2>::of_client(), &[preface, HTTP2]), 3 + 2);
    }

    #[test]
    fn a_variable_length_integer_is_that_of_the_rfc() {
        // RFC 9000 appendix A.1.
        let long = [0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c];
        assert_eq!(varint(&long).unwrap().0, 151_288_809_941_952_652);
        assert_eq!(varint(&[0x7b, 0xbd]).unwrap().0, 15_293);
        assert_eq!(varint(&[0x25, 9]).unwrap(), (37, &[9][..]));
        assert!(varint(&[0x7b]).is_none());
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_a_stream_is_cut(cut in 0..HTTP2.len(), again in 0..HTTP2.len()) {
            let (first, last) = (cut.min(again), cut.max(again));
            let pieces = [&HTTP2[..first], &HTTP2[first..last], &HTTP2[last..]];
            prop_assert_eq!(found(Scanner::<Http2>::of_server(), &pieces), 5);
        }

        #[test]
        fn of_anything_no_more_is_found_than_there_is(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let most = bytes.len() as u64;
            prop_assert!(found(Scanner::<Http2>::of_client(), &[&bytes]) <= most);
            prop_assert!(found(Scanner::<Spdy>::of_client(), &[&bytes]) <= most);
            prop_assert!(found(Scanner::<Http3>::of_client(), &[&bytes]) <= most);
        }
    }
}
