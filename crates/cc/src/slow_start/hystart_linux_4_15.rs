//! HyStart as Linux 4.15 had it (`net/ipv4/tcp_cubic.c`), with its clock of whole milliseconds.
//!
//! What changed since, oldest first: a clock of microseconds, a threshold of the ACK train that allows for delayed
//! acknowledgements and for pacing (5.6); every sample of a round lowers its least RTT (5.8, b344579ca847); rounds
//! begin also where the window does not grow (5.16, 4e1fddc98d25) and below 16 packets (6.14, 25c1a9ca53db).

use bentpipe_units::{Duration, Time};

use super::detector::{SlowStartView, Verdict};
use crate::AckSample;
use crate::round::{Boundary, Rounds};

/// No detection below this window, in packets (`hystart_low_window`).
const LOW_WINDOW: u64 = 16;
/// RTT samples of a round that count, and after which the delay detector judges (`HYSTART_MIN_SAMPLES`).
const MIN_SAMPLES: u32 = 8;
/// Acknowledgements at most this far apart belong to one train (`hystart_ack_delta`).
const TRAIN_GAP: Millis = Millis(2);
/// `HYSTART_DELAY_MIN` and `HYSTART_DELAY_MAX`: 4 and 16 ms.
const DELAY_MIN: EighthMillis = EighthMillis(4 << 3);
const DELAY_MAX: EighthMillis = EighthMillis(16 << 3);

/// `bictcp_clock`: whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Millis(u64);

/// The unit of `delay_min` and `curr_rtt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EighthMillis(u64);

#[derive(Clone, Debug)]
pub(crate) struct HyStartLinux4_15 {
    rounds: Rounds,
    round_start: Millis,
    /// The last acknowledgement of the train that began with the round (`last_ack`).
    train_end: Millis,
    samples: u32,
    /// The least of the round's first samples (`curr_rtt`).
    round_min_rtt: Option<EighthMillis>,
}

impl HyStartLinux4_15 {
    pub fn new(now: Time) -> Self {
        let now = Millis::at(now);
        Self { rounds: Rounds::default(), round_start: now, train_end: now, samples: 0, round_min_rtt: None }
    }

    /// `bictcp_acked` and `hystart_update`. It comes before [`on_growth`](Self::on_growth): the acknowledgement that
    /// begins a round is judged by what its predecessor had.
    pub fn on_ack(&mut self, ack: &AckSample, rtt: Duration, view: SlowStartView) -> Verdict {
        if view.cwnd.get() < LOW_WINDOW * view.mss.get() {
            return Verdict::Continue;
        }
        let delay_min = EighthMillis::of(view.min_rtt);
        if self.train_fills_the_pipe(Millis::at(ack.now), delay_min)
            || self.delay_rises(EighthMillis::of(rtt), delay_min)
        {
            return Verdict::Exit;
        }
        Verdict::Continue
    }

    /// `bictcp_cong_avoid`: a round begins with the first acknowledgement of what left after the last one began, where
    /// that lets the window grow (`bictcp_hystart_reset`).
    pub fn on_growth(&mut self, ack: &AckSample) {
        if self.rounds.on_ack(ack) == Boundary::Start {
            let now = Millis::at(ack.now);
            self.round_start = now;
            self.train_end = now;
            self.samples = 0;
            self.round_min_rtt = None;
        }
    }

    /// A train as long as half the least RTT, whether the sender paces or not.
    fn train_fills_the_pipe(&mut self, now: Millis, delay_min: EighthMillis) -> bool {
        if now.since(self.train_end) > TRAIN_GAP {
            return false;
        }
        self.train_end = now;
        now.since(self.round_start) > delay_min.half()
    }

    /// The least of the round's first eight RTTs exceeds the path's by an eighth; later ones change nothing.
    fn delay_rises(&mut self, rtt: EighthMillis, delay_min: EighthMillis) -> bool {
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            self.round_min_rtt = Some(self.round_min_rtt.map_or(rtt, |least| least.min(rtt)));
            return false;
        }
        let threshold = EighthMillis(delay_min.0 >> 3).clamp(DELAY_MIN, DELAY_MAX);
        self.round_min_rtt.is_some_and(|least| least.0 > delay_min.0 + threshold.0)
    }
}

impl Millis {
    fn at(now: Time) -> Self {
        Self(now.as_nanos() / 1_000_000)
    }

    fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl EighthMillis {
    /// `(rtt_us << 3) / USEC_PER_MSEC`, at least 1.
    fn of(rtt: Duration) -> Self {
        Self((rtt.as_nanos() / 125_000).max(1))
    }

    /// `delay_min >> 4`.
    const fn half(self) -> Millis {
        Millis(self.0 >> 4)
    }
}
