//! Congestion control: one small trait, one file per algorithm.
//!
//! The crate is sans-IO: time is an argument, packets are numbers. An endpoint (the QUIC library through an
//! adapter, or the simulator's TCP) keeps loss detection, recovery and timers; a [`CongestionControl`] sees
//! plain samples and answers with a window and, where it paces, a rate. Two helpers that every endpoint needs
//! live beside the trait: the delivery-rate estimator [`rate::RateEstimator`] and the window-usage tracker
//! [`usage::UsageTracker`].
//!
//! Deliberately absent: retransmission, proportional rate reduction, RTT smoothing, timers, randomness that is
//! not derived from [`Config::seed`].

mod acked_or_lost;
mod aimd_window;
mod algorithm;
mod bbr_common;
mod control;
mod filter;
mod phase;
mod round;
#[cfg(test)]
mod testing;

pub mod bbr;
pub mod bbr3;
pub mod careful_resume;
pub mod cubic;
pub mod hybla;
pub mod prague;
pub mod rate;
pub mod reno;
pub mod slow_start;
pub mod usage;
pub mod vivace;

pub use algorithm::Algorithm;
pub use control::{
    AckSample, CongestionControl, CongestionEvent, CongestionKind, Event, RecoveryWindow, Resumable,
    ResumableModel, ResumableWindow, SentSample, State,
};
pub use rate::Demand;

use bentpipe_units::{Bytes, Duration, Time};

use crate::bbr::BbrSpec;
use crate::slow_start::SlowStartExit;

/// What an algorithm is told when a connection starts. There are no defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// When the connection starts.
    pub now: Time,
    /// What one full packet adds to the bytes in flight: payload for TCP, UDP payload for QUIC.
    pub mss: Bytes,
    /// Window before the first acknowledgement (RFC 6928: ten segments).
    pub initial_window: Bytes,
    /// RTT of the handshake, when one was measured before the first data.
    pub handshake_rtt: Option<Duration>,
    /// Seed of whatever the algorithm randomises.
    pub seed: u64,
    /// How loss-based algorithms leave slow start before a loss.
    pub slow_start_exit: SlowStartExit,
    /// In what a window of CUBIC grows; the other algorithms are each as their originals are.
    pub cwnd_unit: CwndUnit,
    /// When the endpoint takes an episode of loss for over.
    pub recovery_span: RecoverySpan,
    /// What BBR version 1 has.
    pub bbr: BbrSpec,
}

/// In what an endpoint counts its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CwndUnit {
    /// Bytes (RFC 9002 section 7.2).
    Bytes,
    /// Whole segments (Linux).
    Segments,
}

/// When an endpoint takes an episode of loss for over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverySpan {
    /// When what was out at its start has arrived, repeated or not (TCP: RFC 6675 section 5).
    UntilRepaired,
    /// When something sent after its start has arrived (QUIC: RFC 9002 section 7.3.2).
    RoundTrip,
}

/// Makes the algorithm that a scenario names.
pub fn build(algorithm: Algorithm, config: Config) -> Box<dyn CongestionControl> {
    match algorithm {
        Algorithm::Reno => Box::new(reno::Reno::new(config)),
        Algorithm::Cubic => Box::new(cubic::Cubic::new(config)),
        Algorithm::Bbr => Box::new(bbr::Bbr::new(config)),
        Algorithm::Bbr3 => Box::new(bbr3::Bbr3::new(config)),
        Algorithm::Hybla => Box::new(hybla::Hybla::new(config)),
        Algorithm::Prague => Box::new(prague::Prague::new(config)),
        Algorithm::Vivace => Box::new(vivace::Vivace::new(config)),
    }
}

/// Makes the algorithm that a scenario names, which resumes carefully where that is given and it can.
pub fn build_resuming(
    algorithm: Algorithm,
    config: Config,
    resume: Option<careful_resume::Resume>,
) -> Box<dyn CongestionControl> {
    let alone = build(algorithm, config);
    match resume.filter(|_| algorithm.can_resume()) {
        Some(resume) => Box::new(careful_resume::CarefulResume::new(alone, &config, resume)),
        None => alone,
    }
}
