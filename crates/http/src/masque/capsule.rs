//! The Capsule Protocol (RFC 9297 section 3), which the stream of a request has in place of a body.

use bytes::{Buf, Bytes, BytesMut};
use noq_proto::VarInt;
use noq_proto::coding::Decodable;

use super::datagram::MOST_UDP_BYTES;

/// The type of the capsule that carries an HTTP Datagram (RFC 9297 section 3.5).
const DATAGRAM: u64 = 0x00;
/// The longest datagram: a UDP packet and its context id, which takes up to eight bytes.
const MOST_BYTES: u64 = MOST_UDP_BYTES as u64 + 8;

/// Reads capsules in whatever pieces their bytes come, and gives back the payloads of datagrams; capsules of other types
/// are skipped (RFC 9297 section 3.2). It holds one datagram at most.
#[derive(Debug, Default)]
pub struct Capsules {
    expected: Expected,
    /// The start of a number or of a datagram whose end has not come.
    started: BytesMut,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, Default)]
enum Expected {
    #[default]
    Type,
    Length {
        kind: u64,
    },
    Datagram {
        length: usize,
    },
    /// The rest of a capsule of another type.
    Unknown {
        left: u64,
    },
}

/// Why a stream has no capsules; it is reset (RFC 9297 section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CapsuleError {
    /// RFC 9298 section 5: a UDP packet that is longer aborts the stream.
    #[error("a DATAGRAM capsule announces {0} bytes, more than UDP has")]
    TooLong(u64),
    /// RFC 9297 section 3.3: a capsule that is cut off is malformed.
    #[error("the stream ends within a capsule")]
    CutOff,
}

impl Capsules {
    /// Takes the next bytes of the stream and hands each datagram in them to `on_datagram`.
    ///
    /// # Errors
    /// When a datagram is too long.
    pub fn read(&mut self, mut bytes: &[u8], mut on_datagram: impl FnMut(Bytes)) -> Result<(), CapsuleError> {
        while !bytes.is_empty() {
            match self.expected {
                Expected::Unknown { left } => {
                    let skipped = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
                    bytes.advance(skipped);
                    self.expected = Self::unknown(left - skipped as u64);
                }
                Expected::Datagram { length } => {
                    let taken = (length - self.started.len()).min(bytes.len());
                    self.started.extend_from_slice(&bytes[..taken]);
                    bytes.advance(taken);
                    if self.started.len() == length {
                        on_datagram(self.started.split().freeze());
                        self.expected = Expected::Type;
                    }
                }
                Expected::Type | Expected::Length { .. } => {
                    self.started.extend_from_slice(&bytes[..1]);
                    bytes.advance(1);
                    if let Ok(number) = VarInt::decode(&mut &self.started[..]) {
                        self.started.clear();
                        self.take(number.into_inner(), &mut on_datagram)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The stream has ended.
    ///
    /// # Errors
    /// When it did so within a capsule.
    pub fn end(&self) -> Result<(), CapsuleError> {
        let is_between = matches!(self.expected, Expected::Type) && self.started.is_empty();
        is_between.then_some(()).ok_or(CapsuleError::CutOff)
    }

    fn take(&mut self, number: u64, on_datagram: &mut impl FnMut(Bytes)) -> Result<(), CapsuleError> {
        self.expected = match self.expected {
            Expected::Length { kind: DATAGRAM } if number > MOST_BYTES => {
                return Err(CapsuleError::TooLong(number));
            }
            Expected::Length { kind: DATAGRAM } if number == 0 => {
                on_datagram(Bytes::new());
                Expected::Type
            }
            Expected::Length { kind: DATAGRAM } => Expected::Datagram { length: number as usize },
            Expected::Length { .. } => Self::unknown(number),
            Expected::Type | Expected::Datagram { .. } | Expected::Unknown { .. } => {
                Expected::Length { kind: number }
            }
        };
        Ok(())
    }

    fn unknown(left: u64) -> Expected {
        if left == 0 { Expected::Type } else { Expected::Unknown { left } }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Datagrams in pieces, and how the stream ended.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Bytes>, Result<(), CapsuleError>) {
        let (mut capsules, mut datagrams) = (Capsules::default(), Vec::new());
        for piece in pieces {
            if let Err(error) = capsules.read(piece, |datagram| datagrams.push(datagram)) {
                return (datagrams, Err(error));
            }
            assert!(capsules.started.len() as u64 <= MOST_BYTES);
        }
        (datagrams, capsules.end())
    }

    #[test]
    fn datagrams_are_read_and_capsules_of_other_types_skipped() {
        // RFC 9297 section 3.2: an unknown type is skipped silently; 0x17 and 0x1769 are nobody's.
        let stream = b"\x00\x03abc\x17\x02zz\x57\x69\x00\x00\x01d\x00\x00";
        let (datagrams, end) = read([&stream[..]]);
        assert_eq!(datagrams, [&b"abc"[..], b"d", b""]);
        assert_eq!(end, Ok(()));
    }

    #[test]
    fn a_capsule_of_another_type_may_be_longer_than_any_memory() {
        let (mut capsules, piece) = (Capsules::default(), vec![0; 1 << 20]);
        // 2^62 - 1 bytes.
        capsules.read(b"\x17\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", |_| panic!("no datagram")).unwrap();
        for _ in 0..64 {
            capsules.read(&piece, |_| panic!("no datagram")).unwrap();
        }
        assert!(capsules.started.is_empty());
        assert_eq!(capsules.end(), Err(CapsuleError::CutOff));
    }

    #[test]
    fn a_datagram_longer_than_udp_has_any_ends_the_stream() {
        // 65,536 bytes in four: 0x8001_0000; the longest is 65,527 and a context id of eight.
        assert_eq!(read([&b"\x00\x80\x01\x00\x00"[..]]).1, Err(CapsuleError::TooLong(65_536)));
        assert_eq!(read([&b"\x00\x80\x00\xFF\xFF"[..]]).1, Err(CapsuleError::CutOff));
    }

    #[test]
    fn a_stream_that_ends_within_a_capsule_is_malformed() {
        // RFC 9297 section 3.3.
        for stream in [&b"\x00"[..], b"\x00\x02a", b"\x40", b"\x17\x02a"] {
            assert_eq!(read([stream]), (Vec::new(), Err(CapsuleError::CutOff)), "{stream:?}");
        }
        assert_eq!(read([&b""[..]]).1, Ok(()));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            bytes in prop::collection::vec(prop_oneof![Just(0), Just(2), Just(0x40), any::<u8>()], 0..60),
            piece in 1_usize..10,
        ) {
            prop_assert_eq!(read([&bytes[..]]), read(bytes.chunks(piece)));
        }
    }
}
