//! Careful Resume (RFC 9959): a congestion control that starts from what an earlier connection saw of its path.
//!
//! [`CarefulResume`] stands between an endpoint and an algorithm. Section numbers are those of RFC 9959; appendix B has
//! what is different with BBR. Packets are told apart by when they left, which orders them as packet numbers do.

mod observer;
mod phase;
mod saved;
mod spec;

use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::round::{Boundary, Rounds};
use crate::usage::WindowUsage;
use crate::{
    AckSample, CongestionControl, CongestionEvent, CongestionKind, Event, RecoveryWindow, Resumable,
    SentSample, State,
};
use observer::Observer;
pub use phase::{Phase, Transition, Trigger};
pub use saved::{Memory, PathMemory, Saved};
pub use spec::{ResumeSpec, SavedSpec};

/// Section 3.3: a jump is at most this part of what is saved.
const JUMP_DIVISOR: u64 = 2;
/// Sections 3.2 and 4.2.1: an RTT that is no longer than the saved one divided by this is another path's.
const RTT_TOO_SHORT_DIVISOR: u64 = 2;
/// Section 4.2.1: one that is longer than so many saved ones likewise.
const RTT_TOO_LONG: u64 = 10;
/// Section 3.5: a retreat leaves at most this part of PipeSize.
const RETREAT_DIVISOR: u64 = 2;
/// The smallest window in packets (RFC 9002 section 7.2, RFC 5681 equation 4).
const MIN_PACKETS: u64 = 2;

/// What a connection resumes from, and by what rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Resume {
    /// What is known of its path.
    pub path: PathMemory,
    /// `max_jump`, where there is one.
    pub max_jump: Option<Bytes>,
    /// How long what it observes may be used.
    pub lifetime: Duration,
    /// When the connection starts, on the clock of `path`.
    pub started: Time,
}

/// An algorithm that resumes carefully.
#[derive(Clone, Debug)]
pub struct CarefulResume {
    algorithm: Box<dyn CongestionControl>,
    resume: Resume,
    /// When the connection started, on its own clock.
    epoch: Time,
    mss: Bytes,
    initial_window: Bytes,
    stage: Stage,
    min_rtt: Option<Duration>,
    rounds: Rounds,
    observer: Observer,
    transitions: Vec<Transition>,
}

/// The present phase with what it needs to know.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Normal,
    Reconnaissance(Saved),
    Unvalidated(Jump),
    Validating(Jump, Outcome),
    SafeRetreat(Jump),
}

/// Whether all unvalidated packets have been acknowledged. Endpoints that look for losses after an acknowledgement may
/// tell of congestion before the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Open,
    Validated,
}

/// An attempt to use saved parameters.
#[derive(Clone, Copy, Debug)]
struct Jump {
    saved: Saved,
    /// `jump_cwnd`.
    cwnd: Bytes,
    entered: Time,
    /// The current RTT, for pacing and for the end of the Unvalidated Phase.
    rtt: Duration,
    /// What is validated: the flight before the jump, and what has arrived of unvalidated packets.
    pipe_size: Bytes,
    /// Of that flight, what is still to arrive.
    before: Bytes,
    /// When the first and the last unvalidated packet left.
    first_sent: Option<Time>,
    last_sent: Option<Time>,
    /// What a retreat leaves of the window.
    retreat: Bytes,
}

impl Jump {
    /// Sections 3.3 to 3.5: PipeSize grows by what is acknowledged. The flight before the jump is in it from the start,
    /// and is not counted again when it arrives (appendix A.4: 29 packets before, 34 unvalidated ones acknowledged, 63).
    fn on_acked(&mut self, acked: Bytes) {
        let counted = acked.min(self.before);
        self.before -= counted;
        self.pipe_size += acked - counted;
    }
}

