//! DualPI2 against RFC 9332: its pseudo-code written out over the whole history, and its numbers by hand; and the marks
//! of CoDel.

use std::collections::VecDeque;

use crate::common::*;
use bentpipe_link::{
    Direction, DirectionSpec, Dualpi2Spec, Ecn, Event, LinkSpec, Packet, Path, QueueSpec, check,
};
use bentpipe_units::{Bytes, Duration, Switch, Time};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const US: u64 = 1_000;
/// A packet of 1500 bytes takes 1 ms, a byte 2000/3 ns.
const RATE_BPS: u64 = 12_000_000;
const NO_LIMIT: u64 = u64::MAX / 16;

/// A packet with its ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marked {
    number: usize,
    len: u32,
    ecn: Ecn,
}

impl Packet for Marked {
    fn len_bytes(&self) -> u32 {
        self.len
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark_ce(&mut self) {
        assert!(self.ecn.is_capable(), "a packet of a sender without ECN is dropped");
        self.ecn = Ecn::Ce;
    }
}

/// A packet that comes at `at`, in ns.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: u64,
    len: u32,
    ecn: Ecn,
}

/// Departures: number, start of the transmission in ns, ECN field.
type Departures = Vec<(usize, u64, Ecn)>;

/// What leaves, what is dropped within, and what is refused on arrival.
#[derive(Debug, Default, PartialEq)]
struct Fates {
    left: Departures,
    dropped: Vec<usize>,
    refused: Vec<usize>,
}

fn spec(queue: QueueSpec) -> LinkSpec {
    symmetric(DirectionSpec { queue, ..pipe(RATE_BPS, Duration::ZERO) })
}

fn seconds(ns: u64) -> f64 {
    Duration::from_nanos(ns).as_secs_f64()
}

fn ns_of(len: u32) -> u64 {
    u64::from(len) * 2_000 / 3
}

fn through(path: &mut Path<Marked>, arrivals: &[Arrival]) -> Fates {
    let mut fates = Fates::default();
    let note = |fates: &mut Fates, event: Event<Marked>| match event {
        Event::Delivered { due, packet: Marked { number, len, ecn }, .. } => {
            fates.left.push((number, due.as_nanos() - ns_of(len), ecn));
        }
        Event::Lost { packet, .. } => fates.dropped.push(packet.number),
    };
    for (number, &Arrival { at, len, ecn }) in arrivals.iter().enumerate() {
        let now = Time::from_nanos(at);
        while let Some(event) = path.poll(now) {
            note(&mut fates, event);
        }
        if path.enqueue(now, Direction::Forward, Marked { number, len, ecn }).is_err() {
            fates.refused.push(number);
        }
    }
    while let Some(next) = path.next_event() {
        while let Some(event) = path.poll(next) {
            note(&mut fates, event);
        }
    }
    // An arrival that finds the line idle may be dropped as it leaves, which is at once.
    fates.dropped.sort_unstable();
    fates
}

/// Appendix A of RFC 9332, line by line, beside an interface that takes one packet after the other.
struct Rfc9332 {
    spec: Dualpi2Spec,
    lq: VecDeque<(usize, u64, u32, Ecn)>,
    cq: VecDeque<(usize, u64, u32, Ecn)>,
    p: f64,
    prevq: f64,
    next_update: u64,
    /// L4S, classic, L4S under overload.
    counts: [f64; 3],
    /// What the classic queue is owed.
    deficit: f64,
    free_at: u64,
    fates: Fates,
}

impl Rfc9332 {
    fn new(spec: Dualpi2Spec) -> Self {
        Self {
            lq: VecDeque::new(),
            cq: VecDeque::new(),
            p: 0.0,
            prevq: 0.0,
            next_update: spec.update_ns.as_nanos(),
            counts: [0.0; 3],
            deficit: 0.0,
            free_at: 0,
            fates: Fates::default(),
            spec,
        }
    }

