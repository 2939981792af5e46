//! Header blocks, compressed (draft 3.1, section 2.6.10.1).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::SessionError;
use super::dictionary::{DICTIONARY, DICTIONARY_ID};

/// What a header block may become when it is decompressed.
pub(super) const MOST_BLOCK: usize = 64 * 1024;
/// Chromium's and mod_spdy's level (`kCompressorLevel`).
const LEVEL: u32 = 9;
/// Chromium's and mod_spdy's window of 2 KiB (`kCompressorWindowSizeInBits`); draft 2.6.10.1 recommends it.
const WINDOW_BITS: u8 = 11;
/// Growth of a buffer.
const STEP: usize = 1024;

/// Compresses the header blocks of one direction, each on top of those before.
#[derive(Debug)]
pub(super) struct Compressor(Compress);

impl Compressor {
    pub(super) fn new() -> Self {
        let mut zlib = Compress::new_with_window_bits(Compression::new(LEVEL), true, WINDOW_BITS);
        zlib.set_dictionary(DICTIONARY).expect("the stream has not started");
        Self(zlib)
    }

    pub(super) fn compress(&mut self, block: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(STEP);
        let start = self.0.total_in();
        loop {
            let taken = (self.0.total_in() - start) as usize;
            self.0
                .compress_vec(&block[taken..], &mut out, FlushCompress::Sync)
                .expect("compressing to memory does not fail");
            // A flush is complete when it leaves room.
            if out.len() < out.capacity() {
                return out;
            }
            out.reserve(STEP);
        }
    }
}

/// Decompresses the header blocks of one direction, in their order.
#[derive(Debug)]
pub(super) struct Decompressor(Decompress);

impl Decompressor {
    pub(super) fn new() -> Self {
        Self(Decompress::new(true))
    }

    /// The block, of at most [`MOST_BLOCK`] bytes.
    pub(super) fn decompress(&mut self, compressed: &[u8]) -> Result<Vec<u8>, SessionError> {
        let mut out = Vec::with_capacity(STEP);
        let start = self.0.total_in();
        loop {
            let taken = (self.0.total_in() - start) as usize;
            let before = out.len();
            match self.0.decompress_vec(&compressed[taken..], &mut out, FlushDecompress::Sync) {
                Ok(Status::StreamEnd) => return Err(SessionError::Compression),
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) if error.needs_dictionary() == Some(DICTIONARY_ID) => {
                    self.0.set_dictionary(DICTIONARY).map_err(|_| SessionError::Compression)?;
                    continue;
                }
                Err(_) => return Err(SessionError::Compression),
            }
            if out.len() > MOST_BLOCK {
                return Err(SessionError::TooLarge);
            }
            let all_taken = (self.0.total_in() - start) as usize == compressed.len();
            if all_taken && out.len() < out.capacity() {
                return Ok(out);
            }
            if out.len() < out.capacity() && out.len() == before {
                return Err(SessionError::Compression);
            }
            out.reserve(STEP);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_block_names_the_dictionary() {
        let compressed = Compressor::new().compress(b"a");
        // RFC 1950 section 2.2: deflate with a window of 2^(3 + 8) bytes, best compression (3), a dictionary
        // (0x20), and the check bits that make the first two bytes a multiple of 31.
        assert_eq!(compressed[0], 0x38);
        assert_eq!(compressed[1] & 0xe0, 0xe0);
        assert_eq!(u16::from_be_bytes([compressed[0], compressed[1]]) % 31, 0);
        assert_eq!(compressed[2..6], DICTIONARY_ID.to_be_bytes());
        // RFC 1979 and zlib: a synchronising flush ends with an empty stored block.
        assert_eq!(compressed[compressed.len() - 4..], [0, 0, 0xff, 0xff]);
    }

    #[test]
    fn a_block_like_the_one_before_is_a_fraction_of_it() {
        let block: Vec<u8> = (0..=255).collect();
        let mut compressor = Compressor::new();
        let first = compressor.compress(&block).len();
        let second = compressor.compress(&block).len();
        assert!(first > 256 && second < 32, "{first}, then {second} bytes");
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_large() {
        let bomb = Compressor::new().compress(&vec![0; 100 * MOST_BLOCK]);
        assert!(bomb.len() < MOST_BLOCK, "{} bytes", bomb.len());
        assert_eq!(Decompressor::new().decompress(&bomb), Err(SessionError::TooLarge));
    }

    #[test]
    fn a_block_of_the_largest_size_is_accepted() {
        let block = vec![7; MOST_BLOCK];
        let compressed = Compressor::new().compress(&block);
        assert_eq!(Decompressor::new().decompress(&compressed), Ok(block));
    }

    #[test]
    fn a_stream_with_another_dictionary_or_that_ends_is_refused() {
        let mut other = Compress::new(Compression::new(6), true);
        other.set_dictionary(b"another dictionary").unwrap();
        let mut out = Vec::with_capacity(200);
        other.compress_vec(b"text", &mut out, FlushCompress::Sync).unwrap();
        assert_eq!(Decompressor::new().decompress(&out), Err(SessionError::Compression));

        let mut ending = Compress::new(Compression::new(6), true);
        let mut out = Vec::with_capacity(200);
        ending.compress_vec(b"text", &mut out, FlushCompress::Finish).unwrap();
        assert_eq!(Decompressor::new().decompress(&out), Err(SessionError::Compression));
    }

    proptest! {
        #[test]
        fn blocks_come_back_as_they_were(
            blocks in prop::collection::vec(prop::collection::vec(0..8u8, 0..5_000), 1..8),
        ) {
            let (mut compressor, mut decompressor) = (Compressor::new(), Decompressor::new());
            for block in blocks {
                let compressed = compressor.compress(&block);
                prop_assert_eq!(decompressor.decompress(&compressed), Ok(block));
            }
        }

        #[test]
        fn garbage_is_decompressed_or_refused(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..8),
        ) {
            let mut decompressor = Decompressor::new();
            for block in blocks {
                match decompressor.decompress(&block) {
                    Ok(out) => prop_assert!(out.len() <= MOST_BLOCK),
                    Err(_) => break,
                }
            }
        }
    }
}
