//! How late the link hands packets over, by which a run's validity is judged.

use bentpipe_link::TimerReport;
use bentpipe_run::LatenessReport;
use bentpipe_units::{Duration, Time};
use hdrhistogram::Histogram;

use crate::bare_timer::{LEAST_STALL, LastStalls, Seen, histogram, overlap};

/// By what packets may be late that close connections, once the workload is over: half of the time that the orchestrator
/// waits beyond propagation, and a quarter of the least retransmission timeout (200 ms, `TCP_RTO_MIN`).
const MOST_WHILE_CLOSING: Duration = Duration::from_millis(50);

/// Within this time after a stall the link has read what came during it: its wake-up, and a few hundred packets.
const CATCHING_UP: Duration = Duration::from_micros(300);

/// How late packets were released, actual minus due, and read, where the link was held up as they came.
#[derive(Debug)]
pub(crate) struct Lateness {
    histogram: Histogram<u64>,
    refused: u64,
    /// When the latest packet was due, and when it was released.
    latest: (Time, Time),
    /// Whether the workload is over, so that nothing measured waits for a packet any more.
    is_closing: bool,
    stalls: LastStalls,
    /// Until when the link wanted to sleep, and when it woke, where it last woke late.
    overslept: Option<(Time, Time)>,
    /// How much of what the latest packet waited the link was asleep beyond its time.
    latest_overslept: Duration,
    /// When the link was at work last: read a packet or released one.
    at_work: Time,
    /// Of packets that are read until an instant, right after a stall: since when they may have waited.
    held_up: Option<(Time, Time)>,
}

impl Lateness {
    /// Of a link beside which timers tell of stalls.
    pub(crate) fn beside(stalls: LastStalls) -> Self {
        Self {
            histogram: histogram(),
            refused: 0,
            latest: (Time::ZERO, Time::ZERO),
            is_closing: false,
            stalls,
            overslept: None,
            latest_overslept: Duration::ZERO,
            at_work: Time::ZERO,
            held_up: None,
        }
    }

    /// The link wanted to sleep until an instant, or until a packet came, and woke. Its own sleep is the timer that sees
    /// every stall through which a packet was due.
    pub(crate) fn woke(&mut self, wanted: Time, at: Time) {
        if at.since(wanted) >= LEAST_STALL {
            self.overslept = Some((wanted, at));
        }
    }

    /// A packet was handed over.
    pub(crate) fn released(&mut self, due: Time, actual: Time) {
        self.work(actual);
        self.record(due, actual);
    }

    /// A packet was read. When it came is not known; one that is read right after a stall may have come at its start,
    /// and then its departure is computed too late by as much.
    pub(crate) fn read(&mut self, at: Time) {
        self.work(at);
        if let Some((until, since)) = self.held_up
            && at <= until
        {
            self.record(since, at);
        }
    }

    /// Nothing is left to read: what is read from here on has come since.
    pub(crate) fn caught_up(&mut self) {
        self.held_up = None;
    }

