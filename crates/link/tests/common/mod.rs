//! What the link's tests share: specs, numbered packets, and two ways of driving a path.

pub mod layout;
pub mod numbered;
pub mod transport_stream;

use bentpipe_link::{
    CapacitySpec, DirectionSpec, Dualpi2Spec, JitterSpec, LinkSpec, LossSpec, OutageSpec, QuantileSpec,
    QueueSpec,
};
use bentpipe_link::{Direction, DropCause, Event, Path};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};
use proptest::prelude::*;

pub use layout::layout;
pub use numbered::Numbered;

/// A packet offered to the link.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub at: Time,
    pub direction: Direction,
    pub len: u32,
}

/// What became of a list of offers.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub refused: Vec<usize>,
    pub events: Vec<Event<Numbered>>,
}

impl Outcome {
    fn offer(&mut self, path: &mut Path<Numbered>, number: usize, offer: Offer) {
        let packet = Numbered { number, len: offer.len };
        if let Err((_, packet)) = path.enqueue(offer.at, offer.direction, packet) {
            self.refused.push(packet.number);
        }
    }

    /// With all that is still to happen on the path.
    fn finish(mut self, path: &mut Path<Numbered>) -> Self {
        while let Some(next) = path.next_event() {
            drain(path, next, &mut self);
        }
        self
    }
}

pub const MTU: u32 = 1500;

/// A loss-free direction without jitter that never drops.
pub fn pipe(rate_bps: u64, delay: Duration) -> DirectionSpec {
    DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(rate_bps) },
        delay_ns: delay,
        jitter: JitterSpec::None,
        queue: QueueSpec::Bytes { limit_bytes: Bytes::new(u64::MAX / 16) },
        loss: LossSpec::None,
        schedule: None,
    }
}

/// Both directions alike.
pub fn symmetric(direction: DirectionSpec) -> LinkSpec {
    link(direction.clone(), direction)
}

pub fn link(forward: DirectionSpec, return_: DirectionSpec) -> LinkSpec {
    LinkSpec { name: "custom".to_owned(), mtu_bytes: Bytes::new(u64::from(MTU)), forward, return_ }
}

/// Offers `len` bytes to the forward direction at each of `instants`.
pub fn forward_offers(instants: impl IntoIterator<Item = u64>, len: u32) -> Vec<Offer> {
    instants
        .into_iter()
        .map(|ns| Offer { at: Time::from_nanos(ns), direction: Direction::Forward, len })
        .collect()
}

/// Drives a path as an event queue does: every event is polled at its own instant.
pub fn punctually(path: &mut Path<Numbered>, offers: &[Offer]) -> Outcome {
    let mut outcome = Outcome { refused: Vec::new(), events: Vec::new() };
    for (number, offer) in offers.iter().enumerate() {
        while let Some(next) = path.next_event().filter(|next| *next <= offer.at) {
            drain(path, next, &mut outcome);
        }
        outcome.offer(path, number, *offer);
    }
    outcome.finish(path)
}

/// Drives a path as a machine under load does: nothing is polled before the last offer.
pub fn belatedly(path: &mut Path<Numbered>, offers: &[Offer]) -> Outcome {
    let mut outcome = Outcome { refused: Vec::new(), events: Vec::new() };
    for (number, offer) in offers.iter().enumerate() {
        outcome.offer(path, number, *offer);
    }
    outcome.finish(path)
}

pub fn drain(path: &mut Path<Numbered>, now: Time, outcome: &mut Outcome) {
    outcome.events.extend(std::iter::from_fn(|| path.poll(now)));
}

/// Instants at which the packets of one direction were delivered, with their numbers, in the order of events.
pub fn deliveries(outcome: &Outcome, wanted: Direction) -> Vec<(usize, Time)> {
    let delivered = |event: &Event<Numbered>| match event {
        Event::Delivered { direction, due, packet } if *direction == wanted => Some((packet.number, *due)),
        _ => None,
    };
    outcome.events.iter().filter_map(delivered).collect()
}

