//! What data takes in the kernel's memory (`skb->truesize`).

use crate::segment::Segment;

/// `sizeof(struct sk_buff)`, rounded up to a cache line.
const SK_BUFF: u64 = 256;
/// `sizeof(struct skb_shared_info)`, rounded up.
const SHARED_INFO: u64 = 320;
/// `NET_SKB_PAD`.
const PAD: u64 = 64;
/// `MAX_TCP_HEADER` of a kernel without wireless links and tunnels.
const MAX_HEADER: u64 = 192;
/// `SKB_SMALL_HEAD_CACHE_SIZE` of that kernel.
const SMALL: u64 = 576;
/// Objects of the small head cache and of the allocator's caches up to a page.
const SIZES: [u64; 4] = [SMALL, 1024, 2048, 4096];

/// What a buffer of the send queue takes besides its bytes, which lie in pages (`tcp_stream_alloc_skb`).
pub(crate) const SKB_OVERHEAD: u64 = SK_BUFF + SMALL;

/// What a full segment would take at worst, alone in a linear buffer (`tcp_sndbuf_expand`).
pub(crate) const fn of_sent_segment(mss: u64) -> u64 {
    (mss + MAX_HEADER + SHARED_INFO).next_power_of_two() + SK_BUFF
}

/// `skb->truesize` of a packet that a TUN device delivers: one linear buffer from the next larger cache.
pub(crate) fn of_received(segment: &Segment) -> u64 {
    let wanted = u64::from(segment.wire_bytes()) + PAD + SHARED_INFO;
    let size = SIZES.into_iter().find(|size| *size >= wanted);
    SK_BUFF + size.unwrap_or_else(|| wanted.next_multiple_of(4096))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(payload: u64) -> u64 {
        of_received(&Segment::with_payload(payload))
    }

    #[test]
    fn a_full_packet_takes_2304_bytes_and_a_small_one_832() {
        // 1500 + 64 + 320 in an object of 2048, and 256 of the `sk_buff`; the smallest object holds 576.
        assert_eq!(memory(1460), 2304);
        assert_eq!(memory(100), 832);
    }

    #[test]
    fn a_send_buffer_of_501_bytes_takes_1333() {
        // `ss -m` on Linux 6.18 while a response of 501 bytes is unacknowledged: w1333.
        assert_eq!(501 + SKB_OVERHEAD, 1333);
        // And `SO_SNDBUF` of a new connection is 46080: 2 * 10 * 2304.
        assert_eq!(2 * 10 * of_sent_segment(1460), 46_080);
    }

    #[test]
    fn a_packet_lies_in_the_next_larger_object_or_in_whole_pages() {
        // 40 bytes of headers, 64 before and 320 behind the packet; kmalloc's caches of 1024, 2048 and 4096 bytes.
        for (payload, object) in
            [(152, 576), (153, 1024), (600, 1024), (601, 2048), (1624, 2048), (1625, 4096)]
        {
            assert_eq!(memory(payload), 256 + object, "{payload} bytes");
        }
        assert_eq!((memory(3672), memory(3673)), (256 + 4096, 256 + 8192));
    }

    #[test]
    fn a_sent_segment_is_taken_for_one_in_an_object_of_a_power_of_two() {
        // tcp_sndbuf_expand: roundup_pow_of_two(mss + MAX_TCP_HEADER + sizeof(struct skb_shared_info)).
        assert_eq!(of_sent_segment(2048 - 320 - 192), 2048 + 256);
        assert_eq!(of_sent_segment(2048 - 320 - 192 + 1), 4096 + 256);
    }
}
