//! Hosts that fall asleep when they have nothing to do, and wake late.

use std::cell::Cell;
use std::sync::Arc;

use bentpipe_run::{RunSpec, WakeupStep};
use bentpipe_units::{Duration, Time};

use crate::clock::Clock;
use crate::host::id::HostId;

/// Which hosts' tasks may run.
///
/// A host that has had nothing to do for an instant sleeps. What comes over the link, or a timer, wakes it a latency later:
/// a processor leaves its idle state, and a thread returns from `epoll_wait`. What comes over a LAN segment finds it awake:
/// there a task sends one thing after the other in no time, and the latency would have them read as one.
pub(crate) struct Wakefulness {
    clock: Arc<Clock>,
    /// By how long a host slept, the shortest first; none where hosts never sleep.
    latency: Vec<WakeupStep>,
    hosts: [Cell<State>; HostId::ALL.len()],
}

#[derive(Clone, Copy)]
enum State {
    Awake,
    Asleep { since: Time },
    Waking { until: Time },
}

impl Wakefulness {
    /// All hosts awake, as a run begins.
    pub(crate) fn of(spec: &RunSpec, clock: Arc<Clock>) -> Self {
        let latency = spec.host.as_ref().and_then(|hosts| hosts.wakeup_latency.clone());
        Self::new(latency.unwrap_or_default(), clock)
    }

    pub(crate) const fn new(latency: Vec<WakeupStep>, clock: Arc<Clock>) -> Self {
        Self { clock, latency, hosts: [const { Cell::new(State::Awake) }; HostId::ALL.len()] }
    }

    /// Whether a host that has something to do may do it. If not it wakes, and the clock stops when it has.
    pub(crate) fn is_awake(&self, host: HostId) -> bool {
        let (state, now) = (&self.hosts[host as usize], self.clock.now());
        let until = match state.get() {
            State::Awake => return true,
            State::Waking { until } => until,
            State::Asleep { since } => {
                let until = now + self.latency_after(now.since(since));
                self.clock.wake_at(until);
                until
            }
        };
        let is_awake = until <= now;
        state.set(if is_awake { State::Awake } else { State::Waking { until } });
        is_awake
    }

    /// A host has nothing to do.
    pub(crate) fn sleep(&self, host: HostId) {
        let state = &self.hosts[host as usize];
        if !self.latency.is_empty() && matches!(state.get(), State::Awake) {
            state.set(State::Asleep { since: self.clock.now() });
        }
    }

    /// A host is awake, until it has nothing to do.
    pub(crate) fn rouse(&self, host: HostId) {
        self.hosts[host as usize].set(State::Awake);
    }

    /// None within an instant: nobody falls asleep so fast.
    fn latency_after(&self, slept: Duration) -> Duration {
        let reached = self.latency.iter().rfind(|step| step.slept_ns <= slept);
        reached.filter(|_| slept > Duration::ZERO).map_or(Duration::ZERO, |step| step.latency_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(50);
    const LONG: Duration = Duration::from_micros(90);

    fn hosts_that_sleep() -> (Wakefulness, Arc<Clock>) {
        let clock = Arc::<Clock>::default();
        let steps = vec![
            WakeupStep { slept_ns: Duration::ZERO, latency_ns: SHORT },
            WakeupStep { slept_ns: Duration::from_millis(20), latency_ns: LONG },
        ];
        (Wakefulness::new(steps, Arc::clone(&clock)), clock)
    }

    /// What a host is late that is woken after so long.
    fn latency_after(slept: Duration) -> Duration {
        let (hosts, clock) = hosts_that_sleep();
        hosts.sleep(HostId::Client);
        let woken = Time::ZERO + slept;
        clock.set_now(woken);
        assert!(!hosts.is_awake(HostId::Client));
        let awake = clock.next().unwrap();
        clock.set_now(awake);
        assert!(hosts.is_awake(HostId::Client));
        awake.since(woken)
    }

    #[test]
    fn a_host_wakes_the_later_the_longer_it_slept() {
        assert_eq!(latency_after(Duration::from_nanos(1)), SHORT);
        assert_eq!(latency_after(Duration::from_nanos(19_999_999)), SHORT);
        assert_eq!(latency_after(Duration::from_millis(20)), LONG);
        assert_eq!(latency_after(Duration::from_secs(5)), LONG);
    }

    #[test]
    fn what_comes_while_a_host_wakes_does_not_put_it_off() {
        let (hosts, clock) = hosts_that_sleep();
        hosts.sleep(HostId::Server);
        clock.set_now(Time::ZERO + Duration::from_millis(1));
        for late in [Duration::ZERO, SHORT / 2] {
            clock.set_now(Time::ZERO + Duration::from_millis(1) + late);
            assert!(!hosts.is_awake(HostId::Server));
        }
        clock.set_now(Time::ZERO + Duration::from_millis(1) + SHORT);
        assert!(hosts.is_awake(HostId::Server));
    }

    #[test]
    fn nobody_falls_asleep_within_an_instant() {
        let (hosts, _clock) = hosts_that_sleep();
        hosts.sleep(HostId::Client);
        assert!(hosts.is_awake(HostId::Client));
    }

    #[test]
    fn a_host_that_is_roused_is_awake_at_once_and_others_are_not() {
        let (hosts, clock) = hosts_that_sleep();
        hosts.sleep(HostId::Gateway);
        hosts.sleep(HostId::Server);
        clock.set_now(Time::ZERO + Duration::from_millis(1));
        hosts.rouse(HostId::Gateway);
        assert!(hosts.is_awake(HostId::Gateway));
        assert!(!hosts.is_awake(HostId::Server));
    }
}
