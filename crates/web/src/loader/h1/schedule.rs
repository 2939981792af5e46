//! Which connection a request goes to.

use std::rc::Rc;

/// Which connection a request goes to: an idle one, else a new one, and only when no more may be opened the one with the
/// fewest requests waiting.
#[derive(Debug)]
pub(super) struct Schedule<C> {
    limits: Limits,
    /// The open connections; one that has just done a request is the last.
    lanes: Vec<Lane<C>>,
}

/// What a client allows itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Connections at once.
    pub(super) connections: usize,
    /// Requests that may wait for their responses on one connection.
    pub(super) pipelining: u32,
    /// The same on one from which no response has come, which may not be able to.
    pub(super) optimistic_pipelining: u32,
    /// Requests on one connection in all.
    pub(super) requests: Option<u32>,
}

/// A place for one request.
#[derive(Debug)]
pub(super) struct Place<C> {
    pub(super) connection: Rc<C>,
    /// How many requests of the connection come before it.
    pub(super) number: u32,
    /// Whether the connection takes no request after it.
    pub(super) is_last: bool,
}

#[derive(Debug)]
struct Lane<C> {
    connection: Rc<C>,
    given: u32,
    waiting: u32,
    /// Whether a response has come.
    has_answered: bool,
    is_closed: bool,
}

impl<C> Schedule<C> {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, lanes: Vec::new() }
    }

    /// The connection that would be taken because it is idle: the one that was busy last.
    pub(super) fn idle(&self) -> Option<&Rc<C>> {
        self.idle_lane().map(|at| &self.lanes[at].connection)
    }

    /// Gives a request its place, on a connection made by `open` where that is due; none while every connection has as
    /// many requests as it may.
    pub(super) fn place(&mut self, open: impl FnOnce() -> C) -> Option<Place<C>> {
        let at = self.idle_lane().or_else(|| self.opened(open)).or_else(|| self.least_lane())?;
        let lane = &mut self.lanes[at];
        let number = lane.given;
        lane.given += 1;
        lane.waiting += 1;
        let is_last = self.limits.requests == Some(lane.given);
        Some(Place { connection: Rc::clone(&lane.connection), number, is_last })
    }

    /// A request has left its place, with its response, or without because the connection is closed.
    pub(super) fn leave(&mut self, connection: &Rc<C>) {
        let Some(at) = self.find(connection) else { return };
        let mut lane = self.lanes.remove(at);
        lane.waiting -= 1;
        lane.has_answered = true;
        if lane.waiting > 0 || lane.is_usable(self.limits) {
            self.lanes.push(lane);
        }
    }

    /// A connection is closed. It counts until all requests have left it, so that they wait again before another takes
    /// its place.
    pub(super) fn close(&mut self, connection: &Rc<C>) {
        let Some(at) = self.find(connection) else { return };
        self.lanes[at].is_closed = true;
        if self.lanes[at].waiting == 0 {
            self.lanes.remove(at);
        }
    }

    fn find(&self, connection: &Rc<C>) -> Option<usize> {
        self.lanes.iter().position(|lane| Rc::ptr_eq(&lane.connection, connection))
    }

    fn usable(&self) -> impl DoubleEndedIterator<Item = (usize, &Lane<C>)> {
        self.lanes.iter().enumerate().filter(|(_, lane)| lane.is_usable(self.limits))
    }

    fn idle_lane(&self) -> Option<usize> {
        self.usable().rfind(|(_, lane)| lane.waiting == 0).map(|(at, _)| at)
    }

    fn opened(&mut self, open: impl FnOnce() -> C) -> Option<usize> {
        if self.lanes.len() >= self.limits.connections {
            return None;
        }
        let connection = Rc::new(open());
        self.lanes.push(Lane { connection, given: 0, waiting: 0, has_answered: false, is_closed: false });
        Some(self.lanes.len() - 1)
    }

    /// The lane with the fewest requests waiting, of equal ones the one that has done none for longest.
    fn least_lane(&self) -> Option<usize> {
        let shallow = self.usable().filter(|(_, lane)| lane.waiting < lane.depth(self.limits));
        shallow.min_by_key(|(_, lane)| lane.waiting).map(|(at, _)| at)
    }
}

impl<C> Lane<C> {
    /// Whether the connection may have another request, now or later.
    fn is_usable(&self, limits: Limits) -> bool {
        !self.is_closed && limits.requests.is_none_or(|most| self.given < most)
    }