    fn update(&mut self) {
        let time = |q: &VecDeque<(usize, u64, u32, Ecn)>| {
            q.front().map_or(0.0, |first| seconds(self.next_update - first.1))
        };
        let curq = time(&self.cq).max(time(&self.lq));
        let target = self.spec.target_ns.as_secs_f64();
        self.p += self.spec.alpha_hz * (curq - target) + self.spec.beta_hz * (curq - self.prevq);
        self.p = self.p.clamp(0.0, 1.0);
        self.prevq = curq;
        self.next_update += self.spec.update_ns.as_nanos();
    }

    fn recur(&mut self, which: usize, likelihood: f64) -> bool {
        self.counts[which] += likelihood;
        if self.counts[which] > 1.0 {
            self.counts[which] -= 1.0;
            return true;
        }
        false
    }

    fn laqm(&self, qdelay_ns: u64) -> f64 {
        let (min_th, range) = (self.spec.ramp_start_ns.as_secs_f64(), self.spec.ramp_range_ns.as_secs_f64());
        let above = seconds(qdelay_ns) - min_th;
        if above >= range {
            1.0
        } else if above > 0.0 {
            above / range
        } else {
            0.0
        }
    }

    fn dequeue(&mut self, now: u64) -> Option<(usize, u32, Ecn)> {
        let (k, share) = (self.spec.coupling, self.spec.classic_share);
        while !self.lq.is_empty() || !self.cq.is_empty() {
            let is_l4s = self.cq.is_empty() || !self.lq.is_empty() && self.deficit <= 0.0;
            let (number, since, len, mut ecn) =
                if is_l4s { self.lq.pop_front() } else { self.cq.pop_front() }?;
            let does_other_wait = if is_l4s { !self.cq.is_empty() } else { !self.lq.is_empty() };
            let due = if is_l4s { share } else { share - 1.0 };
            self.deficit = if does_other_wait { self.deficit + due * f64::from(len) } else { 0.0 };
            let (p_c, p_cl) = (self.p * self.p, k * self.p);
            if is_l4s {
                if p_cl >= 1.0 && self.recur(2, p_c) {
                    self.fates.dropped.push(number);
                    continue;
                }
                let native = if self.lq.is_empty() { 0.0 } else { self.laqm(now - since) };
                if self.recur(0, native.max(p_cl).min(1.0)) {
                    ecn = Ecn::Ce;
                }
            } else if self.recur(1, p_c) {
                if ecn == Ecn::NotEct || p_c >= (1.0 / (k * k)).min(1.0) {
                    self.fates.dropped.push(number);
                    continue;
                }
                ecn = Ecn::Ce;
            }
            return Some((number, len, ecn));
        }
        None
    }

    /// Everything that is to happen by `now`: of one instant first the update, then the departure.
    fn serve(&mut self, now: u64) {
        loop {
            let waits = !self.lq.is_empty() || !self.cq.is_empty();
            let next = if waits { self.next_update.min(self.free_at) } else { self.next_update };
            if next > now || next == u64::MAX {
                return;
            }
            if self.next_update <= next {
                self.update();
            } else if let Some((number, len, ecn)) = self.dequeue(self.free_at) {
                self.fates.left.push((number, self.free_at, ecn));
                self.free_at += ns_of(len);
            }
        }
    }

    fn drive(mut self, arrivals: &[Arrival]) -> Fates {
        for (number, &Arrival { at, len, ecn }) in arrivals.iter().enumerate() {
            self.serve(at);
            // A packet that finds the interface idle leaves at once, however little room there is.
            let bytes: u64 = self.lq.iter().chain(&self.cq).map(|packet| u64::from(packet.2)).sum();
            if self.free_at > at && bytes + u64::from(MTU) > self.spec.limit_bytes.get() {
                self.fates.refused.push(number);
                continue;
            }
            let queue = if matches!(ecn, Ecn::Ect1 | Ecn::Ce) { &mut self.lq } else { &mut self.cq };
            queue.push_back((number, at, len, ecn));
            self.free_at = self.free_at.max(at);
            self.serve(at);
        }
        while !self.lq.is_empty() || !self.cq.is_empty() {
            self.serve(self.free_at.max(self.next_update.min(self.free_at)));
        }
        self.fates.dropped.sort_unstable();
        self.fates
    }
}

