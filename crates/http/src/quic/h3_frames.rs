//! Bounds on the frames of HTTP/3.

use crate::limits::HEADER_LIST_BYTES;

/// The type of frames whose payload goes to the application as it arrives (RFC 9114 section 7.2.1).
const DATA: u64 = 0x00;
/// The type of the unidirectional stream that has frames (RFC 9114 section 6.2.1).
const CONTROL: u64 = 0x00;
/// Payload of any other frame, which the h3 crate gathers in memory to its end: no less than it takes of header fields.
const MOST_BYTES: u64 = HEADER_LIST_BYTES as u64;

/// Follows the frames of a stream, and finds one that would take more memory than any peer needs.
#[derive(Debug)]
pub(super) struct Frames {
    expected: Expected,
    /// The start of a number whose end has not come.
    number: Vec<u8>,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    StreamType,
    FrameType,
    Length {
        frame_type: u64,
    },
    Payload {
        left: u64,
    },
    /// Not frames.
    Anything,
}

/// A frame that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an HTTP/3 frame of type {frame_type:#x} announces {length} bytes, above {MOST_BYTES}")]
pub(super) struct TooLong {
    frame_type: u64,
    length: u64,
}

impl Frames {
    /// Of a request stream.
    pub(super) fn bidirectional() -> Self {
        Self { expected: Expected::FrameType, number: Vec::new() }
    }

    /// Of a stream that says first what it is.
    pub(super) fn unidirectional() -> Self {
        Self { expected: Expected::StreamType, number: Vec::new() }
    }

    /// Takes the next bytes of the stream.
    ///
    /// # Errors
    /// When a frame's length does; the bytes may have gone on.
    pub(super) fn follow(&mut self, mut bytes: &[u8]) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            match self.expected {
                Expected::Anything => return Ok(()),
                Expected::Payload { left } => {
                    let skipped = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
                    bytes = &bytes[skipped..];
                    self.expected = after(left - skipped as u64);
                }
                Expected::StreamType | Expected::FrameType | Expected::Length { .. } => {
                    self.number.push(bytes[0]);
                    bytes = &bytes[1..];
                    if let Some(number) = complete(&self.number) {
                        self.number.clear();
                        self.take(number)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, number: u64) -> Result<(), TooLong> {
        self.expected = match self.expected {
            Expected::StreamType if number == CONTROL => Expected::FrameType,
            Expected::FrameType => Expected::Length { frame_type: number },
            Expected::Length { frame_type } if frame_type != DATA && number > MOST_BYTES => {
                return Err(TooLong { frame_type, length: number });
            }
            Expected::Length { .. } => after(number),
            Expected::StreamType | Expected::Payload { .. } | Expected::Anything => Expected::Anything,
        };
        Ok(())
    }
}

fn after(left: u64) -> Expected {
    if left == 0 { Expected::FrameType } else { Expected::Payload { left } }
}

/// A variable-length integer (RFC 9000 section 16): the first two bits are the logarithm of its length.
fn complete(bytes: &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    let rest = bytes.get(1..1 << (first >> 6))?;
    Some(rest.iter().fold(u64::from(first & 0x3F), |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_are_those_of_the_rfc() {
        // RFC 9000 appendix A.1, its examples.
        for (bytes, number) in [
            (&[0xC2, 0x19, 0x7C, 0x5E, 0xFF, 0x14, 0xE8, 0x8C][..], 151_288_809_941_952_652),
            (&[0x9D, 0x7F, 0x3E, 0x7D], 494_878_333),
            (&[0x7B, 0xBD], 15_293),
            (&[0x25], 37),
            (&[0x40, 0x25], 37),
        ] {
            assert_eq!(complete(bytes), Some(number), "{bytes:?}");
            assert_eq!(complete(&bytes[..bytes.len() - 1]), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_header_of_the_most_passes_and_one_byte_more_does_not() {
        // HEADERS (0x01) of 32,768 and of 32,769 bytes: 0x8000_8000 and 0x8000_8001 in four bytes.
        assert_eq!(Frames::bidirectional().follow(&[0x01, 0x80, 0x00, 0x80, 0x00]), Ok(()));
        let too_long = Frames::bidirectional().follow(&[0x01, 0x80, 0x00, 0x80, 0x01]);
        assert_eq!(too_long, Err(TooLong { frame_type: 1, length: 32_769 }));
    }

    #[test]
    fn data_may_have_any_length_and_what_follows_it_is_looked_at() {
        let mut frames = Frames::bidirectional();
        // DATA of 1,000,000 bytes.
        frames.follow(&[0x00, 0x80, 0x0F, 0x42, 0x40]).unwrap();
        frames.follow(&[0xFF; 1_000_000]).unwrap();
        assert!(frames.follow(&[0x01, 0xBF, 0xFF, 0xFF, 0xFF]).is_err());
    }

    #[test]
    fn frames_of_unknown_types_and_of_the_control_stream_are_bounded_as_well() {
        // RFC 9114 section 7.2.8 reserves type 0x21; SETTINGS is 0x04.
        assert!(Frames::bidirectional().follow(&[0x21, 0xBF, 0xFF, 0xFF, 0xFF]).is_err());
        assert!(Frames::unidirectional().follow(&[0x00, 0x04, 0xBF, 0xFF, 0xFF, 0xFF]).is_err());
    }

    #[test]
    fn streams_without_frames_are_left_alone() {
        // The QPACK encoder's stream is 0x02 (RFC 9204 section 4.2).
        assert_eq!(Frames::unidirectional().follow(&[0x02, 0x04, 0xBF, 0xFF, 0xFF, 0xFF]), Ok(()));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            bytes in prop::collection::vec(prop_oneof![Just(0), Just(1), Just(0x80), any::<u8>()], 0..40),
            cut in any::<prop::sample::Index>(),
        ) {
            let (front, back) = bytes.split_at(cut.index(bytes.len() + 1));
            let mut frames = Frames::bidirectional();
            let in_two = frames.follow(front).and_then(|()| frames.follow(back));
            prop_assert_eq!(in_two, Frames::bidirectional().follow(&bytes));
        }
    }
}
