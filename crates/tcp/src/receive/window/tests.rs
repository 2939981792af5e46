//! What is announced, by net/ipv4/tcp_output.c and tcp_input.c.

use bentpipe_units::Bytes;

use super::*;

fn window() -> ReceiveWindow {
    let limits = BufferLimits::tuned(Bytes::new(131_072), Bytes::new(6 << 20));
    ReceiveWindow::new(limits, None, 1448)
}

#[test]
fn a_buffer_of_131072_opens_with_45_segments_and_a_shift_of_7() {
    // tcp_select_initial_window: 131072 / 2 = 65536, 45 segments of 1448; ilog2(6291456) - 15.
    assert_eq!(window().size(), 65_160);
    assert_eq!(window().offered_shift(), 7);
}

#[test]
fn linux_before_4_20_opens_with_20_segments_and_grows_from_there() {
    // tcp_default_init_rwnd: 2 * TCP_INIT_CWND, of 1460 bytes before the peer's options are known
    // (tcp_connect_init). rcv_ssthresh begins there and grows by two segments for each that comes
    // (tcp_grow_window); the shift is for what auto-tuning may reach, as ever.
    let limits = BufferLimits::tuned(Bytes::new(131_072), Bytes::new(6 << 20));
    let mut window = ReceiveWindow::new(limits, Some(20), 1460);
    assert_eq!((window.size(), window.offered_shift()), (29_200, 7));
    window.establish(1448);
    assert_eq!(window.threshold(), 29_200);
    assert_eq!(window.grow(1448, 2304, 2304, 1448), Growth::Grown);
    assert_eq!(window.threshold(), 29_200 + 2 * 1448);
}

#[test]
fn no_more_is_opened_than_the_buffer_holds() {
    let limits = BufferLimits::tuned(Bytes::new(131_072), Bytes::new(6 << 20));
    assert_eq!(ReceiveWindow::new(limits, Some(1_000), 1448).size(), 65_160);
}

#[test]
fn one_segment_is_kept_in_reserve_once_the_connection_is_open() {
    let mut window = window();
    window.establish(1448);
    assert_eq!((window.clamp(), window.threshold()), (65_536 - 1448, 65_536 - 1448));
}

#[test]
fn each_full_segment_opens_the_window_by_two() {
    let mut window = window();
    window.learn_ratio(1448, 2304);
    let before = window.threshold();
    assert_eq!(window.grow(1448, 2304, 2304, 1448), Growth::Grown);
    assert_eq!(window.threshold() - before, 2 * 1448);
}

#[test]
fn what_was_announced_is_not_taken_back() {
    let mut window = window();
    window.announce(80_000, 1);
    assert_eq!(window.remaining(1001), 79_000);
    window.announce(0, 1001);
    assert!(window.remaining(1001) >= 79_000);
}

#[test]
fn a_window_smaller_than_a_segment_is_none() {
    let window = window();
    assert_eq!(window.select(131_072 - 2_304, 1448).size, 0);
}

#[test]
fn a_window_is_shifted_by_14_bits_at_most() {
    // RFC 7323 section 2.3; a buffer of 1 GiB would ask for 15.
    let shift = |bits: u32| {
        let limits = BufferLimits::tuned(Bytes::new(131_072), Bytes::new(1 << bits));
        ReceiveWindow::new(limits, None, 1448).offered_shift()
    };
    assert_eq!([shift(28), shift(29), shift(30)], [13, 14, 14]);
}

/// Memory that leaves room for so much payload, of which half of the memory counts.
fn all_but(payload: u64) -> u64 {
    131_072 - 2 * payload
}

/// A window of a peer that does not scale, announced last with this size.
fn unscaled(size: u64) -> ReceiveWindow {
    let mut window = window();
    window.disable_scaling();
    window.announce(size, 1 << 20);
    window
}

#[test]
fn without_scaling_a_window_stays_until_a_segment_more_fits_or_its_size_does_no_longer() {
    // __tcp_select_window: window <= free_space - mss || window > free_space, then rounddown(free_space, mss).
    let sizes = [11_447, 11_448, 10_000, 9_999].map(|free| unscaled(10_000).select(all_but(free), 1448).size);
    assert_eq!(sizes, [10_000, 7 * 1448, 10_000, 6 * 1448]);
}

#[test]
fn without_scaling_a_window_below_one_segment_opens_by_half_of_what_there_is() {
    // __tcp_select_window: mss == full_space && free_space > window + (full_space >> 1).
    let small = |size: u64| {
        let limits = BufferLimits::tuned(Bytes::new(2_800), Bytes::new(2_800));
        let mut window = ReceiveWindow { threshold: 1_400, ..ReceiveWindow::new(limits, None, 1448) };
        window.disable_scaling();
        window.announce(size, 1 << 20);
        window.select(0, 1448).size
    };
    assert_eq!([small(699), small(700)], [1_400, 700]);
}