impl CarefulResume {
    /// Puts Careful Resume around an algorithm that was made of `config`.
    pub fn new(algorithm: Box<dyn CongestionControl>, config: &crate::Config, resume: Resume) -> Self {
        let initial_window = config.initial_window.max(config.mss);
        let mut cc = Self {
            algorithm,
            epoch: config.now,
            mss: config.mss,
            initial_window,
            stage: Stage::Normal,
            min_rtt: None,
            rounds: Rounds::default(),
            observer: Observer::new(initial_window),
            transitions: Vec::new(),
            resume,
        };
        // Section 3.2: parameters of another remote endpoint, or too old ones, are not found.
        if let Some(saved) = cc.resume.path.look(cc.resume.started) {
            cc.enter(config.now, Stage::Reconnaissance(saved), None);
        }
        cc
    }

    /// The present phase.
    pub fn phase(&self) -> Phase {
        match self.stage {
            Stage::Normal => Phase::Normal,
            Stage::Reconnaissance(_) => Phase::Reconnaissance,
            Stage::Unvalidated(_) => Phase::Unvalidated,
            Stage::Validating(..) => Phase::Validating,
            Stage::SafeRetreat(_) => Phase::SafeRetreat,
        }
    }

    // ---- phases --------------------------------------------------------------------------------------------

    fn enter(&mut self, now: Time, stage: Stage, trigger: Option<Trigger>) {
        let known = match (self.stage, stage) {
            (_, Stage::Reconnaissance(saved)) | (Stage::Reconnaissance(saved), Stage::Normal) => {
                Some((saved, Bytes::ZERO))
            }
            (_, Stage::Unvalidated(jump) | Stage::Validating(jump, _) | Stage::SafeRetreat(jump))
            | (Stage::Unvalidated(jump) | Stage::Validating(jump, _) | Stage::SafeRetreat(jump), _) => {
                Some((jump.saved, jump.pipe_size))
            }
            (Stage::Normal, Stage::Normal) => None,
        };
        self.stage = stage;
        let (phase, cwnd, ssthresh) = (self.phase(), self.cwnd(), self.state().ssthresh);
        let transition = |(saved, pipe_size): (Saved, Bytes)| Transition {
            at: now,
            phase,
            trigger,
            pipe_size,
            cwnd,
            ssthresh,
            saved_cwnd: saved.cwnd,
            saved_rtt: saved.rtt,
        };
        self.transitions.extend(known.map(transition));
    }

    /// Section 3.2: whether the path is confirmed, and a jump of use.
    fn reconnoitre(&mut self, ack: &AckSample, boundary: Boundary) {
        // "received an acknowledgement for all the initial data (usually the IW)": whole packets, so that up to one may be
        // missing to the window. The transition waits until there is more to send than the window lets out.
        let holds_another = ack.delivered.get() + self.mss.get() <= self.initial_window.get();
        if holds_another || !ack.usage.is_cwnd_limited {
            return;
        }
        let Some(min_rtt) = self.min_rtt else { return };
        let is_model = match self.algorithm.resumable() {
            None => return self.enter(ack.now, Stage::Normal, Some(Trigger::NothingToGain)),
            Some(Resumable::Window(_)) => false,
            Some(Resumable::Model(model)) => {
                // Appendix B.1: only in Startup, from the beginning of a round.
                if !model.is_starting_up() {
                    return self.enter(ack.now, Stage::Normal, Some(Trigger::NothingToGain));
                }
                if boundary == Boundary::Inside {
                    return;
                }
                true
            }
        };
        // Only while it lives; and what another connection has saved since is newer than what this one saw first.
        let Some(saved) = self.resume.path.look(self.memory_time(ack.now)) else {
            return self.enter(ack.now, Stage::Normal, Some(Trigger::NothingSaved));
        };
        if min_rtt * RTT_TOO_SHORT_DIVISOR <= saved.rtt || min_rtt > saved.rtt * RTT_TOO_LONG {
            return self.enter(ack.now, Stage::Normal, Some(Trigger::RttNotValidated));
        }
        let half = Bytes::new(saved.cwnd.get() / JUMP_DIVISOR);
        let cwnd = self.resume.max_jump.map_or(half, |most| half.min(most));
        if cwnd <= self.algorithm.cwnd() {
            return self.enter(ack.now, Stage::Normal, Some(Trigger::NothingToGain));
        }
        // Only one connection may use what is saved.
        let taken = self.resume.path.take(self.memory_time(ack.now));
        debug_assert_eq!(taken, Some(saved), "nothing came between");
        let jump = Jump {
            saved,
            cwnd,
            entered: ack.now,
            rtt: ack.srtt.unwrap_or(min_rtt).max(min_rtt),
            pipe_size: ack.in_flight,
            before: ack.in_flight,
            first_sent: None,
            last_sent: None,
            retreat: Bytes::ZERO,
        };
        if !is_model {
            self.set_cwnd(cwnd);
        }
        self.enter(ack.now, Stage::Unvalidated(jump), Some(Trigger::CongestionWindowLimited));
    }