    /// The link is at work; if it has not been for a while, a stall of its core may be why.
    fn work(&mut self, at: Time) {
        if at.since(self.at_work) >= LEAST_STALL {
            let stalls = [self.stalls.here(), self.overslept].into_iter().flatten();
            // One that was over when the link was last at work has held up nothing since.
            self.held_up = stalls
                .filter(|(_, to)| *to > self.at_work)
                .map(|(from, to)| (to.saturating_add(CATCHING_UP), from.max(self.at_work)))
                .filter(|(until, _)| at <= *until)
                .reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)));
        }
        self.at_work = at;
    }

    fn record(&mut self, due: Time, actual: Time) {
        let late = actual.since(due);
        if self.is_closing && late <= MOST_WHILE_CLOSING {
            return;
        }
        self.histogram.saturating_record(late.as_nanos());
        if late > self.latest.1.since(self.latest.0) {
            self.latest = (due, actual);
            self.latest_overslept =
                self.overslept.map_or(Duration::ZERO, |stall| overlap(stall, self.latest));
        }
    }

    /// The receiving device did not take a packet.
    pub(crate) fn refused(&mut self) {
        self.refused += 1;
    }

    /// The workload is over: connections are closed, and no number of the run depends on when.
    pub(crate) fn close(&mut self) {
        self.is_closing = true;
    }

    /// What was counted, beside what timers saw meanwhile.
    pub(crate) fn report(&self, timers: Option<&Seen>) -> LatenessReport {
        let beside = |timers: &Seen| {
            let seen = timers.report(self.latest);
            TimerReport { beside_latest: seen.beside_latest.max(self.latest_overslept), ..seen }
        };
        let quantile = |q| Duration::from_nanos(self.histogram.value_at_quantile(q));
        LatenessReport {
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: Duration::from_nanos(self.histogram.max()),
            count: self.histogram.len(),
            refused: self.refused,
            timer: timers.map(beside),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO.saturating_add(Duration::from_millis(ms))
    }

    #[test]
    fn packets_that_close_connections_count_when_a_retransmission_may_follow() {
        let mut lateness = Lateness::beside(LastStalls::default());
        lateness.released(at(10), at(11));
        lateness.close();
        lateness.released(at(20), at(70));
        assert_eq!((lateness.report(None).count, lateness.histogram.max() / 1_000_000), (1, 1));
        lateness.released(at(20), at(71));
        assert_eq!((lateness.report(None).count, lateness.histogram.max() / 1_000_000), (2, 51));
    }

    /// A link whose core, whichever that is, stood still from 10 ms to 22 ms, and that was at work before at an instant.
    fn held_up(at_work: Time) -> Lateness {
        let stalls = LastStalls::of_every_core(at(10), at(22));
        Lateness { at_work, ..Lateness::beside(stalls) }
    }

    #[test]
    fn packets_that_are_read_right_after_a_stall_may_have_come_at_its_start() {
        let mut lateness = held_up(at(1));
        lateness.read(at(22));
        lateness.read(at(22));
        let found = lateness.report(None);
        assert_eq!((found.count, lateness.histogram.max() / 1_000_000), (2, 12));
        // The next one came when the link was there to read it.
        lateness.read(at(24));
        assert_eq!(lateness.report(None).count, 2);
    }

    #[test]
    fn packets_that_the_link_released_first_hide_no_stall_from_those_it_read_next() {
        let mut lateness = held_up(at(1));
        lateness.released(at(22), at(22));
        lateness.read(at(22));
        assert_eq!((lateness.report(None).count, lateness.histogram.max() / 1_000_000), (2, 12));
    }

    #[test]
    fn a_link_that_was_at_work_until_the_end_of_a_stall_was_on_another_core() {
        let mut lateness = held_up(at(22));
        lateness.read(at(22));
        assert_eq!(lateness.report(None).count, 0);
    }

    #[test]
    fn packets_that_are_read_after_the_link_overslept_may_have_come_when_it_wanted_to_wake() {
        // No timer was due in the stall.
        let mut lateness = Lateness::beside(LastStalls::default());
        lateness.woke(at(10), at(15));
        lateness.read(at(15));
        assert_eq!((lateness.report(None).count, lateness.histogram.max() / 1_000_000), (1, 5));
    }

    #[test]
    fn a_packet_that_comes_once_all_have_been_read_has_waited_for_no_stall() {
        let mut lateness = held_up(at(1));
        lateness.read(at(22));
        lateness.caught_up();
        lateness.read(at(22).saturating_add(Duration::from_micros(150)));
        lateness.read(at(23));
        assert_eq!(lateness.report(None).count, 1);
    }

    #[test]
    fn what_the_latest_packet_waited_while_the_link_overslept_was_not_the_links_work() {
        let mut lateness = Lateness::beside(LastStalls::default());
        lateness.released(at(5), at(6));
        assert_eq!(lateness.latest_overslept, Duration::ZERO);
        lateness.woke(at(9), at(12));
        lateness.released(at(10), at(14));
        assert_eq!(lateness.latest_overslept, Duration::from_millis(2));
        lateness.released(at(20), at(21));
        assert_eq!(lateness.latest_overslept, Duration::from_millis(2));
        lateness.released(at(30), at(38));
        assert_eq!(lateness.latest_overslept, Duration::ZERO);
    }

    #[test]
    fn a_packet_that_is_late_while_connections_are_open_counts() {
        let mut lateness = Lateness::beside(LastStalls::default());
        lateness.released(at(20), at(50));
        lateness.close();
        assert_eq!(lateness.report(None).count, 1);
    }
}
