//! What a received packet takes in the kernel's memory.

use crate::segment::Segment;

/// `sizeof(struct sk_buff)`, rounded up to a cache line.
const HEAD: u64 = 256;
/// `sizeof(struct skb_shared_info)`, rounded up.
const SHARED_INFO: u64 = 320;
/// `NET_SKB_PAD`.
const PAD: u64 = 64;
/// Objects of the small head cache and of the allocator's caches up to a page.
const SIZES: [u64; 4] = [704, 1024, 2048, 4096];

/// `skb->truesize` of a packet that a TUN device delivers: one linear buffer from the next larger cache.
pub(crate) fn of_segment(segment: &Segment) -> u64 {
    let wanted = u64::from(segment.wire_bytes()) + PAD + SHARED_INFO;
    let size = SIZES.into_iter().find(|size| *size >= wanted);
    HEAD + size.unwrap_or_else(|| wanted.next_multiple_of(4096))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddrV4};

    use super::*;
    use crate::{Flags, Options, Payload, SeqNumber};

    fn memory(payload: u64) -> u64 {
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1);
        of_segment(&Segment {
            source: address,
            destination: address,
            flags: Flags::ACK,
            seq: SeqNumber(0),
            ack: SeqNumber(0),
            window: 0,
            options: Options::default(),
            payload: Payload::Length(payload),
        })
    }

    #[test]
    fn a_full_packet_takes_2304_octets_and_a_small_one_960() {
        // 1500 + 64 + 320 in an object of 2048, and the head of 256; the smallest object holds 704.
        assert_eq!(memory(1460), 2304);
        assert_eq!(memory(100), 960);
    }
}