    /// Section 3.3: the Unvalidated Phase is over with so much in flight.
    fn check_flight(&mut self, now: Time, jump: Jump, flight: Bytes, trigger: Trigger) {
        if flight < self.initial_window || flight <= jump.pipe_size {
            self.set_cwnd(jump.pipe_size.max(self.initial_window));
            self.resume.path.give_back(jump.saved);
            self.enter(now, Stage::Normal, Some(Trigger::RateLimited));
        } else {
            self.set_cwnd(flight);
            self.enter(now, Stage::Validating(jump, Outcome::Open), Some(trigger));
        }
    }

    /// Section 3.5. The algorithm knows of the congestion already.
    fn retreat(&mut self, now: Time, jump: Jump, trigger: Trigger) {
        self.resume.path.delete();
        let retreat = Bytes::new(jump.pipe_size.get() / RETREAT_DIVISOR).max(self.floor());
        match self.algorithm.resumable() {
            Some(Resumable::Window(window)) => window.retreat(retreat),
            Some(Resumable::Model(model)) => model.drain(),
            None => {}
        }
        self.enter(now, Stage::SafeRetreat(Jump { retreat, ..jump }), Some(trigger));
    }

    /// Section 3.5: "On leaving the Safe Retreat Phase, the ssthresh MUST be set to no larger than" PipeSize * Beta.
    fn leave_retreat(&mut self, now: Time, jump: Jump, trigger: Trigger) {
        let floor = self.floor();
        if let Some(Resumable::Window(window)) = self.algorithm.resumable() {
            let ssthresh = Bytes::new((jump.pipe_size.get() as f64 * window.beta()) as u64);
            window.set_ssthresh(ssthresh.max(floor));
        }
        self.enter(now, Stage::Normal, Some(trigger));
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        // A model has no window to set: its own follows from what is delivered.
        if let Some(Resumable::Window(window)) = self.algorithm.resumable() {
            window.set_cwnd(cwnd);
        }
    }

    const fn floor(&self) -> Bytes {
        Bytes::new(MIN_PACKETS * self.mss.get())
    }

    /// An instant of the connection on the clock of the memory.
    fn memory_time(&self, now: Time) -> Time {
        self.resume.started + now.since(self.epoch)
    }

    // ---- acknowledgements ----------------------------------------------------------------------------------

    fn on_unvalidated_ack(&mut self, ack: &AckSample, mut jump: Jump) {
        jump.on_acked(ack.acked);
        self.stage = Stage::Unvalidated(jump);
        self.algorithm.on_ack(&self.without_growth(ack));
        // Section 3.3: a path that has changed is found by its RTT.
        if ack.rtt.is_some_and(|rtt| rtt * RTT_TOO_SHORT_DIVISOR <= jump.saved.rtt) {
            self.retreat(ack.now, jump, Trigger::PathChanged);
        } else if is_covered(jump.first_sent, ack) {
            self.check_flight(ack.now, jump, ack.in_flight, Trigger::FirstUnvalidatedPacketAcknowledged);
        } else if ack.now.since(jump.entered) > jump.rtt {
            self.check_flight(ack.now, jump, ack.in_flight, Trigger::RttExceeded);
        }
    }