/// Full packets every `gap` ns.
fn stream(until: u64, gap: u64, ecn: Ecn) -> Vec<Arrival> {
    (0..until).step_by(usize::try_from(gap).unwrap()).map(|at| Arrival { at, len: 1500, ecn }).collect()
}

fn mixed(mut one: Vec<Arrival>, mut other: Vec<Arrival>) -> Vec<Arrival> {
    one.append(&mut other);
    one.sort_by_key(|arrival| arrival.at);
    one
}

#[test]
fn what_cannot_be_is_refused_by_the_name_of_its_field() {
    let refused = |own| check(&spec(QueueSpec::Dualpi2(own))).unwrap_err().to_string();
    let good = dualpi2(NO_LIMIT);
    assert_eq!(check(&spec(QueueSpec::Dualpi2(good))), Ok(()));
    for (field, own) in [
        ("update_ns", Dualpi2Spec { update_ns: Duration::ZERO, ..good }),
        ("ramp_range_ns", Dualpi2Spec { ramp_range_ns: Duration::ZERO, ..good }),
        ("alpha_hz", Dualpi2Spec { alpha_hz: 0.0, ..good }),
        ("beta_hz", Dualpi2Spec { beta_hz: f64::NAN, ..good }),
        ("coupling", Dualpi2Spec { coupling: f64::INFINITY, ..good }),
        // All of the capacity for the classic queue would starve the other (RFC 9332 section 2.5.1.1).
        ("classic_share", Dualpi2Spec { classic_share: 1.0, ..good }),
    ] {
        assert!(refused(own).starts_with(&format!("forward.queue.{field}: expected ")), "{field}");
    }
}

#[test]
fn the_ramp_marks_half_of_those_that_wait_a_millisecond_and_all_that_wait_longer() {
    // Nine L4S packets at once: number n leaves after n ms. minTh 800 us, range 400 us: p'_L of number 1 is 1/2, of
    // later ones 1, but the last leaves none behind. `recur` says yes above one: 0.5, 1.5 (mark), 1.5 (mark), ...
    let arrivals: Vec<Arrival> = (0..9).map(|_| Arrival { at: 0, len: 1500, ecn: Ecn::Ect1 }).collect();
    let spec = spec(QueueSpec::Dualpi2(dualpi2(NO_LIMIT)));
    let fates = through(&mut Path::new(&spec, 0, Time::ZERO), &arrivals);
    let marked: Vec<usize> = fates.left.iter().filter(|left| left.2 == Ecn::Ce).map(|left| left.0).collect();
    assert_eq!(marked, [2, 3, 4, 5, 6, 7]);
}

#[test]
fn the_base_probability_follows_the_wait_of_the_first_classic_packet() {
    // 3000 classic packets at once: the first of those that wait came at 0, so that curq = now at each update of 15 ms,
    // until marks let it. p' after n updates: alpha sum(15 i - 15) ms + beta 15 n ms. p'(1) = 0.045; p'(2) = 0.09225;
    // p'(3) = 0.14175; p'(4) = 0.1935, ... By classic departures of 1 ms, 15 between two updates, `recur` of p'^2:
    // 15 * 0.002025 = 0.030; + 15 * 0.00851 = 0.158; + 15 * 0.02009 = 0.459; then 0.03744 each, above one after 15 more
    // (1.0208): hence the first mark is that of the packet that starts at 74 ms.
    let arrivals: Vec<Arrival> = (0..3000).map(|_| Arrival { at: 0, len: 1500, ecn: Ecn::Ect0 }).collect();
    let spec = spec(QueueSpec::Dualpi2(dualpi2(NO_LIMIT)));
    let fates = through(&mut Path::new(&spec, 0, Time::ZERO), &arrivals);
    let first = fates.left.iter().find(|left| left.2 == Ecn::Ce).map(|left| left.1 / MS);
    assert_eq!(first, Some(74));
}

