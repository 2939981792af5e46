//! A congestion-avoidance stage: the cubic curve and its Reno-friendly floor.

use bentpipe_units::{Duration, Time};

use crate::CwndUnit;

/// Multiplicative decrease factor: 0.7 in 1024ths, as Linux has it (RFC 9438 section 4.6: SHOULD 0.7).
pub(super) const BETA: f64 = 717.0 / 1024.0;
/// Aggressiveness of the cubic function, in segments per second cubed (section 5: SHOULD 0.4).
const C: f64 = 0.4;
/// Section 4.3: the increase at which AIMD with [`BETA`] takes the same share as Reno, segments per round trip.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Section 4.2: the target is at most 1.5 cwnd, so at most half a byte per byte acknowledged.
const MAX_GROWTH: f64 = 0.5;
/// While no loss has told the path's capacity: at least 5 % per round trip (Linux).
const MIN_GROWTH_BEFORE_LOSS: f64 = 0.05;
/// On and above the plateau: one segment in a hundred round trips (Linux).
const PLATEAU_ROUND_TRIPS: f64 = 100.0;

/// Counted from the first growth after a reduction. Windows in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch {
    start: Time,
    /// K in seconds: when the curve is back at its origin.
    k: f64,
    /// The plateau: W_max, or the window itself when that is higher.
    origin: f64,
    /// W_est: what Reno would have.
    w_est: f64,
    before_loss: BeforeLoss,
    cwnd_unit: CwndUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeforeLoss {
    Yes,
    No,
}

impl Epoch {
    pub fn new(now: Time, cwnd: f64, w_max: Option<f64>, mss: f64, cwnd_unit: CwndUnit) -> Self {
        let origin = w_max.unwrap_or(0.0).max(cwnd);
        // Section 4.2, figure 2: K = cbrt((W_max - cwnd_epoch) / C), windows in segments.
        let k = cube_root((origin - cwnd) / mss / C);
        let before_loss = if w_max.is_none() { BeforeLoss::Yes } else { BeforeLoss::No };
        Self { start: now, k, origin, w_est: cwnd, before_loss, cwnd_unit }
    }

    pub fn start(&self) -> Time {
        self.start
    }

    /// Shifts the stage by a pause, never into the future.
    pub fn postpone(&mut self, pause: Duration, now: Time) {
        self.start = self.start.saturating_add(pause).min(now);
    }

    /// Section 4.3, figure 4: what Reno would have gained.
    pub fn on_acked(&mut self, acked: f64, cwnd: f64, mss: f64) {
        self.w_est += ALPHA * acked * mss / cwnd;
    }

    /// Bytes by which the window grows for each byte acknowledged.
    pub fn growth(&self, now: Time, min_rtt: Option<Duration>, cwnd: f64, mss: f64) -> f64 {
        let ahead = now.since(self.start).saturating_add(min_rtt.unwrap_or(Duration::ZERO));
        let cubic = (self.window_at(ahead, mss) - cwnd) / cwnd;
        let reno = (self.reno_window(mss) - cwnd) / cwnd;
        let floor = match self.before_loss {
            BeforeLoss::Yes => MIN_GROWTH_BEFORE_LOSS,
            BeforeLoss::No => mss / (PLATEAU_ROUND_TRIPS * cwnd),
        };
        cubic.max(floor).max(reno).min(MAX_GROWTH)
    }

    /// Section 4.2, figure 1: W_cubic(t) = C (t - K)^3 + W_max.
    fn window_at(&self, t: Duration, mss: f64) -> f64 {
        let offset = t.as_secs_f64() - self.k;
        let above = C * offset * offset * offset;
        let above = match self.cwnd_unit {
            CwndUnit::Bytes => above,
            // Towards the plateau from either side (`bictcp_update`).
            CwndUnit::Segments => above.trunc(),
        };
        mss * above + self.origin
    }

    fn reno_window(&self, mss: f64) -> f64 {
        match self.cwnd_unit {
            CwndUnit::Bytes => self.w_est,
            CwndUnit::Segments => (self.w_est / mss).floor() * mss,
        }
    }
}

/// The cube root by Newton's method, downwards from above: basic operations only, the same on every machine.
fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut root = x.max(1.0);
    loop {
        let next = (2.0 * root + x / (root * root)) / 3.0;
        if next >= root {
            return root;
        }
        root = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: f64 = 1_500.0;
    const WINDOW: f64 = 100.0 * MSS;

    /// Growth at the start of an epoch on the plateau, where the curve is flat and Reno has gained nothing.
    fn growth_on_the_plateau(w_max: Option<f64>) -> f64 {
        Epoch::new(Time::ZERO, WINDOW, w_max, MSS, CwndUnit::Bytes).growth(Time::ZERO, None, WINDOW, MSS)
    }

    #[test]
    fn before_a_loss_a_window_acknowledged_is_five_per_cent_more() {
        // bictcp_update: cnt = 20 while last_max_cwnd is 0.
        assert!((growth_on_the_plateau(None) - 1.0 / 20.0).abs() < 1e-12);
    }

    #[test]
    fn on_the_plateau_a_hundred_windows_acknowledged_are_one_segment() {
        // bictcp_update: cnt = 100 * cwnd.
        assert!((growth_on_the_plateau(Some(WINDOW)) - 1.0 / 10_000.0).abs() < 1e-12);
    }
}