    /// Section 3.4.
    fn on_validating_ack(&mut self, ack: &AckSample, mut jump: Jump) {
        jump.on_acked(ack.acked);
        let is_over = is_covered(jump.last_sent, ack);
        if is_over {
            self.resume.path.give_back(jump.saved);
        }
        self.stage = Stage::Validating(jump, if is_over { Outcome::Validated } else { Outcome::Open });
        self.algorithm.on_ack(ack);
    }

    fn on_retreating_ack(&mut self, ack: &AckSample, mut jump: Jump) {
        jump.on_acked(ack.acked);
        self.stage = Stage::SafeRetreat(jump);
        // Appendix B.3: rates measured meanwhile are discarded.
        self.algorithm.on_ack(&AckSample { rate: None, ..self.without_growth(ack) });
        let is_drained = match self.algorithm.resumable() {
            Some(Resumable::Model(model)) => !model.is_draining(),
            Some(Resumable::Window(_)) | None => true,
        };
        if is_drained && is_covered(jump.last_sent.or(Some(jump.entered)), ack) {
            self.leave_retreat(ack.now, jump, Trigger::ExitRecovery);
        }
    }

    /// Takes the success of an attempt for certain.
    fn settle(&mut self, now: Time) {
        if let Stage::Validating(_, Outcome::Validated) = self.stage {
            self.enter(now, Stage::Normal, Some(Trigger::LastUnvalidatedPacketAcknowledged));
        }
    }

    /// Section 3.1.
    fn observe(&mut self, ack: &AckSample) {
        let Some(rtt) = self.min_rtt else { return };
        if let Some(cwnd) = self.observer.on_ack(ack, rtt) {
            let expires = self.memory_time(ack.now) + self.resume.lifetime;
            self.resume.path.save(Saved { cwnd, rtt, expires });
        }
    }

    /// What an algorithm is told that may not grow by it: that nobody needed the window. A model grows by rates.
    fn without_growth(&self, ack: &AckSample) -> AckSample {
        if self.is_model() {
            return *ack;
        }
        AckSample { usage: WindowUsage { is_cwnd_limited: false, peak_in_flight: Bytes::ZERO }, ..*ack }
    }

    /// Whether the algorithm has a rate of its own.
    fn is_model(&self) -> bool {
        self.algorithm.state().pacing_rate.is_some()
    }

    // ---- congestion ----------------------------------------------------------------------------------------

    fn on_congestion(&mut self, event: CongestionEvent) {
        let trigger = match event.kind {
            CongestionKind::Loss => Trigger::PacketLoss,
            CongestionKind::Ecn => Trigger::EcnCe,
            // Section 3.6.
            CongestionKind::Timeout | CongestionKind::Persistent => Trigger::PersistentCongestion,
        };
        let before = self.algorithm.cwnd();
        self.algorithm.on_event(Event::Congestion(event));
        match self.stage {
            Stage::Normal => {}
            // Section 3.2: a path with congestion is not the one that was seen.
            Stage::Reconnaissance(_) => self.enter(event.now, Stage::Normal, Some(trigger)),
            Stage::Unvalidated(jump) | Stage::Validating(jump, _) => match trigger {
                Trigger::PersistentCongestion => {
                    self.resume.path.delete();
                    self.enter(event.now, Stage::Normal, Some(trigger));
                }
                _ => self.retreat(event.now, jump, trigger),
            },
            Stage::SafeRetreat(jump) => match trigger {
                Trigger::PersistentCongestion => self.leave_retreat(event.now, jump, trigger),
                // Losses of what was sent since make the window smaller, but never larger.
                _ => self.set_cwnd(self.algorithm.cwnd().min(before)),
            },
        }
    }
}

