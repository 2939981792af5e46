//! HTTP Datagrams (RFC 9297 section 2) that carry UDP (RFC 9298 section 5).

use bytes::{Buf, BufMut, Bytes, BytesMut};
use noq_proto::VarInt;
use noq_proto::coding::{Decodable, Encodable};

/// The context whose payloads are UDP packets (RFC 9298 section 4).
const UDP: u64 = 0;
/// Quarter stream ids end here, as stream ids have 62 bits (RFC 9297 section 2.1).
const LAST_QUARTER_STREAM_ID: u64 = (1 << 60) - 1;
/// The longest UDP payload (RFC 9298 section 5).
pub const MOST_UDP_BYTES: usize = 65_527;

/// What a DATAGRAM frame of an HTTP/3 connection carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpDatagram {
    /// The stream of the request that it belongs to, divided by four.
    pub quarter_stream_id: u64,
    /// What that request makes of it.
    pub payload: Bytes,
}

/// A datagram after which a connection is closed by `H3_DATAGRAM_ERROR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatagramError {
    /// RFC 9297 section 2.1.
    #[error("an HTTP Datagram ends within its quarter stream id")]
    Short,
    /// The same section.
    #[error("an HTTP Datagram has a quarter stream id above 2^60 - 1")]
    NoStream,
}

impl DatagramError {
    /// `H3_DATAGRAM_ERROR` (RFC 9297 section 5.2).
    pub const CODE: u32 = 0x33;
}

impl HttpDatagram {
    /// Reads a frame's content.
    ///
    /// # Errors
    /// When there is no stream it could belong to.
    pub fn read(mut frame: Bytes) -> Result<Self, DatagramError> {
        let id = VarInt::decode(&mut frame).map_err(|_| DatagramError::Short)?.into_inner();
        if id > LAST_QUARTER_STREAM_ID {
            return Err(DatagramError::NoStream);
        }
        Ok(Self { quarter_stream_id: id, payload: frame })
    }

    /// A frame's content that carries a UDP packet.
    ///
    /// # Panics
    /// When no stream has that id.
    pub fn of_udp(quarter_stream_id: u64, packet: &[u8]) -> Bytes {
        assert!(quarter_stream_id <= LAST_QUARTER_STREAM_ID, "a stream of QUIC");
        let mut frame = BytesMut::with_capacity(9 + packet.len());
        VarInt::from_u64(quarter_stream_id).expect("60 bits").encode(&mut frame);
        frame.put_u8(UDP as u8);
        frame.put_slice(packet);
        frame.freeze()
    }
}

/// The UDP packet in a datagram's payload; none in a context that nobody has registered, or that is cut off, which is
/// dropped (RFC 9298 section 4).
pub fn udp_packet(mut payload: Bytes) -> Option<Bytes> {
    let context = VarInt::decode(&mut payload).ok()?.into_inner();
    (context == UDP && payload.remaining() <= MOST_UDP_BYTES).then_some(payload)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_datagram_of_the_first_request_has_two_bytes_before_the_packet() {
        // RFC 9297 section 2.1: stream 0 divided by four; RFC 9298 section 4: context 0.
        assert_eq!(HttpDatagram::of_udp(0, b"packet"), b"\0\0packet"[..]);
        // Stream 256 is 64 quarters, 0x4040 as a number of two bytes (RFC 9000 section 16).
        assert_eq!(HttpDatagram::of_udp(64, b""), b"\x40\x40\0"[..]);
    }

    #[test]
    fn a_frame_too_short_for_its_stream_and_one_of_a_stream_that_cannot_be_are_errors_of_the_connection() {
        // RFC 9297 section 2.1: H3_DATAGRAM_ERROR.
        for frame in [&b""[..], b"\x40", b"\xC0\0\0\0\0\0\0"] {
            assert_eq!(HttpDatagram::read(Bytes::copy_from_slice(frame)), Err(DatagramError::Short));
        }
        // 2^60 in eight bytes, and the last id before it.
        let frame = |number: u64| Bytes::copy_from_slice(&(number | 0b11 << 62).to_be_bytes());
        assert_eq!(HttpDatagram::read(frame(1 << 60)), Err(DatagramError::NoStream));
        let last = HttpDatagram::read(frame((1 << 60) - 1)).unwrap();
        assert_eq!((last.quarter_stream_id, last.payload.len()), ((1 << 60) - 1, 0));
    }

    #[test]
    fn what_is_in_another_context_or_cut_off_within_its_context_is_no_packet() {
        // RFC 9298 section 4: what has an unknown context id is dropped silently.
        for payload in [&b"\x02packet"[..], b"\x40\x01packet", b"", b"\x40"] {
            assert_eq!(udp_packet(Bytes::copy_from_slice(payload)), None, "{payload:?}");
        }
        assert_eq!(udp_packet(Bytes::from_static(b"\0")), Some(Bytes::new()), "UDP packets may be empty");
        // Zero in two bytes is zero (RFC 9000 section 16).
        assert_eq!(udp_packet(Bytes::from_static(b"\x40\0x")), Some(Bytes::from_static(b"x")));
    }

    #[test]
    fn a_packet_longer_than_udp_has_any_is_none() {
        let payload = |bytes: usize| Bytes::from(vec![0; 1 + bytes]);
        assert!(udp_packet(payload(65_527)).is_some());
        assert!(udp_packet(payload(65_528)).is_none());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(id in 0..=LAST_QUARTER_STREAM_ID, packet in prop::collection::vec(any::<u8>(), 0..50)) {
            let read = HttpDatagram::read(HttpDatagram::of_udp(id, &packet)).unwrap();
            prop_assert_eq!(read.quarter_stream_id, id);
            prop_assert_eq!(udp_packet(read.payload), Some(Bytes::from(packet)));
        }

        #[test]
        fn any_bytes_are_a_datagram_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            let length = bytes.len();
            if let Ok(read) = HttpDatagram::read(Bytes::from(bytes)) {
                prop_assert!(read.payload.len() < length);
                let _ = udp_packet(read.payload);
            }
        }
    }
}
