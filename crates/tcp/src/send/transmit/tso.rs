//! How many segments leave at once: segmentation offload makes them one GSO packet.

use bentpipe_units::{Duration, Rate, Time};

/// Largest GSO packet in bytes (`sk_gso_max_size` without the headers, `GSO_LEGACY_MAX_SIZE` - 1 - `MAX_TCP_HEADER`).
const GSO_MAX_SIZE: u64 = 65_536 - 1 - 256;
/// `sk_pacing_shift`: about a millisecond.
const PACING_SHIFT: u32 = 10;
/// `tcp_tso_rtt_log`: on short paths GSO packets may be larger.
const RTT_SHIFT: u32 = 9;
/// Of a pacer that is not slow (`bbr_min_tso_segs`).
const PACED_SEGMENTS: u64 = 2;
/// Below it BBR sends single segments (`bbr_min_tso_segs`).
const SLOW: Rate = Rate::from_bps(1_200_000);
/// A write longer ago than this is not the start of a GSO packet.
const RECENT: Duration = Duration::from_millis(1);

/// Segments of one GSO packet: what passes in a millisecond, `at_least` some (`tcp_tso_autosize`).
pub(crate) fn tso_autosize(rate: Rate, min_rtt: Option<Duration>, mss: u64, at_least: u64) -> u64 {
    let mut bytes = (rate.as_bps() / 8) >> PACING_SHIFT;
    let min_rtt_us = min_rtt.unwrap_or(Duration::MAX).as_nanos() / 1_000;
    let shift = min_rtt_us >> RTT_SHIFT;
    if shift < 32 {
        bytes = bytes.saturating_add(GSO_MAX_SIZE >> shift);
    }
    (bytes.min(GSO_MAX_SIZE) / mss).max(at_least)
}

/// Segments of a GSO packet that a pacer sends at least (`bbr_min_tso_segs`).
pub(crate) fn min_segments_of_pacer(rate: Rate) -> u64 {
    if rate < SLOW { 1 } else { PACED_SEGMENTS }
}

/// Most segments that the socket keeps in one buffer (`tcp_xmit_size_goal`).
pub(crate) const fn max_segments(mss: u64) -> u64 {
    let most = GSO_MAX_SIZE / mss;
    if most == 0 { 1 } else { most }
}

/// What the decision to wait looks at; windows in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeferView {
    pub now: Time,
    /// When something left last.
    pub last_departure: Time,
    /// What the peer's window lets out.
    pub send_window: u64,
    /// What the congestion window lets out.
    pub congestion_window: u64,
    /// All of the congestion window.
    pub whole_congestion_window: u64,
    /// All of the peer's window.
    pub whole_send_window: u64,
    /// A full GSO packet.
    pub gso_size: u64,
    /// Bytes in the socket's next buffer.
    pub buffer: u64,
    pub position: BufferPosition,
    /// When the first unacknowledged segment left.
    pub oldest_departure: Option<Time>,
    pub srtt: Duration,
    /// `tcp_tso_win_divisor`.
    pub window_divisor: u64,
}

/// Where the next buffer stands in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferPosition {
    /// More follows behind it.
    Inner,
    /// It is the last, and more may be written to it.
    Tail,
    /// It is the last and carries the FIN.
    Final,
}

/// The decision to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deferral {
    SendNow,
    /// The congestion window is what a larger GSO packet waits for.
    ForWindow,
    /// The peer's window is.
    ForPeer,
    /// Something else.
    ForOther,
}