/// Whether an acknowledgement is of a packet that left at `sent`, or of a later one.
fn is_covered(sent: Option<Time>, ack: &AckSample) -> bool {
    sent.zip(ack.newest_sent).is_some_and(|(sent, newest)| newest >= sent)
}

impl CongestionControl for CarefulResume {
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    fn on_sent(&mut self, sent: &SentSample) {
        self.settle(sent.now);
        self.algorithm.on_sent(sent);
        let Stage::Unvalidated(mut jump) = self.stage else { return };
        jump.first_sent.get_or_insert(sent.now);
        jump.last_sent = Some(sent.now);
        self.stage = Stage::Unvalidated(jump);
        let flight = sent.prior_in_flight + sent.bytes;
        if flight + sent.bytes > self.cwnd() {
            self.check_flight(sent.now, jump, flight, Trigger::LastUnvalidatedPacketSent);
        } else if sent.now.since(jump.entered) > jump.rtt {
            self.check_flight(sent.now, jump, flight, Trigger::RttExceeded);
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.settle(ack.now);
        if let Some(rtt) = ack.rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let boundary = self.rounds.on_ack(ack);
        match self.stage {
            Stage::Normal => {
                self.algorithm.on_ack(ack);
                self.observe(ack);
            }
            Stage::Reconnaissance(_) => {
                self.algorithm.on_ack(ack);
                self.reconnoitre(ack, boundary);
            }
            Stage::Unvalidated(jump) => self.on_unvalidated_ack(ack, jump),
            Stage::Validating(jump, _) => self.on_validating_ack(ack, jump),
            Stage::SafeRetreat(jump) => self.on_retreating_ack(ack, jump),
        }
    }

    fn on_event(&mut self, event: Event) {
        match (event, self.stage) {
            (Event::Congestion(congestion), _) => self.on_congestion(congestion),
            // Section 3.5: the window does not grow in a retreat, whatever its cause turns out to be.
            (Event::Undo { now }, Stage::SafeRetreat(_)) => {
                self.algorithm.on_event(Event::RecoveryEnd { now });
            }
            (Event::MssChange { mss }, _) => {
                self.mss = mss;
                self.algorithm.on_event(event);
            }
            _ => self.algorithm.on_event(event),
        }
    }

    fn cwnd(&self) -> Bytes {
        let own = self.algorithm.cwnd();
        match self.stage {
            Stage::Unvalidated(jump) | Stage::Validating(jump, _) if self.is_model() => own.max(jump.cwnd),
            Stage::SafeRetreat(jump) => own.min(jump.retreat.max(self.floor())),
            _ => own,
        }
    }

    fn state(&self) -> State {
        let own = self.algorithm.state();
        match self.stage {
            // Section 3.3: "All packets sent in the Unvalidated Phase MUST use pacing based on the current rtt."
            Stage::Unvalidated(jump) => {
                let probing = Rate::of(jump.cwnd, jump.rtt);
                let pacing_rate = Some(own.pacing_rate.map_or(probing, |rate| rate.max(probing)));
                State { pacing_rate, ..own }
            }
            // Appendix B.1: the flag is set for two rounds.
            Stage::Validating(jump, _) if self.is_model() => {
                let probing = Rate::of(jump.cwnd, jump.rtt);
                State { pacing_rate: own.pacing_rate.map(|rate| rate.max(probing)), ..own }
            }
            // Section 4.5: a gradual reduction is not for an overshoot.
            Stage::SafeRetreat(_) => State { recovery_window: RecoveryWindow::Algorithm, ..own },
            _ => own,
        }
    }

    fn resumption(&self) -> &[Transition] {
        &self.transitions
    }
}
