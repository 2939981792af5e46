//! Two directions that do not know of each other, and streams of random numbers that do not either.

use crate::common::*;
use bentpipe_link::{Direction, Event, Path};
use bentpipe_link::{DirectionSpec, JitterSpec, LinkSpec, LossSpec};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

fn events_of(spec: &LinkSpec, seed: u64, offers: &[Offer], direction: Direction) -> Vec<Event<Numbered>> {
    let mut outcome = punctually(&mut Path::new(spec, seed, Time::ZERO), offers);
    outcome.events.retain(|event| event.direction() == direction);
    outcome.events
}

fn lossy_and_jittery() -> DirectionSpec {
    DirectionSpec {
        loss: LossSpec::Bernoulli { p: 0.2 },
        jitter: JitterSpec::Normal { sd_ns: Duration::from_millis(1) },
        ..pipe(10_000_000, Duration::from_millis(250))
    }
}

fn spaced_offers() -> Vec<Offer> {
    forward_offers((0..1_000).map(|i| i * 2_000_000), 1500)
}

fn lost(events: &[Event<Numbered>]) -> Vec<usize> {
    let number = |event: &Event<Numbered>| match event {
        Event::Lost { packet, .. } => Some(packet.number),
        Event::Delivered { .. } => None,
    };
    events.iter().filter_map(number).collect()
}

proptest! {
    #[test]
    fn traffic_in_one_direction_does_not_touch_the_other(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let spec = link(forward, return_);
        let mut path = Path::new(&spec, seed, Time::ZERO);
        let both = punctually(&mut path, &offers);
        for direction in Direction::BOTH {
            let alone: Vec<Offer> = offers.iter().copied().filter(|offer| offer.direction == direction).collect();
            let numbers: Vec<usize> = (0..offers.len()).filter(|i| offers[*i].direction == direction).collect();
            let due_alone: Vec<(usize, Time)> =
                deliveries(&punctually(&mut Path::new(&spec, seed, Time::ZERO), &alone), direction)
                    .into_iter()
                    .map(|(number, due)| (numbers[number], due))
                    .collect();
            prop_assert_eq!(deliveries(&both, direction), due_alone);
        }
    }

    #[test]
    fn equal_seeds_give_equal_events(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let spec = link(forward, return_);
        let run = || {
            let mut path = Path::new(&spec, seed, Time::ZERO);
            let outcome = punctually(&mut path, &offers);
            (outcome, path.report(Time::from_nanos(100_000_000_000)))
        };
        prop_assert_eq!(run(), run());
    }
}

#[test]
fn another_seed_gives_other_losses() {
    let spec = symmetric(lossy_and_jittery());
    let run = |seed| lost(&events_of(&spec, seed, &spaced_offers(), Direction::Forward));
    assert_ne!(run(1), run(2));
}

#[test]
fn the_two_directions_draw_from_different_streams() {
    let spec = symmetric(lossy_and_jittery());
    let forward = spaced_offers();
    let return_: Vec<Offer> =
        forward.iter().map(|offer| Offer { direction: Direction::Return, ..*offer }).collect();
    assert_ne!(
        lost(&events_of(&spec, 1, &forward, Direction::Forward)),
        lost(&events_of(&spec, 1, &return_, Direction::Return)),
    );
}

#[test]
fn jitter_does_not_change_which_packets_are_lost() {
    let jittery = lossy_and_jittery();
    let steady = DirectionSpec { jitter: JitterSpec::None, ..jittery.clone() };
    let run = |direction| lost(&events_of(&symmetric(direction), 1, &spaced_offers(), Direction::Forward));
    assert_eq!(run(jittery), run(steady));
}

#[test]
fn simultaneous_events_come_forward_first() {
    let spec = symmetric(pipe(12_000_000, Duration::from_millis(250)));
    let at = Time::ZERO;
    let offers = [Direction::Return, Direction::Forward].map(|direction| Offer { at, direction, len: 1500 });
    let outcome = punctually(&mut Path::new(&spec, 0, Time::ZERO), &offers);
    let directions: Vec<Direction> = outcome.events.iter().map(Event::direction).collect();
    assert_eq!(directions, [Direction::Forward, Direction::Return]);
}