#[test]
fn a_window_of_less_than_a_sixteenth_of_the_memory_or_a_segment_is_none() {
    // __tcp_select_window: free_space < (allowed_space >> 4) || free_space < mss, rounded down to steps of the scale.
    let size = |free, segment| window().select(all_but(free), segment).size;
    assert_eq!([size(4_095, 1448), size(4_096, 1448), size(4_223, 1448)], [0, 4_096, 4_096]);
    assert_eq!([size(5_119, 5_000), size(5_120, 5_000)], [0, 5_120]);
}

#[test]
fn the_memory_is_short_when_less_than_half_of_the_window_is_free() {
    // __tcp_select_window: free_space < (full_space >> 1).
    let pressure = |free| window().select(all_but(free), 1448).pressure;
    assert_eq!([pressure(32_767), pressure(32_768)], [Pressure::High, Pressure::Low]);
}

#[test]
fn segments_that_waste_memory_open_the_window_while_it_is_small() {
    // __tcp_grow_window: 832 bytes of memory count as 520 of payload, half of which is halved once more before it is less
    // than 200 bytes; so is half of the payload of 6 MiB.
    let most = (6 << 20) * 160 / 256 / 2 / 2;
    for (threshold, growth) in [(most, Growth::Grown), (most + 1, Growth::None)] {
        let memory = 6 << 20;
        let mut window = ReceiveWindow { buffer: memory, clamp: memory, ratio: 160, threshold, ..window() };
        assert_eq!(window.grow(200, 832, 832, 536), growth, "{threshold}");
    }
}

#[test]
fn segments_that_waste_memory_open_the_window_by_two_of_what_the_peer_sends() {
    // __tcp_grow_window: 2 * rcv_mss; tcp_grow_window: two of their own at least.
    for (segment, opened) in [(536, 2 * 536), (88, 2 * 200)] {
        let mut window = ReceiveWindow { ratio: 160, threshold: 20_000, ..window() };
        assert_eq!(window.grow(200, 832, 832, segment), Growth::Grown);
        assert_eq!(window.threshold(), 20_000 + opened);
    }
}

#[test]
fn a_larger_segment_tells_how_much_of_the_memory_is_payload_and_moves_the_window_with_it() {
    // tcp_measure_rcv_mss: scaling_ratio = (len << 8) / truesize; tcp_set_window_clamp: rcv_ssthresh is cut to the clamp, or
    // raised to what is announced, as far as the new clamp goes.
    let learnt = |len, memory| {
        let mut window = ReceiveWindow { threshold: 10_000, ..window() };
        window.learn_ratio(len, memory);
        (window.clamp(), window.threshold())
    };
    assert_eq!(learnt(1448, 2304), (131_072 * 160 / 256, 65_160));
    assert_eq!(learnt(100, 2048), (131_072 * 12 / 256, 6_144));
    // Half is what it was taken for before.
    assert_eq!(learnt(1000, 2000), (65_536, 10_000));
}

#[test]
fn a_window_of_two_segments_keeps_none_in_reserve_and_one_of_three_keeps_less_than_one() {
    // tcp_init_buffer_space: window_clamp > 2 * advmss, max(2 * advmss, maxwin - advmss).
    let clamp = |space: u64| {
        let limits = BufferLimits::tuned(Bytes::new(2 * space), Bytes::new(2 * space));
        let mut window = ReceiveWindow::new(limits, None, 1448);
        window.establish(1448);
        window.clamp()
    };
    assert_eq!([clamp(2_000), clamp(2_896), clamp(4_000), clamp(4_500)], [2_000, 2_896, 2_896, 3_052]);
}

#[test]
fn auto_tuning_makes_the_buffer_hold_the_window_up_to_its_limit_and_never_smaller() {
    // tcp_rcvbuf_grow: tcp_space_from_win, tcp_rmem[2].
    let mut window = window();
    window.enlarge(65_536);
    assert_eq!(window.buffer(), 131_072);
    window.enlarge(100_000);
    assert_eq!((window.buffer(), window.clamp()), (200_000, 100_000));
    window.enlarge(1 << 30);
    assert_eq!((window.buffer(), window.clamp()), (6 << 20, 3 << 20));
}

#[test]
fn a_window_that_falls_short_is_announced_as_what_is_left_rounded_up_to_the_scale() {
    // tcp_select_window: ALIGN(cur_win, 1 << rcv_wscale), and 65535 << rcv_wscale at most.
    let mut window = window();
    assert_eq!(window.announce(12_800, 70_000), 100);
    assert_eq!((window.size(), window.announced_at(), window.remaining(70_001)), (12_800, 70_000, 12_799));
    assert_eq!(window.announce(0, 70_001), 100);
    assert_eq!(window.announce(1 << 30, 70_001), u16::MAX);
    // tp->rcv_wnd is set before: what the field cannot hold counts all the same.
    assert_eq!(window.remaining(70_001), 1 << 30);
}
