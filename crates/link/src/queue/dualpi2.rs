//! The coupled dual queue DualPI2, RFC 9332 appendix A. Model page: docs/models/dualpi2.md.

use bentpipe_units::{Bytes, Duration, Time};

use super::fifo::{Fifo, Waiting};
use super::sojourn::Sojourn;
use crate::{Ecn, Packet, QueueClassReport};

/// Parameters of DualPI2 by their names in RFC 9332 appendix A.1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Dualpi2Spec {
    /// Most bytes that wait in both queues together, the arriving packet taken for one of the MTU.
    pub limit_bytes: Bytes,
    /// `target`: wait that the controller steers the classic queue to.
    pub target_ns: Duration,
    /// `Tupdate`: time between two steps of the controller.
    pub update_ns: Duration,
    /// `alpha`: integral gain, in Hz.
    pub alpha_hz: f64,
    /// `beta`: proportional gain, in Hz.
    pub beta_hz: f64,
    /// `k`: how much more likely an L4S packet is marked than the root of what a classic one is.
    pub coupling: f64,
    /// `minTh`: L4S packets that waited no longer are not marked for it.
    pub ramp_start_ns: Duration,
    /// `range`: so much longer a wait marks all.
    pub ramp_range_ns: Duration,
    /// Part of the rate that the classic queue has at least while L4S packets wait too (weighted round robin, section 4.2.2).
    pub classic_share: f64,
}

/// What both queues have in common, and the queue of L4S packets; the other one is its owner's.
pub(super) struct Dualpi2<P> {
    spec: Dualpi2Spec,
    mtu: Bytes,
    pub(super) l4s: Fifo<P>,
    /// p': the base probability, of which both others follow.
    base: f64,
    /// `prevq`, in seconds.
    previous: f64,
    next_update: Time,
    /// Bytes that the classic queue is owed, by its share.
    owed: f64,
    counts: Recurrences,
    sojourns: [Sojourn; 2],
}

/// What `recur` of each kind has gathered (appendix A.1): an event each time the likelihoods add up to one.
struct Recurrences {
    l4s: Recurrence,
    classic: Recurrence,
    /// Drops of L4S packets under overload.
    overload: Recurrence,
}

struct Recurrence(f64);

/// Which of the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    L4s,
    Classic,
}

/// `p_Lmax`: an L4S packet cannot be marked more than surely.
const MOST_L4S: f64 = 1.0;

impl<P: Packet> Dualpi2<P> {
    pub(super) fn new(spec: Dualpi2Spec, mtu: Bytes) -> Self {
        Self {
            mtu,
            l4s: Fifo::new(),
            base: 0.0,
            previous: 0.0,
            next_update: Time::ZERO.saturating_add(spec.update_ns),
            owed: 0.0,
            counts: Recurrences { l4s: Recurrence(0.0), classic: Recurrence(0.0), overload: Recurrence(0.0) },
            sojourns: [Sojourn::new(), Sojourn::new()],
            spec,
        }
    }

    /// Whether there is room (`dualpi2_enqueue`, line 2).
    pub(super) fn admits(&self, classic: &Fifo<P>) -> bool {
        self.l4s.bytes() + classic.bytes() + self.mtu <= self.spec.limit_bytes
    }

    /// `dualpi2_enqueue`, lines 6 to 9.
    pub(super) fn push(&mut self, waiting: Waiting<P>, classic: &mut Fifo<P>) {
        self.update_until(waiting.since, classic);
        if waiting.packet.ecn().is_l4s() { self.l4s.push(waiting) } else { classic.push(waiting) }
    }

    /// Takes out the packet that leaves at `now`, marked or not; those dropped before it go to `drop`
    /// (`dualpi2_dequeue` with the handling of overload of appendix A.2).
    pub(super) fn dequeue(
        &mut self,
        now: Time,
        classic: &mut Fifo<P>,
        mut drop: impl FnMut(Waiting<P>),
    ) -> Option<Waiting<P>> {
        self.update_until(now, classic);
        loop {
            let side = self.scheduled(classic)?;
            let mut waiting = match side {
                Side::L4s => self.l4s.pop()?,
                Side::Classic => classic.pop()?,
            };
            self.settle(side, waiting.size, !classic.is_empty(), !self.l4s.is_empty());
            let wait = now.since(waiting.since);
            let verdict = match side {
                Side::L4s => self.judge_l4s(wait),
                Side::Classic => self.judge_classic(waiting.packet.ecn()),
            };
            let sojourn = &mut self.sojourns[side as usize];
            match verdict {
                Verdict::Drop => {
                    sojourn.dropped();
                    drop(waiting);
                    continue;
                }
                Verdict::Mark => {
                    // A packet that came with CE stays as it is; it was not marked here.
                    if waiting.packet.ecn() != Ecn::Ce {
                        sojourn.marked();
                        waiting.packet.mark_ce();
                    }
                }
                Verdict::Pass => {}
            }
            sojourn.left(wait);
            return Some(waiting);
        }
    }

