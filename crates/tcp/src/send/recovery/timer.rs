//! What the sender's one timer is for, and what leaves when it expires.

use bentpipe_units::{Duration, Time};

use crate::wheel::TimerWheel;

/// An overdue timer is set to the next jiffy (`tcp_rearm_rto`), and through the wheel expires 4 to 8 ms later.
pub(super) const LEAST_WAIT: Duration = Duration::from_micros(1);

/// The timer and what it forces.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    wheel: TimerWheel,
    pub armed: Option<Timer>,
    pub forced: Option<Forced>,
    pub probe: Probe,
    pub persist: Persist,
    /// Timeouts in a row (`icsk_retransmits`).
    pub timeouts: u32,
    /// Since when nothing has been acknowledged although it was retransmitted (`retrans_stamp`).
    pub unanswered_since: Option<Time>,
    /// For how long the peer may leave everything unanswered (`icsk_user_timeout`, RFC 9293 section 3.8.3).
    pub user_timeout: Option<Duration>,
}

/// The one timer and what it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    pub purpose: Purpose,
    pub at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Retransmit,
    LossProbe,
    Reorder,
    Persist,
}

/// A segment that leaves whatever the window says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forced {
    /// The first, after a timeout.
    Head,
    /// New data if there is some, else the last segment again (RFC 8985 section 7.3).
    Probe,
    /// No data: asks the peer for its window.
    WindowProbe,
}

/// The tail loss probe that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    None,
    /// New data, sent when this was SND.NXT (TLP.end_seq).
    New(u64),
    /// A retransmission.
    Again(u64),
}

/// Probing of a closed window (RFC 9293 section 3.8.6.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Persist {
    pub backoff: u32,
    pub unanswered: u32,
    /// When the first probe was due since the window was open last (`icsk_probes_tstamp`).
    pub since: Option<Time>,
}

impl Timers {
    pub const fn new(wheel: TimerWheel) -> Self {
        Self {
            wheel,
            armed: None,
            forced: None,
            probe: Probe::None,
            persist: Persist { backoff: 0, unanswered: 0, since: None },
            timeouts: 0,
            unanswered_since: None,
            user_timeout: None,
        }
    }

    pub const fn wheel(&self) -> TimerWheel {
        self.wheel
    }

    pub fn arm(&mut self, purpose: Purpose, now: Time, wait: Duration) {
        self.armed = Some(Timer { purpose, at: self.wheel.expiry(now, wait) });
    }

    /// A wait, or what is left of the user's timeout where that has begun.
    pub fn at_most_until_user_timeout(&self, wait: Duration, since: Option<Time>, now: Time) -> Duration {
        at_most_until(self.user_timeout, wait, since, now)
    }

    pub fn is_armed_for(&self, purpose: Purpose) -> bool {
        self.armed.is_some_and(|timer| timer.purpose == purpose)
    }

    pub fn forget_probe(&mut self) {
        self.probe = Probe::None;
        if self.forced == Some(Forced::Probe) {
            self.forced = None;
        }
    }

    /// Any acknowledgement arrives.
    pub fn on_ack(&mut self, una_advanced: bool) {
        if una_advanced {
            self.timeouts = 0;
            self.unanswered_since = None;
        }
        self.persist.unanswered = 0;
    }
}

/// A wait, or what is left of a timeout that has begun; no less than the next tick (`tcp_clamp_rto_to_user_timeout`,
/// `tcp_clamp_probe0_to_user_timeout`).
pub(crate) fn at_most_until(
    timeout: Option<Duration>,
    wait: Duration,
    since: Option<Time>,
    now: Time,
) -> Duration {
    let (Some(timeout), Some(since)) = (timeout, since) else { return wait };
    timeout.saturating_sub(now.since(since)).max(LEAST_WAIT).min(wait)
}

impl Probe {
    pub const fn end(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::New(end) | Self::Again(end) => Some(end),
        }
    }

    pub fn is_of(self, end: u64) -> bool {
        self.end() == Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_that_is_forgotten_neither_leaves_nor_is_answered() {
        // tcp_init_cwnd_reduction and tcp_enter_loss: tlp_high_seq = 0.
        let mut timers = Timers::new(TimerWheel::default());
        timers.probe = Probe::Again(1_449);
        timers.forced = Some(Forced::Probe);
        assert!(timers.probe.is_of(1_449) && !timers.probe.is_of(1_448));
        timers.forget_probe();
        assert_eq!((timers.probe.end(), timers.forced), (None, None));
        // What a timeout sends is no probe.
        timers.forced = Some(Forced::Head);
        timers.forget_probe();
        assert_eq!(timers.forced, Some(Forced::Head));
    }

    #[test]
    fn an_acknowledgement_that_makes_progress_ends_the_row_of_timeouts() {
        // tcp_ack: icsk_probes_out = 0 by any, icsk_retransmits = 0 by one that advances SND.UNA.
        let mut timers = Timers::new(TimerWheel::default());
        timers.persist.unanswered = 3;
        timers.timeouts = 2;
        timers.unanswered_since = Some(Time::ZERO);
        timers.on_ack(false);
        assert_eq!((timers.persist.unanswered, timers.timeouts), (0, 2));
        assert_eq!(timers.unanswered_since, Some(Time::ZERO));
        timers.on_ack(true);
        assert_eq!((timers.timeouts, timers.unanswered_since), (0, None));
    }
}
