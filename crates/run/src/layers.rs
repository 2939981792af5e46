//! Where the bytes of a page load went, layer by layer.

use bentpipe_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Carried, CarriedBytes, ClientReport, Direction, DirectionReport, LinkReport, ObjectSighting, RunSpec,
};

/// Where the bytes of a page load went, by layer. The layers of a direction add up to the bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BytesByLayer {
    /// Server to client.
    pub down: LayerBytes,
    /// Client to server.
    pub up: LayerBytes,
}

/// One direction of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerBytes {
    /// IP headers.
    pub ip_bytes: u64,
    /// TCP: headers, and whatever was retransmitted. UDP and QUIC: headers, encryption, handshake, acknowledgements and
    /// whatever was retransmitted.
    pub transport_bytes: u64,
    /// TLS over TCP: handshake, record headers, encryption.
    pub tls_bytes: u64,
    /// HTTP's frames without their content; HTTP/1 has none.
    pub framing_bytes: u64,
    /// Header fields as they were sent; of HTTP/1 all text before the bodies.
    pub header_bytes: u64,
    /// Bodies.
    pub body_bytes: u64,
    /// What the header fields would have been as text (RFC 9112 section 5), which is no layer.
    pub uncompressed_header_bytes: u64,
}

/// What the link counted of one direction.
#[derive(Clone, Copy, Debug)]
struct OnTheWire {
    bytes: u64,
    packets: u64,
}

/// Bytes of a direction's bodies and header fields as text.
#[derive(Clone, Copy, Debug)]
struct Content {
    body_bytes: u64,
    field_bytes: u64,
}

/// Header of IPv4 without options (RFC 791 section 3.1).
const IP_HEADER_BYTES: u64 = 20;

impl BytesByLayer {
    /// The layers of a page load; none of another workload and where a connection was not counted.
    pub(crate) fn of(spec: &RunSpec, client: &ClientReport, link: &LinkReport) -> Option<Self> {
        let carried: Option<Vec<Carried>> = client.connections.iter().map(|one| one.carried).collect();
        let carried = carried.filter(|_| !client.objects.is_empty())?;
        let sum = |bytes: fn(&ObjectSighting) -> Bytes| client.objects.iter().map(bytes).sum::<Bytes>().get();
        let down = Content {
            body_bytes: sum(|object| object.bytes),
            field_bytes: sum(|object| object.response_header_bytes),
        };
        let up = Content { body_bytes: 0, field_bytes: sum(|object| object.request_header_bytes) };
        let wire = |direction| OnTheWire::of(link.direction(spec.link_direction(direction)));
        Some(Self {
            down: LayerBytes::of(wire(Direction::Down), carried.iter().map(|one| one.down), down),
            up: LayerBytes::of(wire(Direction::Up), carried.iter().map(|one| one.up), up),
        })
    }
}

impl OnTheWire {
    fn of(counted: &DirectionReport) -> Self {
        Self { bytes: counted.offered_bytes.get(), packets: counted.offered_packets }
    }
}

impl LayerBytes {
    /// The layers of one direction from what the link saw and what all connections carried.
    fn of(wire: OnTheWire, carried: impl Iterator<Item = CarriedBytes>, content: Content) -> Self {
        let (mut stream, mut plain, mut block) = (0, 0, 0);
        for one in carried {
            stream += one.stream_bytes.get();
            plain += one.plain_bytes.get();
            block += one.header_block_bytes.get();
        }
        let ip_bytes = wire.packets * IP_HEADER_BYTES;
        let rest = plain.saturating_sub(content.body_bytes);
        // Without frames there is nothing beside bodies but headers.
        let header_bytes = if block == 0 { rest } else { block };
        Self {
            ip_bytes,
            transport_bytes: wire.bytes.saturating_sub(ip_bytes + stream),
            tls_bytes: stream.saturating_sub(plain),
            framing_bytes: rest.saturating_sub(header_bytes),
            header_bytes,
            body_bytes: content.body_bytes,
            uncompressed_header_bytes: content.field_bytes,
        }
    }

    /// All layers together.
    pub const fn total(&self) -> u64 {
        self.ip_bytes
            + self.transport_bytes
            + self.tls_bytes
            + self.framing_bytes
            + self.header_bytes
            + self.body_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(stream: u64, plain: u64, block: u64) -> CarriedBytes {
        CarriedBytes {
            stream_bytes: Bytes::new(stream),
            plain_bytes: Bytes::new(plain),
            header_block_bytes: Bytes::new(block),
        }
    }

    #[test]
    fn the_layers_add_up_to_what_was_on_the_wire() {
        // Ten packets of 1000 bytes carry a stream of 9000, of which TLS takes 500; 40 bytes of HPACK, 8000 of bodies.
        let wire = OnTheWire { bytes: 10_000, packets: 10 };
        let content = Content { body_bytes: 8_000, field_bytes: 300 };
        let layers = LayerBytes::of(wire, [carried(9_000, 8_500, 40)].into_iter(), content);
        let expected = LayerBytes {
            ip_bytes: 200,
            transport_bytes: 800,
            tls_bytes: 500,
            framing_bytes: 460,
            header_bytes: 40,
            body_bytes: 8_000,
            uncompressed_header_bytes: 300,
        };
        assert_eq!(layers, expected);
        assert_eq!(layers.total(), wire.bytes);
    }

    #[test]
    fn without_frames_what_is_not_body_is_header() {
        let wire = OnTheWire { bytes: 2_000, packets: 2 };
        let content = Content { body_bytes: 1_500, field_bytes: 300 };
        let connections = [carried(900, 900, 0), carried(950, 950, 0)];
        let layers = LayerBytes::of(wire, connections.into_iter(), content);
        assert_eq!((layers.header_bytes, layers.framing_bytes, layers.tls_bytes), (350, 0, 0));
    }
}