    /// The packet that [`dequeue`](Self::dequeue) takes out first, whatever becomes of it.
    pub(super) fn front<'a>(&'a self, classic: &'a Fifo<P>) -> Option<&'a Waiting<P>> {
        match self.scheduled(classic)? {
            Side::L4s => self.l4s.front(),
            Side::Classic => classic.front(),
        }
    }

    pub(super) fn mark(&mut self) {
        self.sojourns = [Sojourn::new(), Sojourn::new()];
    }

    pub(super) fn report(&self) -> Vec<QueueClassReport> {
        ["l4s", "classic"].into_iter().zip(&self.sojourns).map(|(name, one)| one.report(name)).collect()
    }

    /// Weighted round robin: while both wait, the classic queue is owed its share of what L4S packets take beyond theirs.
    fn scheduled(&self, classic: &Fifo<P>) -> Option<Side> {
        match (self.l4s.is_empty(), classic.is_empty()) {
            (true, true) => None,
            (false, true) => Some(Side::L4s),
            (true, false) => Some(Side::Classic),
            (false, false) if self.owed > 0.0 => Some(Side::Classic),
            (false, false) => Some(Side::L4s),
        }
    }

    /// Nobody is owed anything by whoever did not wait.
    fn settle(&mut self, side: Side, size: Bytes, classic_waits: bool, l4s_waits: bool) {
        let size = size.get() as f64;
        match side {
            Side::L4s if classic_waits => self.owed += self.spec.classic_share * size,
            Side::Classic if l4s_waits => self.owed -= (1.0 - self.spec.classic_share) * size,
            Side::L4s | Side::Classic => self.owed = 0.0,
        }
    }

    /// Lines 4 to 8 of `dualpi2_dequeue`; of an overload, when no more can be marked, packets are dropped as classic ones are.
    fn judge_l4s(&mut self, wait: Duration) -> Verdict {
        let coupled = self.spec.coupling * self.base;
        if coupled >= MOST_L4S && self.counts.overload.recurs(self.base * self.base) {
            return Verdict::Drop;
        }
        // Th_len: a packet that leaves none behind waited for the one before it to be sent, as on any slow link.
        let native = if self.l4s.is_empty() { 0.0 } else { self.ramp(wait) };
        let likelihood = native.max(coupled).min(MOST_L4S);
        if self.counts.l4s.recurs(likelihood) { Verdict::Mark } else { Verdict::Pass }
    }

    /// Lines 10 to 17; p_Cmax = min(1/k^2, 1) is where the coupled probability reaches one.
    fn judge_classic(&mut self, ecn: Ecn) -> Verdict {
        let likelihood = self.base * self.base;
        if !self.counts.classic.recurs(likelihood) {
            return Verdict::Pass;
        }
        let most = (1.0 / (self.spec.coupling * self.spec.coupling)).min(1.0);
        if !ecn.is_capable() || likelihood >= most { Verdict::Drop } else { Verdict::Mark }
    }

    /// `laqm`: p'_L rises from zero at minTh to one at minTh + range.
    fn ramp(&self, wait: Duration) -> f64 {
        let above = wait.as_secs_f64() - self.spec.ramp_start_ns.as_secs_f64();
        let range = self.spec.ramp_range_ns.as_secs_f64();
        if above >= range { 1.0 } else { (above / range).max(0.0) }
    }

    /// Every `dualpi2_update` that was to be by `now`, with the queues as they have been since the last change.
    fn update_until(&mut self, now: Time, classic: &Fifo<P>) {
        while self.next_update <= now {
            let at = self.next_update;
            let waits = [self.l4s.front(), classic.front()].into_iter().flatten();
            // Appendix A.2: curq = max(cq.time(), lq.time()).
            let current = waits.map(|first| at.since(first.since).as_secs_f64()).fold(0.0, f64::max);
            let is_at_rest = self.base == 0.0 && self.previous == 0.0 && current == 0.0;
            if is_at_rest && self.l4s.is_empty() && classic.is_empty() {
                // Until a packet comes nothing changes.
                let steps = now.since(at).as_nanos() / self.spec.update_ns.as_nanos() + 1;
                self.next_update = at.saturating_add(self.spec.update_ns * steps);
                return;
            }
            self.update(current);
            self.next_update = at.saturating_add(self.spec.update_ns);
        }
    }

    /// p' = p' + alpha (curq - target) + beta (curq - prevq), within [0, 1].
    fn update(&mut self, current: f64) {
        let target = self.spec.target_ns.as_secs_f64();
        let step = self.spec.alpha_hz * (current - target) + self.spec.beta_hz * (current - self.previous);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.previous = current;
    }
}

/// What becomes of a packet that leaves.
enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl Recurrence {
    /// `recur`: true as often as the likelihood says, as evenly as can be.
    fn recurs(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood;
        let recurs = self.0 > 1.0;
        if recurs {
            self.0 -= 1.0;
        }
        recurs
    }
}
