//! What was sent and delivered until the end of each bin of time, and the comparison of a window of them.

use bentpipe_units::{Duration, Time};

/// Bins of a window (W).
const WINDOW: usize = 10;
/// A window in initial round trips, in hundredths (`WINDOW_SIZE_FACTOR`: 3.5).
const WINDOW_SIZE_FACTOR: u64 = 350;
/// How many more bins of what was sent are kept, so that one can look back a round trip (`EXTRA_BINS`).
const EXTRA_BINS: usize = 15;
/// The normalised difference at which slow start ends, in hundredths (`THRESH`: 0.26 of what was sent).
const THRESH: u64 = 26;
/// One, in hundredths.
const SCALE: u64 = 100;

/// A window of delivered bytes has two ends.
const DELIVERED_BINS: usize = WINDOW + 1;
const SENT_BINS: usize = DELIVERED_BINS + EXTRA_BINS;

/// Totals of the connection at the ends of the latest bins.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    pub duration: Duration,
    /// When the present bin ends.
    pub end: Time,
    /// The number of the latest bin that has ended.
    pub current: usize,
    initial_rtt: Duration,
    sent: [u64; SENT_BINS],
    delivered: [u64; DELIVERED_BINS],
}

/// Where an acknowledgement falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Into the present bin.
    Inside,
    /// Beyond its end.
    Next,
    /// More than a window beyond it: what is known says nothing about now.
    Stale,
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// As much less arrived than was sent as ends slow start.
    Exit,
    /// So many hundredths less.
    Continue(u64),
    /// There is no window a round trip ago yet.
    WarmingUp,
    /// The round trip has grown to so many bins, of which not that many are kept.
    RttInflated(usize),
    /// Nothing was sent then.
    NothingSent,
}

/// The bin that ended a round trip before another one did, or shortly after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Earlier {
    pub bin: usize,
    /// How much of a bin the round trip reaches further back, in hundredths.
    pub fraction: u64,
}

impl Bins {
    /// The first bin, which starts with the first round trip measured; none where that took no time.
    pub fn new(now: Time, initial_rtt: Duration, sent: u64, delivered: u64) -> Option<Self> {
        let duration = initial_rtt * WINDOW_SIZE_FACTOR / (SCALE * WINDOW as u64);
        if duration == Duration::ZERO {
            return None;
        }
        let mut bins = Self {
            duration,
            end: now.saturating_add(duration),
            current: 0,
            initial_rtt,
            sent: [0; SENT_BINS],
            delivered: [0; DELIVERED_BINS],
        };
        (bins.sent[0], bins.delivered[0]) = (sent, delivered);
        Some(bins)
    }

    /// Takes in the totals at an acknowledgement. Bins in which none came have those of the one before.
    pub fn advance(&mut self, now: Time, sent: u64, delivered: u64) -> Progress {
        if now <= self.end {
            return Progress::Inside;
        }
        let passed = now.since(self.end).as_nanos() / self.duration.as_nanos() + 1;
        if passed > WINDOW as u64 {
            return Progress::Stale;
        }
        let (last_sent, last_delivered) = (self.sent_until(self.current), self.delivered_until(self.current));
        for _ in 1..passed {
            self.close_bin(last_sent, last_delivered);
        }
        self.close_bin(sent, delivered);
        Progress::Next
    }

    /// Compares what arrived in the latest window with what was sent in the window a round trip before.
    pub fn judge(&self, rtt: Duration) -> Outcome {
        let earlier = self.earlier(rtt);
        if earlier.bin <= WINDOW {
            return Outcome::WarmingUp;
        }
        let back = self.current - earlier.bin;
        if back >= EXTRA_BINS {
            return Outcome::RttInflated(back);
        }
        // In hundredths, so that nothing is lost to rounding and bytes are as good as packets.
        let sent = self.sent_scaled(earlier);
        if sent == 0 {
            return Outcome::NothingSent;
        }
        let missing = sent.saturating_sub(SCALE * self.delivered_in_window());
        match missing.saturating_mul(SCALE) / sent {
            difference if difference >= THRESH => Outcome::Exit,
            difference => Outcome::Continue(difference),
        }
    }

    /// What arrived in the bins of the latest initial round trip: the path's BDP with empty queues.
    pub fn delivered_in_initial_rtt(&self) -> u64 {
        let bins = self.initial_rtt.as_nanos().div_ceil(self.duration.as_nanos()) as usize;
        self.delivered_until(self.current)
            - self.delivered_until(self.current.saturating_sub(bins.min(WINDOW)))
    }

    pub fn earlier(&self, rtt: Duration) -> Earlier {
        let (rtt, bin) = (rtt.as_nanos(), self.duration.as_nanos());
        let back = usize::try_from(rtt / bin).unwrap_or(usize::MAX);
        Earlier { bin: self.current.saturating_sub(back), fraction: rtt % bin * SCALE / bin }
    }

    pub fn delivered_in_window(&self) -> u64 {
        self.delivered_until(self.current) - self.delivered_until(self.current - WINDOW)
    }

    /// What was sent in the window that ended a round trip ago, in hundredths of a byte: between that which ends with
    /// `earlier` and the one a bin before it. The draft's text takes the one a bin after it, its authors' programs
    /// and neqo this one, which is the one that the time falls into.
    pub fn sent_scaled(&self, earlier: Earlier) -> u64 {
        let window = |end| self.sent_until(end) - self.sent_until(end - WINDOW);
        window(earlier.bin - 1) * earlier.fraction + window(earlier.bin) * (SCALE - earlier.fraction)
    }

    pub fn sent_until(&self, bin: usize) -> u64 {
        self.sent[bin % SENT_BINS]
    }

    pub fn delivered_until(&self, bin: usize) -> u64 {
        self.delivered[bin % DELIVERED_BINS]
    }

    fn close_bin(&mut self, sent: u64, delivered: u64) {
        self.current += 1;
        self.end = self.end.saturating_add(self.duration);
        self.sent[self.current % SENT_BINS] = sent;
        self.delivered[self.current % DELIVERED_BINS] = delivered;
    }
}
