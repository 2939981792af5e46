//! Receive-buffer auto-tuning: dynamic right-sizing (Fisk, Feng 2001; `tcp_rcv_space_adjust` of Linux 6.18).

use bentpipe_units::{Duration, Time};

use super::window::{Reading, ReceiveWindow};
use crate::config::TCP_INIT_CWND;
use crate::wheel::TimerWheel;

/// The receiver's RTT and how much was read in the last round trip.
#[derive(Clone, Debug)]
pub(crate) struct Autotune {
    /// Whose clock timestamps are read from.
    wheel: TimerWheel,
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
    pub fn new(wheel: TimerWheel, now: Time, window: &ReceiveWindow, mss: u64, copied: u64) -> Self {
        let space = window.threshold().min(window.size()).min(TCP_INIT_CWND * mss);
        Self {
            wheel,
            rtt: None,
            last_echo: None,
            window_round: None,
            space: space.max(1),
            since: now,
            from: copied,
        }
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
        let ticks = self.wheel.timestamp(now).wrapping_sub(echo);
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
        let limits = BufferLimits::tuned(Bytes::new(131_072), Bytes::new(6 << 20));
        ReceiveWindow::new(limits, None, MSS)
    }

    fn autotune() -> Autotune {
        Autotune::new(TimerWheel::default(), at(0), &window(), MSS, 1)
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

    /// The round trip of the receiver after it was told of these times of echoes and arrivals, with so much unread.
    fn echoed(echoes: &[(u32, u64)], unread: u64) -> Option<Duration> {
        let mut tuning = autotune();
        for (echo, arrival) in echoes {
            tuning.on_echo(at(*arrival), *echo, unread, Worth::Sample);
        }
        tuning.rtt()
    }

    #[test]
    fn an_echo_measures_the_round_trip_of_which_a_longer_one_counts_an_eighth() {
        // tcp_rcv_rtt_measure_ts and tcp_rcv_rtt_update: m -= (new_sample >> 3); new_sample += m.
        assert_eq!(echoed(&[(100, 180)], 0), ms(80));
        assert_eq!(echoed(&[(100, 180), (200, 360)], 0), ms(90));
        assert_eq!(echoed(&[(100, 180), (200, 270)], 0), ms(70));
        // A reader that is late delays the echo, and the same echo tells nothing twice.
        assert_eq!(echoed(&[(100, 180), (200, 360)], 1), ms(80));
        assert_eq!(echoed(&[(100, 180), (100, 120)], 0), ms(80));
        // tcp_rtt_tsopt_us: not within a tick, nor of a time to come.
        assert_eq!(echoed(&[(100, 100)], 0), None);
        assert_eq!(echoed(&[(101, 100)], 0), None);
        assert_eq!(echoed(&[(0, 1)], 0), ms(1));
    }

    #[test]
    fn an_echo_of_a_segment_that_is_not_full_measures_nothing_and_is_not_looked_at_again() {
        // tcp_rcv_rtt_measure_ts: rcv_rtt_last_tsecr, rcv_mss.
        let mut tuning = autotune();
        tuning.on_echo(at(180), 100, 0, Worth::Nothing);
        tuning.on_echo(at(190), 100, 0, Worth::Sample);
        assert_eq!(tuning.rtt(), None);
    }

    /// The buffer, with half of its memory payload, after a read of `copied` bytes `after` the start of a round of 100 ms.
    fn read(copied: u64, unread: u64, after: u64) -> u64 {
        let (mut tuning, mut window) = (Autotune { rtt: ms(100), ..autotune() }, window());
        let reading = Reading { now: at(after), copied: 1 + copied, unread, out_of_order: 0 };
        tuning.on_read(reading, &mut window);
        window.buffer()
    }

    #[test]
    fn the_buffer_holds_twice_what_a_round_trip_brought_and_more_while_it_brings_more_each_time() {
        // tcp_rcv_space_adjust, tcp_rcvbuf_grow of Linux 6.18: rcvwin = 2 * new; grow = rcvwin * (new - old) / old; rcvwin += 2 *
        // grow. Before the first round ten segments are what it brings.
        let old = 10 * MSS;
        let wanted = |new: u64| 2 * (2 * new + 2 * (2 * new * (new - old) / old));
        assert_eq!(read(30_000, 0, 100), wanted(30_000));
        // Not before the round trip is over, nor of what is unread, nor where it brought no more than before.
        assert_eq!(read(30_000, 0, 99), 131_072);
        assert_eq!(read(40_000, 10_000, 100), wanted(30_000));
        assert_eq!(read(old, 0, 100), 131_072);
    }

    #[test]
    fn each_round_is_measured_from_what_the_one_before_had_read() {
        // tcp_rcv_space_adjust, new_measure: rcvq_space.seq = tp->copied_seq, rcvq_space.time.
        let (mut tuning, mut window) = (Autotune { rtt: ms(100), ..autotune() }, window());
        let mut read = |now_ms, copied, out_of_order| {
            tuning.on_read(Reading { now: at(now_ms), copied, unread: 0, out_of_order }, &mut window);
            window.buffer()
        };
        assert_eq!(read(100, 10_001, 0), 131_072);
        assert_eq!(read(150, 60_001, 0), 131_072);
        // 60000 bytes beyond those of the first round, and what is out of order has its room besides.
        let wanted = 2 * 60_000 + 2 * (2 * 60_000 * (60_000 - 10 * MSS) / (10 * MSS)) + 5_000;
        assert_eq!(read(200, 70_001, 5_000), 2 * wanted);
    }

    #[test]
    fn what_spans_a_hole_needs_room_beside_two_rounds() {
        // tcp_data_queue_ofo of Linux 6.18: tcp_rcvbuf_grow with the space as it is.
        let (mut tuning, mut window) = (autotune(), window());
        tuning.on_out_of_order(100_000, &mut window);
        assert_eq!(window.buffer(), 2 * (2 * 10 * MSS + 100_000));
        // A window that holds less than ten segments limits what a round brings.
        tuning.limit(1_000);
        tuning.on_out_of_order(200_000, &mut window);
        assert_eq!(window.buffer(), 2 * (2 * 1_000 + 200_000));
    }
}
