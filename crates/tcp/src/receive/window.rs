//! The window that we announce: kernel memory turned into sequence space (`tcp_select_window`).

use bentpipe_units::Time;

use crate::config::BufferLimits;

/// Fixed-point denominator of the share of memory that is payload (`TCP_RMEM_TO_WIN_SCALE`).
const RATIO_ONE: u64 = 256;
/// Before the first full segment (`TCP_DEFAULT_SCALING_RATIO`): half, since Linux 6.10.
const INITIAL_RATIO: u64 = RATIO_ONE / 2;
/// `net.core.rmem_max`, 4 MiB since Linux 6.17: what an application could ask for must be expressible too.
const RMEM_MAX: u64 = 4 << 20;
/// `TCP_MAX_WSCALE` (RFC 7323 section 2.3).
const MAX_SHIFT: u32 = 14;
/// Segments smaller than this do not open the window.
const GROWTH_MIN: u64 = 128;

/// Memory, limits and what is announced.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveWindow {
    limits: BufferLimits,
    /// `sk_rcvbuf`.
    buffer: u64,
    /// Share of memory that is payload, in 256ths (`scaling_ratio`).
    ratio: u64,
    /// Upper limit of what is announced (`window_clamp`).
    clamp: u64,
    /// What is announced at most for now: the receiver's slow start (`rcv_ssthresh`).
    threshold: u64,
    /// RCV.WND as last announced.
    size: u64,
    /// RCV.NXT at that time (`rcv_wup`).
    announced_at: u64,
    shift: Shift,
    mss: u64,
}

/// Window scaling of our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// By so many bits.
    By(u8),
    /// The peer does not scale.
    None,
}

/// Whether the window had to be announced smaller than the memory allows by half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressure {
    Low,
    High,
}

/// Whether more can be announced than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    Grown,
    None,
}

/// A window that could be announced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub size: u64,
    pub pressure: Pressure,
}

impl ReceiveWindow {
    /// `tcp_select_initial_window`: as many whole segments as the memory holds, `most` of them at most.
    pub fn new(limits: BufferLimits, most: Option<u32>, mss: u64) -> Self {
        let buffer = limits.initial.get();
        let space = buffer * INITIAL_RATIO / RATIO_ONE;
        let held = if space > mss { space - space % mss } else { space };
        let size = most.map_or(held, |segments| held.min(u64::from(segments) * mss));
        // The widest window that auto-tuning can reach must be expressible.
        let widest = space.max(limits.max.get()).max(RMEM_MAX);
        let shift = widest.ilog2().saturating_sub(15).min(MAX_SHIFT) as u8;
        Self {
            limits,
            buffer,
            ratio: INITIAL_RATIO,
            clamp: space,
            threshold: size,
            size,
            announced_at: 0,
            shift: Shift::By(shift),
            mss,
        }
    }

    /// The shift to offer in a SYN.
    pub const fn offered_shift(&self) -> u8 {
        match self.shift {
            Shift::By(bits) => bits,
            Shift::None => 0,
        }
    }

    pub fn disable_scaling(&mut self) {
        self.shift = Shift::None;
    }

    /// The handshake fixed the payload of full segments, of which one is kept in reserve (`tcp_init_buffer_space`).
    pub fn establish(&mut self, mss: u64) {
        self.mss = mss;
        let space = self.payload_of(self.buffer);
        self.clamp = self.clamp.min(space);
        if self.clamp > 2 * mss && self.clamp + mss > space {
            self.clamp = (2 * mss).max(space - mss);
        }
        self.threshold = self.threshold.min(self.clamp);
    }

    pub const fn size(&self) -> u64 {
        self.size
    }

    pub const fn clamp(&self) -> u64 {
        self.clamp
    }

    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    pub const fn buffer(&self) -> u64 {
        self.buffer
    }

    pub const fn announced_at(&self) -> u64 {
        self.announced_at
    }

    /// What is left of the announced window (`tcp_receive_window`).
    pub const fn remaining(&self, next: u64) -> u64 {
        (self.announced_at + self.size).saturating_sub(next)
    }

    /// `tcp_win_from_space`.
    const fn payload_of(&self, memory: u64) -> u64 {
        memory * self.ratio / RATIO_ONE
    }

    /// `tcp_space_from_win`.
    const fn memory_for(&self, payload: u64) -> u64 {
        payload * RATIO_ONE / self.ratio
    }

    /// A larger segment than before: learns how much memory payload takes (`tcp_measure_rcv_mss`).
    pub fn learn_ratio(&mut self, len: u64, memory: u64) {
        let ratio = (len * RATIO_ONE / memory.max(1)).clamp(1, RATIO_ONE - 1);
        if ratio == self.ratio {
            return;
        }
        self.ratio = ratio;
        // tcp_set_window_clamp
        let clamp = self.payload_of(self.buffer);
        if clamp > self.clamp {
            self.threshold = self.threshold.max(self.size.min(clamp));
        } else {
            self.threshold = self.threshold.min(clamp);
        }
        self.clamp = clamp;
    }

    /// A segment of `len` bytes in `memory` arrived, where the peer's full ones have `segment`: what is announced
    /// may grow by two segments (`tcp_grow_window`).
    pub fn grow(&mut self, len: u64, memory: u64, used: u64, segment: u64) -> Growth {
        if len < GROWTH_MIN {
            return Growth::None;
        }
        let room = self.clamp.min(self.payload_of(self.buffer.saturating_sub(used)));
        let room = room.saturating_sub(self.threshold);
        let wanted = if self.payload_of(memory) <= len {
            2 * self.mss
        } else {
            self.slow_growth(len, memory, segment)
        };
        if room == 0 || wanted == 0 {
            return Growth::None;
        }
        self.threshold += room.min(wanted.max(2 * len));
        Growth::Grown
    }