    /// Requests that may wait on it at once.
    fn depth(&self, limits: Limits) -> u32 {
        if self.has_answered { limits.pipelining } else { limits.optimistic_pipelining }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// A schedule whose connections are numbers, from 0 in the order in which they are opened.
    struct Numbered {
        schedule: Schedule<usize>,
        opened: usize,
    }

    impl Numbered {
        fn new(connections: usize, pipelining: u32, requests: Option<u32>) -> Self {
            let limits = Limits { connections, pipelining, optimistic_pipelining: pipelining, requests };
            Self { schedule: Schedule::new(limits), opened: 0 }
        }

        fn place(&mut self) -> Option<Place<usize>> {
            let opened = &mut self.opened;
            self.schedule.place(|| {
                *opened += 1;
                *opened - 1
            })
        }

        /// The connections of the next requests.
        fn places(&mut self, requests: usize) -> Vec<Option<usize>> {
            (0..requests).map(|_| self.place().map(|place| *place.connection)).collect()
        }

        fn connection(&self, number: usize) -> Rc<usize> {
            let mut lanes = self.schedule.lanes.iter();
            Rc::clone(&lanes.find(|lane| *lane.connection == number).expect("it is open").connection)
        }

        fn leave(&mut self, number: usize) {
            self.schedule.leave(&self.connection(number));
        }
    }

    #[test]
    fn connections_are_opened_before_requests_wait_behind_one_another() {
        let expected = [Some(0), Some(1), Some(2), Some(0), Some(1), Some(2), None];
        assert_eq!(Numbered::new(3, 2, None).places(7), expected);
    }

    #[test]
    fn a_connection_takes_fewer_requests_until_its_first_response_has_come() {
        let mut schedule = Numbered::new(2, 3, None);
        schedule.schedule.limits.optimistic_pipelining = 2;
        assert_eq!(schedule.places(5), [Some(0), Some(1), Some(0), Some(1), None]);
        schedule.leave(1);
        assert_eq!(schedule.places(3), [Some(1), Some(1), None]);
    }

    #[test]
    fn a_request_goes_where_the_fewest_wait() {
        let mut schedule = Numbered::new(2, 4, None);
        schedule.places(6);
        schedule.leave(1);
        schedule.leave(1);
        assert_eq!(schedule.places(3), [Some(1), Some(1), Some(0)]);
    }

    #[test]
    fn an_idle_connection_is_taken_before_one_is_opened_and_the_latest_first() {
        let mut schedule = Numbered::new(3, 1, None);
        schedule.places(2);
        schedule.leave(1);
        schedule.leave(0);
        assert_eq!(schedule.places(4), [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn a_connection_takes_no_more_than_its_limit_and_counts_until_it_is_done() {
        let mut schedule = Numbered::new(1, 4, Some(2));
        assert!(!schedule.place().unwrap().is_last);
        assert!(schedule.place().unwrap().is_last);
        assert_eq!(schedule.places(1), [None]);
        schedule.leave(0);
        assert_eq!(schedule.places(1), [None]);
        schedule.leave(0);
        assert_eq!(schedule.places(1), [Some(1)]);
    }

    #[test]
    fn a_closed_connection_makes_room_when_its_requests_have_left() {
        let mut schedule = Numbered::new(1, 3, None);
        schedule.places(2);
        let closed = schedule.connection(0);
        schedule.schedule.close(&closed);
        schedule.schedule.leave(&closed);
        assert_eq!(schedule.places(1), [None]);
        schedule.schedule.leave(&closed);
        assert_eq!(schedule.places(1), [Some(1)]);
    }

    proptest! {
        #[test]
        fn no_limit_is_ever_exceeded_and_no_connection_is_left_unused(
            connections in 1..7_usize,
            pipelining in 1..33_u32,
            requests in prop::option::of(1..9_u32),
            steps in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
        ) {
            let mut schedule = Numbered::new(connections, pipelining, requests);
            let mut waiting: BTreeMap<usize, u32> = BTreeMap::new();
            let mut given: BTreeMap<usize, u32> = BTreeMap::new();
            for step in steps {
                while let Some(place) = schedule.place() {
                    let waiting = waiting.entry(*place.connection).or_default();
                    let given = given.entry(*place.connection).or_default();
                    prop_assert_eq!(place.number, *given);
                    (*waiting, *given) = (*waiting + 1, *given + 1);
                    prop_assert!(*waiting <= pipelining);
                    prop_assert!(requests.is_none_or(|most| *given <= most));
                    prop_assert_eq!(place.is_last, requests == Some(*given));
                }
                prop_assert_eq!(waiting.len(), connections);
                let left = *waiting.keys().nth(step.index(connections)).unwrap();
                schedule.leave(left);
                waiting.entry(left).and_modify(|waiting| *waiting -= 1);
                waiting.retain(|_, waiting| *waiting > 0);
            }
        }
    }
}
