//! The kernel's timer wheel (kernel/time/timer.c): timers count in jiffies, and the further away one is the coarser.
//!
//! Retransmissions, probes, delayed acknowledgements and the handshake's repetitions wait in it. What is paced does not, nor
//! do compressed acknowledgements: those are high-resolution timers.

use bentpipe_units::{Duration, Time};

use crate::splitmix::{GOLDEN_GAMMA, mixed};

/// A jiffy (`CONFIG_HZ=250`, as of Debian and of the kernel that judges the endpoint).
pub(crate) const JIFFY: Duration = Duration::from_millis(4);
/// Jiffies to the end of the first level (`LVL_SIZE` - 1); each further level begins at eight times as much.
const FIRST_LEVEL: u64 = 63;
/// Each level is coarser than the one before by this power of two (`LVL_CLK_SHIFT`).
const LEVEL_SHIFT: u32 = 3;
/// The last level (`LVL_DEPTH` - 1).
const LAST_LEVEL: u32 = 8;

/// All levels that TCP's timers reach, up to 120 s (keep-alive reaches further), begin a slot together after so long: 512
/// jiffies.
const SPAN: Duration = Duration::from_nanos(JIFFY.as_nanos() << (3 * LEVEL_SHIFT));

/// A host's timer wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimerWheel {
    /// How long the wheel has turned at time zero.
    before: Duration,
}

impl TimerWheel {
    /// A wheel that has turned for some time at time zero, drawn by a seed.
    #[must_use]
    pub const fn drawn(seed: u64) -> Self {
        // Seeds that are alike are far apart.
        let drawn = mixed(seed.wrapping_add(GOLDEN_GAMMA));
        Self { before: Duration::from_nanos(drawn % SPAN.as_nanos()) }
    }

    /// How many jiffies the wheel has turned (`jiffies`).
    pub(crate) const fn jiffies(self, now: Time) -> u64 {
        now.as_nanos().saturating_add(self.before.as_nanos()) / JIFFY.as_nanos()
    }

    /// What a timestamp says (`tcp_clock_ms`): milliseconds, of which jiffies are whole multiples since Linux 6.4.
    pub(crate) const fn timestamp(self, now: Time) -> u32 {
        (now.as_nanos().saturating_add(self.before.as_nanos()) / 1_000_000) as u32
    }

    /// When a timer expires that is set now: never before `wait` has passed, and up to 8/63 of it and two jiffies later.
    pub(crate) const fn expiry(self, now: Time, wait: Duration) -> Time {
        self.expiry_at(now, self.jiffies(now).saturating_add(jiffies_of(wait)))
    }

    /// When a timer expires that is set now to that jiffy (`calc_index`).
    pub(crate) const fn expiry_at(self, now: Time, expires: u64) -> Time {
        let shift = shift_of(expires.saturating_sub(self.jiffies(now)));
        let slot = (expires >> shift) + 1;
        let expiry = (slot << shift).saturating_mul(JIFFY.as_nanos());
        Time::from_nanos(expiry.saturating_sub(self.before.as_nanos()))
    }

    /// How late a timer may be that is set for so long, however far the wheel has turned: a slot of its level, and the jiffy
    /// that the wait is rounded up to.
    #[must_use]
    pub const fn lateness(wait: Duration) -> Duration {
        let slot = JIFFY.as_nanos() << shift_of(jiffies_of(wait));
        Duration::from_nanos(slot + JIFFY.as_nanos())
    }
}

/// A slot of the level on which a timer waits has this power of two of jiffies.
const fn shift_of(jiffies: u64) -> u32 {
    let mut level = 0;
    while level < LAST_LEVEL && jiffies >= FIRST_LEVEL << (level * LEVEL_SHIFT) {
        level += 1;
    }
    level * LEVEL_SHIFT
}

/// A span as a timer's: whole jiffies, no fewer (`usecs_to_jiffies`).
pub(crate) const fn jiffies_of(span: Duration) -> u64 {
    span.as_nanos().div_ceil(JIFFY.as_nanos())
}

/// A span made that of a timer.
pub(crate) const fn in_jiffies(span: Duration) -> Duration {
    Duration::from_nanos(jiffies_of(span).saturating_mul(JIFFY.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn expires(now_ms: u64, wait_ms: u64) -> u64 {
        TimerWheel::default().expiry(Time::ZERO + ms(now_ms), ms(wait_ms)).as_nanos() / 1_000_000
    }

    /// calc_index: slots of 1 jiffy below 63, of 8 below 504, of 64 below 4032; the slot after the one that the timer falls in.
    #[test]
    fn a_timer_expires_at_the_end_of_its_slot() {
        // 10 jiffies from jiffy 0: jiffy 11.
        assert_eq!(expires(0, 40), 44);
        // 22 ms are 6 jiffies, from within jiffy 1.
        assert_eq!(expires(7, 22), 32);
        // A second is 250 jiffies, in the slot that ends with jiffy 256.
        assert_eq!(expires(0, 1000), 1024);
        // 3 s are 750 jiffies, in the slot that ends with jiffy 768.
        assert_eq!(expires(0, 3000), 3072);
    }

    #[test]
    fn a_timer_is_late_by_a_slot_of_its_level_and_a_jiffy_at_most_and_never_early() {
        for now in (0..5_000).step_by(37) {
            for wait in
                [0, 1, 20, 40, 200, 251, 252, 253, 1_000, 2_015, 2_016, 3_000, 16_127, 16_128, 120_000]
            {
                let late = expires(now, wait) as i64 - (now + wait) as i64;
                let most = TimerWheel::lateness(ms(wait)).as_nanos() / 1_000_000;
                assert!((0..=most as i64).contains(&late), "{now} + {wait}: {late}");
            }
        }
    }

    /// The table at the head of kernel/time/timer.c for HZ 250 (`LVL_START`): 4 ms below 252 ms, 32 ms below 2016 ms, 256 ms
    /// below 16 s, of waits in whole jiffies.
    #[test]
    fn a_timer_may_be_late_by_a_slot_of_its_level_and_a_jiffy() {
        for (wait, late) in [(40, 8), (248, 8), (249, 36), (2_012, 36), (2_016, 260), (16_128, 2_052)] {
            assert_eq!(TimerWheel::lateness(ms(wait)), ms(late), "{wait}");
        }
    }

    #[test]
    fn how_far_the_wheel_has_turned_moves_its_slots() {
        let wheel = TimerWheel { before: ms(20) };
        assert_eq!(wheel.expiry(Time::ZERO, ms(1000)), Time::ZERO + ms(1024 - 20));
    }

    #[test]
    fn a_drawn_wheel_has_turned_less_than_its_levels_span() {
        // 512 jiffies of 4 ms, after which the slots of all levels that are used begin together.
        let turned = (0..200).map(|seed| TimerWheel::drawn(seed).before);
        assert!(turned.clone().all(|before| before < ms(2_048)));
        assert!(
            turned.clone().any(|before| before > ms(1_900)) && turned.clone().any(|before| before < ms(100))
        );
    }

    #[test]
    fn four_ticks_of_the_timestamp_clock_are_a_jiffy() {
        // tick_setup_device of Linux 6.4 and later: tick_next_period is a multiple of TICK_NSEC.
        let (wheel, now) = (TimerWheel::drawn(3), Time::ZERO + ms(1_234));
        assert_eq!(u64::from(wheel.timestamp(now)) / 4, wheel.jiffies(now));
        assert_ne!(wheel.timestamp(now), TimerWheel::drawn(4).timestamp(now));
        assert_eq!(TimerWheel::default().timestamp(now), 1_234);
    }
}
