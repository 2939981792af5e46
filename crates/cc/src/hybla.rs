//! Hybla (Caini, Firrincieli 2004) with the arithmetic of Linux (`tcp_hybla.c`), so that a flow with a long round
//! trip grows in time as one with 25 ms would.

use bentpipe_units::{Bytes, Duration};

use crate::aimd_window::AimdWindow;
use crate::control::EventHandlers;
use crate::phase::Phase;
use crate::{AckSample, Config, CongestionControl, Event, Resumable, State};

/// The round trip whose growth is copied (RTT0), in microseconds.
const REFERENCE_RTT_US: u64 = 25_000;
/// rho is kept in eighths.
const RHO_UNIT: u64 = 8;
/// Increments are in 128ths of a segment.
const SEGMENT: u64 = 128;
/// The largest exponent of slow start (Linux: the increment has 32 bits).
const MAX_EXPONENT: u64 = 16;
/// 2^(n/8) in 128ths, n from 0 to 7.
const FRACTIONS: [u64; 8] = [128, 139, 152, 165, 181, 197, 215, 234];
/// The largest window in segments (`snd_cwnd_clamp`).
const MAX_SEGMENTS: u64 = 65_535;

/// Hybla's state.
#[derive(Clone, Debug)]
pub struct Hybla {
    mss: u64,
    window: AimdWindow,
    /// rho = RTT / RTT0, at least 1, in eighths.
    rho: u64,
    /// The smallest smoothed RTT, from which rho is; in eighths of a microsecond, as Linux keeps it.
    min_srtt: Option<u64>,
    /// What the window has grown beyond whole segments, in 128ths.
    cents: u64,
}

impl Hybla {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        let mut hybla = Self {
            mss: config.mss.get(),
            window: AimdWindow::new(config.mss, config.initial_window),
            rho: RHO_UNIT,
            min_srtt: None,
            cents: 0,
        };
        if let Some(rtt) = config.handshake_rtt {
            hybla.watch_rtt(rtt);
        }
        hybla
    }

    /// Takes rho from the smallest smoothed RTT (`hybla_recalc_param`). The first one scales the window too.
    fn watch_rtt(&mut self, srtt: Duration) {
        let srtt = srtt.as_nanos() * 8 / 1_000;
        if self.min_srtt.is_some_and(|least| srtt >= least) {
            return;
        }
        self.rho = rho(srtt);
        if self.min_srtt.is_none() {
            self.window.set(self.window.cwnd().get().max(self.rho / RHO_UNIT * self.mss));
        }
        self.min_srtt = Some(srtt);
    }

    /// One acknowledgement, whatever it covers (`hybla_cong_avoid`).
    fn grow(&mut self, peak_in_flight: Bytes) {
        let slow_start = self.window.in_slow_start();
        let increase = if slow_start {
            slow_start_increase(self.rho)
        } else {
            avoidance_increase(self.rho, self.window.segments())
        };
        if !slow_start && increase < SEGMENT {
            self.window.count_segment();
        }
        let before = self.window.cwnd().get();
        let mut segments = increase / SEGMENT;
        self.cents += increase % SEGMENT;
        if self.cents >= SEGMENT {
            segments += 1;
            self.cents -= SEGMENT;
            self.window.clear_cwnd_cnt();
        }
        // The increase is too small for the unit: as Reno.
        if increase == 0 && self.window.is_cwnd_acknowledged() {
            segments += 1;
            self.window.clear_cwnd_cnt();
        }
        let mut cwnd = before + segments * self.mss;
        if slow_start {
            let tested = peak_in_flight.get().saturating_mul(2);
            cwnd = cwnd.min(tested.max(before)).min(self.window.ssthresh().map_or(u64::MAX, Bytes::get));
        }
        self.window.set(cwnd.min((MAX_SEGMENTS * self.mss).max(before)));
    }
}

/// rho in eighths for a smoothed RTT in eighths of a microsecond.
const fn rho(srtt: u64) -> u64 {
    let rho = srtt / REFERENCE_RTT_US;
    if rho < RHO_UNIT { RHO_UNIT } else { rho }
}

/// 2^rho - 1 segments, in 128ths.
const fn slow_start_increase(rho: u64) -> u64 {
    let exponent = rho / RHO_UNIT;
    let exponent = if exponent < MAX_EXPONENT { exponent } else { MAX_EXPONENT };
    (FRACTIONS[(rho % RHO_UNIT) as usize] << exponent) - SEGMENT
}

/// rho^2 / W segments, in 128ths.
const fn avoidance_increase(rho: u64, segments: u64) -> u64 {
    rho * rho * (SEGMENT / (RHO_UNIT * RHO_UNIT)) / segments
}

impl CongestionControl for Hybla {
    fn name(&self) -> &'static str {
        "hybla"
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(srtt) = ack.srtt {
            self.watch_rtt(srtt);
        }
        if ack.acked == Bytes::ZERO
            || !ack.usage.permits_growth(self.window.cwnd(), self.window.in_slow_start())
        {
            return;
        }
        match self.window.phase() {
            Phase::Open if !ack.is_disordered => self.grow(ack.usage.peak_in_flight),
            // hybla_state: hybla_en
            Phase::Open | Phase::Timeout => self.window.grow(ack.acked),
            Phase::Recovery => {}
        }
    }

    fn on_event(&mut self, event: Event) {
        if let Event::MssChange { mss } = event {
            self.mss = mss.get();
        }
        self.window.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        self.window.cwnd()
    }

    fn state(&self) -> State {
        self.window.state()
    }

    fn resumable(&mut self) -> Option<Resumable<'_>> {
        Some(Resumable::Window(&mut self.window))
    }
}
