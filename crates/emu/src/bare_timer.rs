//! A bare timer on every core beside the link: what the machine is late by whatever the link does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use bentpipe_link::TimerReport;
use bentpipe_units::{Duration, Time};
use hdrhistogram::Histogram;

use crate::{clock, cores};

/// Between two wake-ups. Shorter stalls are seen by chance, and by the link itself where a packet was due in them. At 1 ms
/// the wake-ups themselves made runs late on a virtual machine whose host is busy: 19 of 34 flows of 6 s were invalid,
/// and 12 of 50 with timers of 4 or 10 ms or none, by turns.
const PERIOD: Duration = Duration::from_millis(10);
/// From which lateness on a wake-up is kept with its time: several times that of any wake-up on an idle core (30 to
/// 70 us).
pub(crate) const LEAST_STALL: Duration = Duration::from_micros(200);
/// Of which a timer keeps so many; one that is late more often has a machine that no run can be made on.
const MOST_STALLS: usize = 16_384;

/// Significant digits kept of every value.
const DIGITS: u8 = 3;
/// Longest lateness told apart: ten seconds.
const LONGEST_NS: u64 = 10_000_000_000;

/// An empty histogram of lateness, in nanoseconds.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_max(LONGEST_NS, DIGITS).expect("constant bounds are valid")
}

/// How much of a stall, from one instant to another, lies between a packet's due time and its release.
pub(crate) fn overlap(stall: (Time, Time), packet: (Time, Time)) -> Duration {
    stall.1.min(packet.1).since(stall.0.max(packet.0))
}

/// Timers at work, one on each core that the link may run on.
pub(crate) struct BareTimers {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Seen>>,
    last: LastStalls,
}

/// The last stall of each core, as it is known while the timers are at work.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastStalls(Arc<[LastStall]>);

/// From when to when a core stood still, in nanoseconds; zeros before the first time.
#[derive(Debug, Default)]
struct LastStall {
    from: AtomicU64,
    to: AtomicU64,
}

/// What timers saw between their start and their end.
#[derive(Debug)]
pub(crate) struct Seen {
    late: Histogram<u64>,
    /// When a wake-up was due and when it came, where that was late.
    stalls: Vec<(Time, Time)>,
}

impl BareTimers {
    /// Starts one on each of `cores`. They go before the link where it has a real-time priority: while it is at work, a
    /// timer of no higher one would wait for it, and the machine would seem to be late.
    pub(crate) fn start(cores: &[usize]) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let last = LastStalls(
            (0..=cores.iter().max().copied().unwrap_or(0)).map(|_| LastStall::default()).collect(),
        );
        let threads = cores.iter().map(|&core| {
            let (is_over, last) = (Arc::clone(&is_over), last.clone());
            thread::Builder::new().name(format!("timer-{core}")).spawn(move || watch(core, &is_over, &last))
        });
        // A system that allows no more threads has a run without this watch.
        let threads = threads.filter_map(Result::ok).collect();
        Self { is_over, threads, last }
    }

    /// What they see, as they see it.
    pub(crate) fn last_stalls(&self) -> LastStalls {
        self.last.clone()
    }

    /// Ends them; what they saw.
    pub(crate) fn stop(self) -> Seen {
        self.is_over.store(true, Ordering::Relaxed);
        let mut all = Seen::nothing();
        for thread in self.threads {
            if let Ok(one) = thread.join() {
                all.late.add(&one.late).expect("all have the same bounds");
                all.stalls.extend(one.stalls);
            }
        }
        all
    }
}

impl LastStalls {
    /// When the core that the calling thread is on stood still last, from when to when. A timer goes before the link, so
    /// it has told of a stall by the time that the link is at work again.
    pub(crate) fn here(&self) -> Option<(Time, Time)> {
        // SAFETY: without arguments.
        let core = unsafe { libc::sched_getcpu() };
        let last = self.0.get(usize::try_from(core).ok()?)?;
        // In the order of `tell`, so that a stall that is being told is taken for shorter, not for longer.
        let to = last.to.load(Ordering::Acquire);
        (to > 0).then(|| (Time::from_nanos(last.from.load(Ordering::Acquire)), Time::from_nanos(to)))
    }

    /// Of a machine whose cores all stood still at once.
    #[cfg(test)]
    pub(crate) fn of_every_core(from: Time, to: Time) -> Self {
        let last = Self((0..1024).map(|_| LastStall::default()).collect());
        (0..1024).for_each(|core| last.tell(core, from, to));
        last
    }

