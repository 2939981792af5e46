//! What waits to be sent, in the order of RFC 9218 section 10.

use std::collections::BTreeMap;

use bentpipe_http::priority::{Delivery, Priority};

/// What waits to be sent, in the order of RFC 9218 section 10: the most urgent first; of equal urgency whole ones in the
/// order of their requests, then incremental ones by turns.
pub(super) struct Schedule<T> {
    waiting: BTreeMap<Place, T>,
    /// Given to incremental ones, of which the one that waits longest is next.
    next_turn: u64,
}

/// Where something stands; the same again after a part of it was sent, unless others have their turn first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    priority: Priority,
    turn: u64,
    /// Of its request.
    order: u64,
}

/// Whether something can be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    Ready,
    /// Its window is closed.
    Blocked,
    /// Nobody wants it any more.
    Gone,
}

impl<T> Schedule<T> {
    pub(super) fn new() -> Self {
        Self { waiting: BTreeMap::new(), next_turn: 1 }
    }

    /// Adds what answers the request of that order; the orders of a connection's requests are distinct.
    pub(super) fn add(&mut self, priority: Priority, order: u64, item: T) {
        self.put_back(Place { priority, turn: 0, order }, item);
    }

    /// Adds again what was taken and is not done.
    pub(super) fn put_back(&mut self, mut place: Place, item: T) {
        if place.priority.delivery == Delivery::Incremental {
            place.turn = self.next_turn;
            self.next_turn += 1;
        }
        self.waiting.insert(place, item);
    }

    /// Takes the first that is ready, and forgets what is gone before it.
    pub(super) fn take_first(&mut self, mut look: impl FnMut(&mut T) -> Readiness) -> Option<(Place, T)> {
        let mut gone = Vec::new();
        let mut first = None;
        for (place, item) in &mut self.waiting {
            match look(item) {
                Readiness::Ready => {
                    first = Some(*place);
                    break;
                }
                Readiness::Blocked => {}
                Readiness::Gone => gone.push(*place),
            }
        }
        for place in gone {
            self.waiting.remove(&place);
        }
        first.and_then(|place| self.waiting.remove_entry(&place))
    }

    /// All of them, in no order that matters.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.waiting.values_mut()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHOLE: Delivery = Delivery::Whole;
    const INCREMENTAL: Delivery = Delivery::Incremental;

    /// A name and the parts that are left of it.
    type Item = (char, u32);

    fn priority(urgency: u8, delivery: Delivery) -> Priority {
        Priority { urgency, delivery }
    }

    /// The names in the order in which parts of three are sent.
    fn sent(items: &[(u8, Delivery, char)]) -> String {
        let mut schedule = Schedule::new();
        for (order, (urgency, delivery, name)) in (0..).zip(items) {
            schedule.add(priority(*urgency, *delivery), order, (*name, 3));
        }
        drain(&mut schedule)
    }

    fn drain(schedule: &mut Schedule<Item>) -> String {
        let mut sent = String::new();
        while let Some((place, (name, left))) = schedule.take_first(|_| Readiness::Ready) {
            sent.push(name);
            if left > 1 {
                schedule.put_back(place, (name, left - 1));
            }
        }
        sent
    }

    // Expected orders follow from RFC 9218 section 10 by hand.

    #[test]
    fn the_most_urgent_is_sent_first_whenever_it_was_asked_for() {
        assert_eq!(sent(&[(5, WHOLE, 'a'), (3, WHOLE, 'b'), (0, WHOLE, 'c')]), "cccbbbaaa");
        assert_eq!(sent(&[(5, INCREMENTAL, 'a'), (0, INCREMENTAL, 'b')]), "bbbaaa");
    }

    #[test]
    fn whole_ones_of_equal_urgency_are_sent_in_the_order_of_their_requests() {
        assert_eq!(sent(&[(3, WHOLE, 'a'), (3, WHOLE, 'b')]), "aaabbb");
    }

    #[test]
    fn incremental_ones_of_equal_urgency_take_turns() {
        assert_eq!(sent(&[(3, INCREMENTAL, 'a'), (3, INCREMENTAL, 'b'), (3, INCREMENTAL, 'c')]), "abcabcabc");
    }

    #[test]
    fn of_equal_urgency_whole_ones_go_before_incremental_ones() {
        assert_eq!(sent(&[(3, INCREMENTAL, 'a'), (3, WHOLE, 'b')]), "bbbaaa");
    }

    #[test]
    fn one_that_comes_later_interrupts_what_is_less_urgent_and_waits_its_turn_among_equals() {
        let mut schedule = Schedule::new();
        schedule.add(priority(3, INCREMENTAL), 0, ('a', 2));
        schedule.add(priority(3, INCREMENTAL), 1, ('b', 2));
        let (place, (name, _)) = schedule.take_first(|_| Readiness::Ready).unwrap();
        assert_eq!(name, 'a');
        schedule.put_back(place, ('a', 1));
        schedule.add(priority(3, INCREMENTAL), 2, ('c', 2));
        schedule.add(priority(1, WHOLE), 3, ('d', 2));
        assert_eq!(drain(&mut schedule), "ddbacbc");
    }

    #[test]
    fn the_next_one_goes_while_the_first_is_blocked_and_keeps_its_place() {
        let mut schedule = Schedule::new();
        schedule.add(priority(0, WHOLE), 0, ('a', 1));
        schedule.add(priority(1, WHOLE), 1, ('b', 1));
        let blocked = |item: &mut Item| match item.0 {
            'a' => Readiness::Blocked,
            _ => Readiness::Ready,
        };
        assert_eq!(schedule.take_first(blocked).map(|(_, item)| item.0), Some('b'));
        assert!(schedule.take_first(blocked).is_none());
        assert_eq!(drain(&mut schedule), "a");
    }

    #[test]
    fn what_is_gone_is_not_asked_about_again() {
        let mut schedule = Schedule::new();
        schedule.add(priority(0, WHOLE), 0, ('a', 1));
        assert!(schedule.take_first(|_| Readiness::Gone).is_none());
        assert_eq!(schedule.iter_mut().count(), 0);
    }

    proptest! {
        #[test]
        fn everything_is_sent_once_and_nothing_before_what_is_more_urgent(
            items in prop::collection::vec((0..8_u8, any::<bool>(), 1..5_u32), 0..20),
        ) {
            let mut schedule = Schedule::new();
            for (order, (urgency, whole, parts)) in (0..).zip(&items) {
                let delivery = if *whole { WHOLE } else { INCREMENTAL };
                schedule.add(priority(*urgency, delivery), order, (*urgency, *parts));
            }
            let mut urgencies = Vec::new();
            while let Some((place, (urgency, left))) = schedule.take_first(|_| Readiness::Ready) {
                urgencies.push(urgency);
                if left > 1 {
                    schedule.put_back(place, (urgency, left - 1));
                }
            }
            prop_assert!(urgencies.is_sorted());
            prop_assert_eq!(urgencies.len() as u32, items.iter().map(|(_, _, parts)| parts).sum::<u32>());
        }
    }
}
