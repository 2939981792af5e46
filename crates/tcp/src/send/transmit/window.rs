//! The window that the peer announces.

/// `TCP_MSS_DEFAULT`.
const DEFAULT_MSS: u64 = 536;
/// 68 bytes with a header that has no options (`tcp_bound_to_half_wnd`).
const LEAST: u64 = 68 - 20;

/// The peer's window (RFC 9293 section 3.3.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendWindow {
    /// SND.WND, scaled.
    pub size: u64,
    /// SND.WL1.
    wl1: u64,
    /// The largest ever (RFC 9293 section 3.8.6.2.1).
    pub max: u64,
}

impl SendWindow {
    /// RFC 9293 section 3.10.7.4: the window of the newest segment counts (`tcp_ack_update_window`). Whether it
    /// changed.
    pub fn update(&mut self, seq: u64, size: u64, advances: bool) -> bool {
        let newer = seq > self.wl1 || (seq == self.wl1 && (size > self.size || size == 0));
        if !advances && !newer {
            return false;
        }
        self.wl1 = seq;
        let changed = size != self.size;
        self.size = size;
        self.max = self.max.max(size);
        changed
    }

    /// The window of a SYN or of the segment that completes the handshake.
    pub fn initialize(&mut self, seq: u64, size: u64) {
        *self = Self { size, wl1: seq, max: size };
    }

    /// A segment has no more than half of the largest window, of a small one all (`tcp_bound_to_half_wnd`).
    pub fn bound(&self, mss: u64) -> u64 {
        bound_to_half_window(mss, self.max)
    }

    /// First position that it does not allow when all below `una` is acknowledged.
    pub const fn end(&self, una: u64) -> u64 {
        una + self.size
    }
}

/// What a segment or a buffer holds, where the largest window ever was so large (`tcp_bound_to_half_wnd`).
pub(crate) fn bound_to_half_window(bytes: u64, largest: u64) -> u64 {
    let most = if largest > DEFAULT_MSS { largest / 2 } else { largest };
    if most == 0 { bytes } else { bytes.min(most.max(LEAST)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window after a segment at `seq` announced `size`; before it was 1000 by one at 10.
    fn after(seq: u64, size: u64, advances: bool) -> (bool, u64) {
        let mut window = SendWindow::default();
        window.initialize(10, 1_000);
        (window.update(seq, size, advances), window.size)
    }

    #[test]
    fn the_newest_segment_tells_the_window() {
        // tcp_may_update_window: after(ack, snd_una) || after(ack_seq, snd_wl1) || (ack_seq == snd_wl1 && (nwin > snd_wnd ||
        // !nwin)).
        assert_eq!(after(11, 500, false), (true, 500));
        assert_eq!(after(9, 2_000, false), (false, 1_000));
        assert_eq!(after(9, 500, true), (true, 500));
        assert_eq!(after(10, 2_000, false), (true, 2_000));
        assert_eq!(after(10, 500, false), (false, 1_000));
        assert_eq!(after(10, 0, false), (true, 0));
        assert_eq!(after(11, 1_000, false), (false, 1_000));
    }

    #[test]
    fn a_segment_takes_no_more_than_half_of_the_largest_window() {
        let bound = |max| {
            let mut window = SendWindow::default();
            window.initialize(10, max);
            window.bound(1_460)
        };
        // tcp_bound_to_half_wnd: max_window > TCP_MSS_DEFAULT, cutoff = max_window >> 1; none where that is 0.
        assert_eq!([2_920, 2_919, 1_000, 537].map(bound), [1_460, 1_459, 500, 268]);
        assert_eq!([536, 300, 10, 0].map(bound), [536, 300, 48, 1_460]);
    }

    #[test]
    fn the_largest_window_ever_is_kept_and_a_position_is_counted_from_what_is_acknowledged() {
        // RFC 9293 sections 3.4 and 3.8.6.2.1.
        let mut window = SendWindow::default();
        window.initialize(10, 1_000);
        assert_eq!((window.max, window.end(1)), (1_000, 1_001));
        window.update(11, 2_000, false);
        window.update(12, 500, false);
        assert_eq!((window.max, window.end(1)), (2_000, 501));
        window.update(11, 700, false);
        assert_eq!(window.size, 500, "a later segment has told of less");
    }
}