    /// Segments that waste memory open the window only while it is small (`__tcp_grow_window`).
    fn slow_growth(&self, len: u64, memory: u64, segment: u64) -> u64 {
        let mut needed = self.payload_of(memory) / 2;
        let mut window = self.payload_of(self.limits.max.get()) / 2;
        while self.threshold <= window {
            if needed <= len {
                return 2 * segment;
            }
            needed /= 2;
            window /= 2;
        }
        0
    }

    /// Auto-tuning wants room for `window` bytes (`tcp_rcvbuf_grow`).
    pub fn enlarge(&mut self, window: u64) {
        let buffer = self.memory_for(window).min(self.limits.max.get());
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = self.payload_of(buffer);
        }
    }

    /// `__tcp_select_window` with `used` bytes of memory taken; `segment` is the peer's full segment.
    pub fn select(&self, used: u64, segment: u64) -> Selection {
        let allowed = self.payload_of(self.buffer);
        let full = self.clamp.min(allowed);
        let segment = segment.min(full);
        let mut free = self.payload_of(self.buffer.saturating_sub(used));
        let mut pressure = Pressure::Low;
        if free < full / 2 {
            pressure = Pressure::High;
            // RFC 9293 section 3.8.6.2.2: no silly windows.
            if let Shift::By(bits) = self.shift {
                free = free >> bits << bits;
            }
            if free < allowed / 16 || free < segment {
                return Selection { size: 0, pressure };
            }
        }
        free = free.min(self.threshold);
        let size = match self.shift {
            Shift::By(bits) => free.next_multiple_of(1 << bits),
            Shift::None if self.size + segment <= free || self.size > free => free - free % segment.max(1),
            Shift::None if segment == full && free > self.size + full / 2 => free,
            Shift::None => self.size,
        };
        Selection { size, pressure }
    }

    /// A segment leaves that announces `selected` (`tcp_select_window`); returns the window field.
    pub fn announce(&mut self, selected: u64, next: u64) -> u16 {
        let remaining = self.remaining(next);
        let bits = self.offered_shift();
        // RFC 9293 section 3.8.6: what was announced is not taken back.
        let size = if selected < remaining { remaining.next_multiple_of(1 << bits) } else { selected };
        self.size = size.min(u64::from(u16::MAX) << bits);
        self.announced_at = next;
        (self.size >> bits) as u16
    }

    /// The window of a SYN, which is not scaled.
    pub fn announce_in_syn(&mut self, next: u64) -> u16 {
        self.announced_at = next;
        self.size.min(u64::from(u16::MAX)) as u16
    }
}

/// A sample that ends a measurement interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub now: Time,
    /// Bytes read so far, as a position.
    pub copied: u64,
    /// Bytes in order that are not read.
    pub unread: u64,
    /// How far the data out of order reaches beyond RCV.NXT.
    pub out_of_order: u64,
}

#[cfg(test)]
mod tests {
    use bentpipe_units::Bytes;

    use super::*;

    fn window() -> ReceiveWindow {
        let limits = BufferLimits { initial: Bytes::new(131_072), max: Bytes::new(6 << 20) };
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
        let limits = BufferLimits { initial: Bytes::new(131_072), max: Bytes::new(6 << 20) };
        let mut window = ReceiveWindow::new(limits, Some(20), 1460);
        assert_eq!((window.size(), window.offered_shift()), (29_200, 7));
        window.establish(1448);
        assert_eq!(window.threshold(), 29_200);
        assert_eq!(window.grow(1448, 2304, 2304, 1448), Growth::Grown);
        assert_eq!(window.threshold(), 29_200 + 2 * 1448);
    }

    #[test]
    fn no_more_is_opened_than_the_buffer_holds() {
        let limits = BufferLimits { initial: Bytes::new(131_072), max: Bytes::new(6 << 20) };
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
    fn segments_of_less_than_128_bytes_do_not_open_the_window() {
        // tcp_event_data_recv: skb->len >= 128.
        let mut window = window();
        window.learn_ratio(1448, 2304);
        assert_eq!(window.grow(127, 832, 832, 536), Growth::None);
        assert_eq!(window.grow(128, 832, 832, 536), Growth::Grown);
    }

    #[test]
    fn a_window_is_shifted_by_14_bits_at_most() {
        // RFC 7323 section 2.3; a buffer of 1 GiB would ask for 15.
        let shift = |bits: u32| {
            let limits = BufferLimits { initial: Bytes::new(131_072), max: Bytes::new(1 << bits) };
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
        let sizes =
            [11_447, 11_448, 10_000, 9_999].map(|free| unscaled(10_000).select(all_but(free), 1448).size);
        assert_eq!(sizes, [10_000, 7 * 1448, 10_000, 6 * 1448]);
    }

    #[test]
    fn without_scaling_a_window_below_one_segment_opens_by_half_of_what_there_is() {
        // __tcp_select_window: mss == full_space && free_space > window + (full_space >> 1).
        let small = |size: u64| {
            let limits = BufferLimits { initial: Bytes::new(2_800), max: Bytes::new(2_800) };
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
            let mut window =
                ReceiveWindow { buffer: memory, clamp: memory, ratio: 160, threshold, ..window() };
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
}