/// Up to 200 offers to both directions, bunched enough to queue at the rates of [`any_direction`].
pub fn any_offers() -> impl Strategy<Value = Vec<Offer>> {
    let gap = prop_oneof![Just(0), 0..2_000u64, 0..3_000_000u64, 0..200_000_000u64];
    let direction = prop_oneof![2 => Just(Direction::Forward), 1 => Just(Direction::Return)];
    // The upper end is above the MTU: some offers are oversize.
    prop::collection::vec((gap, direction, 0..=MTU + 20), 1..200).prop_map(|steps| {
        let mut at = Time::ZERO;
        let mut offer = |(gap, direction, len)| {
            at += Duration::from_nanos(gap);
            Offer { at, direction, len }
        };
        steps.into_iter().map(&mut offer).collect()
    })
}

/// Any direction of the model, from 10 kbit/s to 10 Gbit/s.
pub fn any_direction() -> impl Strategy<Value = DirectionSpec> {
    let rate = prop_oneof![10_000..1_000_000u64, 1_000_000..100_000_000u64, 100_000_000..10_000_000_000u64];
    let delay = prop_oneof![Just(0), 0..1_000_000u64, 0..300_000_000u64];
    (rate, delay, any_jitter(), any_queue(), any_loss()).prop_map(|(rate, delay, jitter, queue, loss)| {
        DirectionSpec { jitter, queue, loss, ..pipe(rate, Duration::from_nanos(delay)) }
    })
}

/// Instants at which accepted packets of one direction were lost, with their numbers, in the order of events.
pub fn losses(outcome: &Outcome, wanted: Direction, by: DropCause) -> Vec<(usize, Time)> {
    let lost = |event: &Event<Numbered>| match event {
        Event::Lost { direction, at, cause, packet } if *direction == wanted && *cause == by => {
            Some((packet.number, *at))
        }
        _ => None,
    };
    outcome.events.iter().filter_map(lost).collect()
}

pub fn any_queue() -> impl Strategy<Value = QueueSpec> {
    any_queue_for(0)
}

/// Queues with room for so many packets of the largest size.
pub fn any_queue_for(packets: u64) -> impl Strategy<Value = QueueSpec> {
    let least = packets * u64::from(MTU);
    let early = (least..100_000u64, 0..100_000u64, 0.0..=1.0f64);
    let codel = (least..100_000u64, 0..50_000_000u64, 0..200_000_000u64);
    prop_oneof![
        3 => any_drop_tail_for(packets),
        1 => early.prop_map(|(limit, start, p)| QueueSpec::RandomEarlyDrop {
            limit_bytes: Bytes::new(limit),
            start_bytes: Bytes::new(start),
            p,
        }),
        1 => codel.prop_map(|(limit, target, interval)| QueueSpec::Codel {
            limit_bytes: Bytes::new(limit),
            target_ns: Duration::from_nanos(target),
            interval_ns: Duration::from_nanos(interval),
            ecn: Switch::Off,
        }),
        1 => (least + u64::from(MTU)..100_000u64).prop_map(|limit| QueueSpec::Dualpi2(dualpi2(limit))),
    ]
}

/// RFC 9332 appendix A.1, with what its defaults come to at a target of 15 ms and an RTT_max of 100 ms.
pub fn dualpi2(limit_bytes: u64) -> Dualpi2Spec {
    Dualpi2Spec {
        limit_bytes: Bytes::new(limit_bytes),
        target_ns: Duration::from_millis(15),
        update_ns: Duration::from_millis(15),
        alpha_hz: 0.15,
        beta_hz: 3.0,
        coupling: 2.0,
        ramp_start_ns: Duration::from_micros(800),
        ramp_range_ns: Duration::from_micros(400),
        classic_share: 0.1,
    }
}

/// Queues that drop for no other reason than that they are full.
pub fn any_drop_tail() -> impl Strategy<Value = QueueSpec> {
    any_drop_tail_for(0)
}

fn any_drop_tail_for(packets: u64) -> impl Strategy<Value = QueueSpec> {
    let least = packets * u64::from(MTU);
    prop_oneof![
        (least..100_000u64).prop_map(|limit| QueueSpec::Bytes { limit_bytes: Bytes::new(limit) }),
        (packets..50u64).prop_map(|limit_packets| QueueSpec::Packets { limit_packets }),
        (0..500_000_000u64).prop_map(|limit| QueueSpec::Time { limit_ns: Duration::from_nanos(limit) }),
    ]
}