/// Whether a larger GSO packet is worth waiting for (`tcp_tso_should_defer`); only outside recovery.
pub(crate) fn tso_should_defer(view: DeferView) -> Deferral {
    let limit = view.send_window.min(view.congestion_window);
    let worth = view.whole_congestion_window.min(view.whole_send_window) / view.window_divisor.max(1);
    // A departure in the future is a pacer's.
    let recent = view.now.since(view.last_departure) <= RECENT;
    let whole_buffer = view.position == BufferPosition::Inner && limit >= view.buffer;
    if !recent || limit >= view.gso_size || whole_buffer || limit >= worth {
        return Deferral::SendNow;
    }
    let Some(oldest) = view.oldest_departure else { return Deferral::SendNow };
    // The next acknowledgement must be near.
    let threshold = (view.srtt / 2).min(RECENT);
    if oldest.saturating_add(view.srtt) > view.now.saturating_add(threshold) {
        return Deferral::SendNow;
    }
    if view.congestion_window < view.send_window {
        if view.congestion_window <= view.buffer {
            return Deferral::ForWindow;
        }
    } else if view.send_window <= view.buffer {
        return Deferral::ForPeer;
    }
    match view.position {
        BufferPosition::Final => Deferral::SendNow,
        _ => Deferral::ForOther,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    #[test]
    fn a_gso_packet_holds_65_279_bytes() {
        // GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER (tcp_xmit_size_goal): 65 536 - 1 - 256.
        assert_eq!(max_segments(1), 65_279);
        assert_eq!(tso_autosize(Rate::from_bps(1 << 40), None, 1, 1), 65_279);
    }

    fn view() -> DeferView {
        let now = Time::ZERO + Duration::from_secs(1);
        DeferView {
            now,
            last_departure: now,
            send_window: 100 * MSS,
            congestion_window: 2 * MSS,
            whole_congestion_window: 30 * MSS,
            whole_send_window: 200 * MSS,
            gso_size: 10 * MSS,
            buffer: 44 * MSS,
            position: BufferPosition::Inner,
            // Its acknowledgement is due now.
            oldest_departure: Some(Time::ZERO + Duration::from_millis(900)),
            srtt: Duration::from_millis(100),
            window_divisor: 3,
        }
    }

    #[test]
    fn a_gso_packet_is_a_millisecond_at_the_rate_and_two_segments_at_least() {
        let size = |mbit: u64| {
            tso_autosize(Rate::from_bps(mbit * 1_000_000), Some(Duration::from_millis(600)), MSS, 2)
        };
        // 288 Mbit/s / 8 / 1024 = 35156 bytes.
        assert_eq!([size(1), size(10), size(288), size(10_000)], [2, 2, 24, 45]);
    }

    #[test]
    fn a_slow_pacer_sends_single_segments() {
        assert_eq!(min_segments_of_pacer(Rate::from_bps(1_000_000)), 1);
        assert_eq!(tso_autosize(Rate::from_bps(1_000_000), None, MSS, 1), 1);
    }

    #[test]
    fn a_small_gso_packet_waits_when_the_next_acknowledgement_is_near() {
        assert_eq!(tso_should_defer(view()), Deferral::ForWindow);
    }

    #[test]
    fn nothing_waits_when_the_last_departure_or_the_next_acknowledgement_is_far() {
        let long_ago = Time::ZERO + Duration::from_millis(998);
        assert_eq!(tso_should_defer(DeferView { last_departure: long_ago, ..view() }), Deferral::SendNow);
        let just_left = Some(Time::ZERO + Duration::from_millis(950));
        assert_eq!(tso_should_defer(DeferView { oldest_departure: just_left, ..view() }), Deferral::SendNow);
    }

    #[test]
    fn a_third_of_the_window_is_worth_sending() {
        assert_eq!(
            tso_should_defer(DeferView { congestion_window: 10 * MSS, gso_size: 20 * MSS, ..view() }),
            Deferral::SendNow
        );
    }

    #[test]
    fn on_short_paths_a_gso_packet_is_larger_and_halves_each_512_microseconds() {
        // tcp_tso_autosize: sk_gso_max_size >> (tcp_min_rtt >> tcp_tso_rtt_log), of some 64 KiB; 8 Mbit/s are 976 bytes.
        let size =
            |rtt_us| tso_autosize(Rate::from_bps(8_000_000), Some(Duration::from_micros(rtt_us)), MSS, 2);
        assert_eq!([size(511), size(512), size(1_023), size(1_024)], [45, 23, 23, 11]);
    }

    #[test]
    fn a_pacer_is_slow_below_1200_kilobits_per_second() {
        // bbr_min_tso_rate.
        assert_eq!([1_199_999, 1_200_000].map(|bps| min_segments_of_pacer(Rate::from_bps(bps))), [1, 2]);
    }

    #[test]
    fn a_gso_packet_has_65279_bytes_at_most() {
        // sk_dst_gso_max_size: GSO_LEGACY_MAX_SIZE less one and MAX_TCP_HEADER, 256 bytes: 29 segments of 2251 to the byte.
        assert_eq!([max_segments(2_251), max_segments(2_252)], [29, 28]);
        assert_eq!(tso_autosize(Rate::from_bps(100_000_000_000), None, 2_251, 2), 29);
        assert_eq!([max_segments(65_279), max_segments(65_280)], [1, 1]);
    }

    #[test]
    fn what_a_gso_packet_waits_for_is_the_window_that_holds_less() {
        // tcp_tso_should_defer: is_cwnd_limited where cong_win < send_win and it holds no more than the buffer; then
        // is_rwnd_limited; else the packet waits for neither, unless nothing follows it.
        let limits = |congestion_window, send_window, buffer, position| {
            tso_should_defer(DeferView { congestion_window, send_window, buffer, position, ..view() })
        };
        let (two, three) = (2 * MSS, 3 * MSS);
        assert_eq!(limits(two, three, three, BufferPosition::Tail), Deferral::ForWindow);
        assert_eq!(limits(two, three, two, BufferPosition::Tail), Deferral::ForWindow);
        assert_eq!(limits(two, two, three, BufferPosition::Tail), Deferral::ForPeer);
        assert_eq!(limits(three, two, two, BufferPosition::Final), Deferral::ForPeer);
        assert_eq!(limits(two, three, two - 1, BufferPosition::Tail), Deferral::ForOther);
        assert_eq!(limits(two, three, two - 1, BufferPosition::Final), Deferral::SendNow);
        assert_eq!(limits(three, two, two - 1, BufferPosition::Final), Deferral::SendNow);
        assert_eq!(limits(three, two, two - 1, BufferPosition::Tail), Deferral::ForOther);
        // A whole buffer before others does not wait (skb != tcp_write_queue_tail).
        assert_eq!(limits(two, three, two, BufferPosition::Inner), Deferral::SendNow);
        assert_eq!(limits(two, three, two + 1, BufferPosition::Inner), Deferral::ForWindow);
    }

    #[test]
    fn a_gso_packet_that_is_full_or_a_third_of_the_window_does_not_wait() {
        // tcp_tso_should_defer: limit >= max_segs * mss_cache; limit >= min(snd_wnd, cwnd * mss) / tcp_tso_win_divisor.
        let now = |view| tso_should_defer(view) == Deferral::SendNow;
        assert!(now(DeferView { gso_size: 2 * MSS, ..view() }));
        assert!(!now(DeferView { gso_size: 2 * MSS + 1, ..view() }));
        assert!(now(DeferView { whole_congestion_window: 6 * MSS + 2, ..view() }));
        assert!(!now(DeferView { whole_congestion_window: 6 * MSS + 3, ..view() }));
        assert!(now(DeferView { whole_send_window: 6 * MSS, ..view() }));
        assert!(now(DeferView { send_window: 10 * MSS, congestion_window: 10 * MSS, ..view() }));
    }

    #[test]
    fn a_millisecond_is_near() {
        // tcp_tso_should_defer of Linux 6.18: tcp_clock_cache - tcp_wstamp_ns - NSEC_PER_MSEC > 0; and how_far, to when the
        // head's acknowledgement is expected, beyond min(srtt / 2, 1 ms).
        let at = |us: u64| Time::ZERO + Duration::from_micros(us);
        let left = |us| tso_should_defer(DeferView { last_departure: at(us), ..view() });
        assert_eq!([left(998_999), left(999_000)], [Deferral::SendNow, Deferral::ForWindow]);
        let oldest = |us| tso_should_defer(DeferView { oldest_departure: Some(at(us)), ..view() });
        assert_eq!([oldest(901_000), oldest(901_001)], [Deferral::ForWindow, Deferral::SendNow]);
        let short = Duration::from_micros(200);
        let oldest =
            |us| tso_should_defer(DeferView { oldest_departure: Some(at(us)), srtt: short, ..view() });
        assert_eq!([oldest(999_900), oldest(999_901)], [Deferral::ForWindow, Deferral::SendNow]);
        assert_eq!(tso_should_defer(DeferView { oldest_departure: None, ..view() }), Deferral::SendNow);
    }
}