#[test]
fn l4s_packets_go_first_and_leave_a_tenth_to_the_others() {
    // Both send at the rate of the link; what waits beyond is of no matter here.
    let arrivals = mixed(stream(1_000 * MS, MS, Ecn::Ect1), stream(1_000 * MS, MS, Ecn::NotEct));
    let spec = spec(QueueSpec::Dualpi2(dualpi2(NO_LIMIT)));
    let fates = through(&mut Path::new(&spec, 0, Time::ZERO), &arrivals);
    let is_l4s = |number: usize| arrivals[number].ecn == Ecn::Ect1;
    let early = fates.left.iter().filter(|left| left.1 < 200 * MS);
    let (l4s, others): (Vec<&(usize, u64, Ecn)>, Vec<_>) = early.partition(|left| is_l4s(left.0));
    // Weighted round robin of 0.9 to 0.1 over 200 ms (section 4.2.2): 180 and 20 packets.
    assert!((179..=181).contains(&l4s.len()), "{} and {}", l4s.len(), others.len());
}

#[test]
fn senders_without_ecn_are_dropped_where_others_are_marked() {
    // A tenth too much for half a second: 50 ms wait in the end, and p'^2 stays below the overload of 1/4.
    let long = |ecn| stream(500 * MS, MS * 9 / 10, ecn);
    let spec = spec(QueueSpec::Dualpi2(dualpi2(NO_LIMIT)));
    let of = |ecn| through(&mut Path::new(&spec, 0, Time::ZERO), &long(ecn));
    let (capable, others) = (of(Ecn::Ect0), of(Ecn::NotEct));
    assert!(capable.dropped.is_empty() && capable.left.iter().any(|left| left.2 == Ecn::Ce));
    assert!(!others.dropped.is_empty() && others.left.iter().all(|left| left.2 == Ecn::NotEct));
}

#[test]
fn an_overload_of_senders_that_answer_no_marks_is_dropped() {
    // Twice the rate for a minute (section 4.2.3, appendix A.2): marks alone would let 60 s wait.
    let arrivals = stream(60_000 * MS, MS / 2, Ecn::Ect1);
    let spec = spec(QueueSpec::Dualpi2(dualpi2(NO_LIMIT)));
    let fates = through(&mut Path::new(&spec, 0, Time::ZERO), &arrivals);
    let wait = |left: &&(usize, u64, Ecn)| left.1 - arrivals[left.0].at;
    let late =
        fates.left.iter().filter(|left| arrivals[left.0].at > 30_000 * MS).map(|left| wait(&left)).max();
    assert!(late < Some(100 * MS), "{late:?}");
}

#[test]
fn the_report_has_waits_marks_and_drops_of_both_classes() {
    let arrivals = mixed(stream(5_000 * MS, 2 * MS, Ecn::Ect1), stream(5_000 * MS, MS * 18 / 10, Ecn::Ect0));
    let spec = spec(QueueSpec::Dualpi2(dualpi2(NO_LIMIT)));
    let mut path = Path::new(&spec, 0, Time::ZERO);
    let fates = through(&mut path, &arrivals);
    let classes = path.report(Time::from_nanos(20_000 * MS)).forward.queue_classes;
    assert_eq!(classes.iter().map(|class| class.name.as_str()).collect::<Vec<_>>(), ["l4s", "classic"]);
    for (class, own) in classes.iter().zip([Ecn::Ect1, Ecn::Ect0]) {
        let left: Vec<_> = fates.left.iter().filter(|left| arrivals[left.0].ecn == own).collect();
        assert_eq!(class.packets, left.len() as u64);
        assert_eq!(class.marked_packets, left.iter().filter(|left| left.2 == Ecn::Ce).count() as u64);
        let mut waits: Vec<u64> = left.iter().map(|left| left.1 - arrivals[left.0].at).collect();
        waits.sort_unstable();
        // The nearest rank, to the next 10 us.
        let p99 = waits[(waits.len() * 99).div_ceil(100) - 1].div_ceil(10 * US) * 10 * US;
        assert_eq!(class.wait_p99, Some(Duration::from_nanos(p99)));
    }
    assert!(classes[0].wait_p99 < classes[1].wait_p50, "{classes:?}");
}

