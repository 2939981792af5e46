//! Receive-buffer auto-tuning: dynamic right-sizing (Fisk, Feng 2001; `tcp_rcv_space_adjust` of Linux 6.18).

use bentpipe_units::{Duration, Time};

use super::window::{Reading, ReceiveWindow};
use crate::segment::timestamp;

/// `TCP_INIT_CWND`: the first measure of what a round trip brings.
const INITIAL_SEGMENTS: u64 = 10;

/// The receiver's RTT and how much was read in the last round trip.
#[derive(Clone, Debug)]
pub(crate) struct Autotune {
    rtt: Option<Duration>,
    /// The last echo that was sampled.
    last_echo: Option<u32>,
    /// A window's worth of data since this time, to this position, is a round trip at most.
    window_round: Option<(Time, u64)>,
    /// Bytes read in the best round trip so far (`rcvq_space.space`).
    space: u64,
    since: Time,
    from: u64,
}

/// What an echo tells. Only full segments are thought to have been sent as soon as the window allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worth {
    Sample,
    Nothing,
}

impl Autotune {
    /// A connection that is established.
    pub fn new(now: Time, window: &ReceiveWindow, mss: u64, copied: u64) -> Self {
        let space = window.threshold().min(window.size()).min(INITIAL_SEGMENTS * mss);
        Self { rtt: None, last_echo: None, window_round: None, space: space.max(1), since: now, from: copied }
    }

    pub const fn rtt(&self) -> Option<Duration> {
        self.rtt
    }

    /// A segment echoes our timestamp (`tcp_rcv_rtt_measure_ts`). `unread`: bytes that wait already.
    pub fn on_echo(&mut self, now: Time, echo: u32, unread: u64, worth: Worth) {
        if self.last_echo == Some(echo) {
            return;
        }
        self.last_echo = Some(echo);
        if worth == Worth::Nothing {
            return;
        }
        let ticks = timestamp(now).wrapping_sub(echo);
        // Within a tick of the millisecond clock nothing is learnt; a negative time is nonsense.
        if ticks == 0 || ticks > i32::MAX as u32 {
            return;
        }
        let sample = Duration::from_millis(u64::from(ticks));
        self.rtt = match self.rtt {
            // A delayed reader delays the echo.
            Some(rtt) if sample >= rtt && unread > 0 => Some(rtt),
            Some(rtt) if sample >= rtt => Some(rtt.mul_f64(7.0 / 8.0) + sample / 8),
            _ => Some(sample),
        };
    }

    /// In-order data arrived: a full window takes a round trip at least (`tcp_rcv_rtt_measure`).
    pub fn on_data(&mut self, now: Time, next: u64, window: u64) {
        match self.window_round {
            Some((_, end)) if next < end => return,
            Some((since, _)) => {
                let sample = now.since(since).max(Duration::from_micros(1));
                if self.rtt.is_none_or(|rtt| sample < rtt) {
                    self.rtt = Some(sample);
                }
            }
            None => {}
        }
        self.window_round = Some((now, next + window));
    }

    /// The application has read.
    pub fn on_read(&mut self, reading: Reading, window: &mut ReceiveWindow) {
        if self.rtt.is_none_or(|rtt| reading.now.since(self.since) < rtt) {
            return;
        }
        let copied = (reading.copied - self.from).saturating_sub(reading.unread);
        if copied > self.space {
            self.grow(copied, reading.out_of_order, window);
        }
        self.since = reading.now;
        self.from = reading.copied;
    }

    /// Data came out of order: what it spans needs room besides.
    pub fn on_out_of_order(&mut self, out_of_order: u64, window: &mut ReceiveWindow) {
        self.grow(self.space, out_of_order, window);
    }

    /// `tcp_rcvbuf_grow`: two round trips' worth, and more while the sender speeds up.
    fn grow(&mut self, copied: u64, out_of_order: u64, window: &mut ReceiveWindow) {
        let before = self.space;
        self.space = copied;
        let wanted = 2 * copied;
        let speeding_up = wanted * (copied - before) / before;
        window.enlarge(wanted + 2 * speeding_up + out_of_order);
    }

    /// The window cannot hold what a round trip brought (`tcp_measure_rcv_mss`).
    pub fn limit(&mut self, clamp: u64) {
        self.space = self.space.min(clamp.max(1));
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_units::Bytes;

    use super::*;
    use crate::config::BufferLimits;

    const MSS: u64 = 1448;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    fn window() -> ReceiveWindow {
        let limits = BufferLimits { initial: Bytes::new(131_072), max: Bytes::new(6 << 20) };
        ReceiveWindow::new(limits, None, MSS)
    }

    fn autotune() -> Autotune {
        Autotune::new(at(0), &window(), MSS, 1)
    }

    #[test]
    fn a_window_full_of_data_takes_a_round_trip_of_which_the_shortest_counts() {
        // tcp_rcv_rtt_measure, tcp_rcv_rtt_update with win_dep: from the first data to those that a window later come.
        let mut tuning = autotune();
        let mut measured = |at_ms, next| {
            tuning.on_data(at(at_ms), next, 10_000);
            tuning.rtt()
        };
        assert_eq!(measured(100, 1_001), None);
        assert_eq!(measured(150, 11_000), None);
        assert_eq!(measured(200, 11_001), ms(100));
        assert_eq!(measured(250, 21_000), ms(100));
        assert_eq!(measured(280, 21_001), ms(80));
        assert_eq!(measured(400, 31_001), ms(80));
    }
}