fn any_jitter() -> impl Strategy<Value = JitterSpec> {
    prop_oneof![
        Just(JitterSpec::None),
        (0..20_000_000u64).prop_map(|sd| JitterSpec::Normal { sd_ns: Duration::from_nanos(sd) }),
        any_empirical(20_000_000),
    ]
}

/// A distribution between -`most_ns` and `most_ns`.
pub fn any_empirical(most_ns: i64) -> impl Strategy<Value = JitterSpec> {
    let offsets = prop::collection::vec(-most_ns..=most_ns, 2..8);
    let places = prop::collection::vec(0.0..=1.0f64, 8);
    (offsets, places, 1..300u64).prop_map(|(mut offsets, mut places, hold)| {
        places.truncate(offsets.len());
        let last = offsets.len() - 1;
        (places[0], places[last]) = (0.0, 1.0);
        places.sort_by(f64::total_cmp);
        offsets.sort_unstable();
        let points = places.into_iter().zip(offsets);
        let quantiles = points.map(|(p, offset_ns)| QuantileSpec { p, offset_ns }).collect();
        JitterSpec::Empirical { quantiles, hold_ns: Duration::from_millis(hold) }
    })
}

fn any_loss() -> impl Strategy<Value = LossSpec> {
    let share = || 0.0..=1.0f64;
    prop_oneof![
        Just(LossSpec::None),
        share().prop_map(|p| LossSpec::Bernoulli { p }),
        (share(), share(), share(), share()).prop_map(|(p, r, h, k)| LossSpec::GilbertElliott { p, r, h, k }),
        (0.0..1e-3f64).prop_map(|ber| LossSpec::BitError { ber }),
        any_outages(),
    ]
}

pub fn any_outages() -> impl Strategy<Value = LossSpec> {
    let kind = (1..5u32, 0..500u64)
        .prop_map(|(weight, ms)| OutageSpec { weight, duration_ns: Duration::from_millis(ms) });
    (1..2_000u64, prop::collection::vec(kind, 1..4)).prop_map(|(period, durations)| LossSpec::Outages {
        period_ns: Duration::from_millis(period),
        durations,
    })
}

/// Offers everything, every third time with a poll, so that events also pile up: at any time what went in has come out,
/// was dropped or is inside, and in the end nothing is.
pub fn holds_what_went_in_and_did_not_come_out(
    path: &mut Path<Numbered>,
    offers: &[Offer],
) -> Result<(), TestCaseError> {
    let mut inside = [0usize; 2];
    for (number, offer) in offers.iter().enumerate() {
        let accepted = path.enqueue(offer.at, offer.direction, Numbered { number, len: offer.len }).is_ok();
        inside[offer.direction as usize] += usize::from(accepted);
        while number % 3 == 0
            && let Some(event) = path.poll(offer.at)
        {
            inside[event.direction() as usize] -= 1;
        }
        prop_assert_eq!(Direction::BOTH.map(|direction| path.held_packets(direction)), inside);
    }
    while let Some(next) = path.next_event() {
        while path.poll(next).is_some() {}
    }
    prop_assert_eq!(Direction::BOTH.map(|direction| path.held_packets(direction)), [0, 0]);
    Ok(())
}

/// Offers all, then goes from event to event: none may come before the instant that is announced for it. Where
/// whatever was accepted arrives (`is_lossless`), there is one at each of these instants.
pub fn nothing_happens_but_at_next_event(
    path: &mut Path<Numbered>,
    offers: &[Offer],
    is_lossless: bool,
) -> Result<(), TestCaseError> {
    for (number, offer) in offers.iter().enumerate() {
        let _ = path.enqueue(offer.at, offer.direction, Numbered { number, len: offer.len });
        while path.poll(offer.at).is_some() {}
    }
    while let Some(next) = path.next_event() {
        prop_assert_eq!(path.poll(Time::from_nanos(next.as_nanos() - 1)), None);
        prop_assert_eq!(path.next_event(), Some(next));
        let event = path.poll(next);
        prop_assert!(event.is_some() || !is_lossless, "where nothing accepted is lost the instant is exact");
        prop_assert!(event.is_none_or(|event| event.at() == next));
        while path.poll(next).is_some() {}
        prop_assert!(path.next_event().is_none_or(|later| later > next));
    }
    Ok(())
}