#[test]
fn codel_marks_at_the_instants_at_which_it_would_drop() {
    // The instants of the test of its control law (codel.rs): 110 ms, then intervals over the root of their number.
    let codel = spec(QueueSpec::Codel {
        limit_bytes: Bytes::new(NO_LIMIT),
        target_ns: Duration::from_millis(5),
        interval_ns: Duration::from_millis(100),
        ecn: Switch::On,
    });
    let mut path = Path::new(&codel, 0, Time::ZERO);
    let fates = through(&mut path, &stream(900 * MS, MS / 2, Ecn::Ect0));
    let marked: Vec<u64> =
        fates.left.iter().filter(|left| left.2 == Ecn::Ce).map(|left| left.1 / MS).collect();
    assert_eq!(marked[..13], [110, 210, 281, 339, 389, 434, 474, 512, 548, 581, 613, 643, 672]);
    assert!(fates.dropped.is_empty(), "marks stand in place of drops");
    let classes = path.report(Time::from_nanos(10_000 * MS)).forward.queue_classes;
    assert_eq!((classes.len(), classes[0].marked_packets), (1, marked.len() as u64));
    // A sender that takes no part is dropped as ever.
    let fates = through(&mut Path::new(&codel, 0, Time::ZERO), &stream(900 * MS, MS / 2, Ecn::NotEct));
    assert!(fates.dropped.len() >= 13 && fates.left.iter().all(|left| left.2 == Ecn::NotEct));
}

fn any_arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let ecn = prop_oneof![
        3 => Just(Ecn::Ect1),
        3 => Just(Ecn::Ect0),
        3 => Just(Ecn::NotEct),
        1 => Just(Ecn::Ce),
    ];
    let phase = (1..300usize, prop_oneof![50_000..2_000_000u64, Just(0)], 0..400 * MS, 1..=500u32);
    prop::collection::vec((phase, prop::collection::vec(ecn, 1..5)), 1..6).prop_map(|phases| {
        let mut at = 0;
        let mut arrivals = Vec::new();
        for ((packets, gap, pause, thirds), kinds) in phases {
            for ecn in kinds.into_iter().cycle().take(packets) {
                arrivals.push(Arrival { at, len: thirds * 3, ecn });
                at += gap;
            }
            at += pause;
        }
        arrivals
    })
}

proptest! {
    #[test]
    fn every_packet_fares_as_in_the_pseudo_code(
        arrivals in any_arrivals(),
        limit in prop_oneof![Just(NO_LIMIT), 3_000..200_000u64],
        gains in prop_oneof![Just((0.15, 3.0)), (0.01..4.0f64, 0.01..20.0f64)],
        coupling in 1.0..4.0f64,
        share in 0.0..0.9f64,
    ) {
        let (alpha_hz, beta_hz) = gains;
        let own = Dualpi2Spec { alpha_hz, beta_hz, coupling, classic_share: share, ..dualpi2(limit) };
        let fates = through(&mut Path::new(&spec(QueueSpec::Dualpi2(own)), 0, Time::ZERO), &arrivals);
        let expected = Rfc9332::new(own).drive(&arrivals);
        // What the line takes at once and what is dropped there is refused, for the link has it back at once.
        let mut found = fates;
        let (at_once, refused): (Vec<_>, Vec<_>) =
            found.refused.iter().partition(|number| expected.dropped.contains(number));
        found.refused = refused;
        found.dropped.extend(at_once);
        found.dropped.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}