    fn tell(&self, core: usize, from: Time, to: Time) {
        if let Some(last) = self.0.get(core) {
            last.from.store(from.as_nanos(), Ordering::Release);
            last.to.store(to.as_nanos(), Ordering::Release);
        }
    }
}

impl Seen {
    fn nothing() -> Self {
        Self { late: histogram(), stalls: Vec::new() }
    }

    /// What the report says of it, beside a packet that was due and handed over at these instants.
    pub(crate) fn report(&self, packet: (Time, Time)) -> TimerReport {
        let beside = |stall: &(Time, Time)| overlap(*stall, packet);
        TimerReport {
            p999: Duration::from_nanos(self.late.value_at_quantile(0.999)),
            max: Duration::from_nanos(self.late.max()),
            beside_latest: self.stalls.iter().map(beside).max().unwrap_or_default(),
        }
    }
}

/// Wakes at fixed instants on a core, and notes how late that was; those that pass meanwhile are one stall with it.
fn watch(core: usize, is_over: &AtomicBool, last: &LastStalls) -> Seen {
    // Best effort: another core's timer is as good a witness of a machine that stands still.
    cores::stay_on(core);
    go_first();
    let mut seen = Seen { stalls: Vec::with_capacity(MOST_STALLS), ..Seen::nothing() };
    let mut due = clock::now();
    while !is_over.load(Ordering::Relaxed) {
        due = due.saturating_add(PERIOD);
        clock::sleep_until(due);
        let now = clock::now();
        let late = now.since(due);
        seen.late.saturating_record(late.as_nanos());
        if late >= LEAST_STALL {
            last.tell(core, due, now);
            if seen.stalls.len() < MOST_STALLS {
                seen.stalls.push((due, now));
            }
        }
        while due.saturating_add(PERIOD) <= now {
            due = due.saturating_add(PERIOD);
            seen.late.saturating_record(now.since(due).as_nanos());
        }
    }
    seen
}

/// Raises this thread's real-time priority by one, where it has one; best effort.
fn go_first() {
    let mut priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: both calls are about this thread, and `priority` outlives them.
    unsafe {
        if libc::sched_getparam(0, &raw mut priority) == 0 && priority.sched_priority > 0 {
            priority.sched_priority += 1;
            libc::sched_setparam(0, &raw const priority);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A timer that was due at 10 ms and woke at 22 ms, and none else.
    fn stalled() -> Seen {
        let at = |ms| Time::ZERO.saturating_add(Duration::from_millis(ms));
        Seen { stalls: vec![(at(10), at(22))], ..Seen::nothing() }
    }

    fn beside(from_ms: u64, to_ms: u64) -> Duration {
        let at = |ms| Time::ZERO.saturating_add(Duration::from_millis(ms));
        stalled().report((at(from_ms), at(to_ms))).beside_latest
    }

    #[test]
    fn of_a_stall_counts_what_a_late_packet_waited_through() {
        assert_eq!(beside(12, 22), Duration::from_millis(10));
        assert_eq!(beside(5, 40), Duration::from_millis(12));
        assert_eq!(beside(21, 30), Duration::from_millis(1));
        assert_eq!(beside(22, 30), Duration::ZERO);
        assert_eq!(beside(1, 9), Duration::ZERO);
    }

    #[test]
    fn the_last_stall_of_this_core_is_known_at_once() {
        let at = |ms| Time::ZERO.saturating_add(Duration::from_millis(ms));
        let last = LastStalls::of_every_core(at(10), at(22));
        assert_eq!(last.here(), Some((at(10), at(22))));
        assert_eq!(LastStalls::default().here(), None);
    }

    /// A busy machine may start their threads late, so only that they wake and are never early holds on any.
    #[test]
    fn timers_wake_once_in_a_period_and_none_is_early() {
        let started = clock::now();
        let timers = BareTimers::start(&cores::allowed());
        let cores = timers.threads.len() as u64;
        thread::sleep(std::time::Duration::from_millis(500));
        let wake_ups = timers.stop().late.len();
        let periods = clock::now().since(started).as_nanos() / PERIOD.as_nanos();
        assert!(wake_ups >= 20, "{wake_ups} on {cores} cores in {periods} periods");
        assert!(wake_ups <= periods * cores, "{wake_ups} on {cores} cores in {periods} periods");
    }
}
