//! How late timers of TCP may expire: those of a kernel wait in its timer wheel, and so do those of the simulated endpoint.

use bentpipe_units::Duration;

/// A tick of a kernel that makes 250 of them each second, as Debian's does (`CONFIG_HZ`).
const TICK: Duration = Duration::from_millis(4);
/// `LVL_SIZE` less one, `LVL_CLK_DIV` (kernel/time/timer.c).
const SLOTS: u64 = 63;
const SLOT_RATIO: u64 = 8;
/// No timer of a script is longer than the slots below this one.
const LONGEST_SLOT: Duration = Duration::from_secs(2);

/// How late a timer may expire that was set to so long.
///
/// Each level of the wheel has slots eight times as long as those of the level below; where one starts is rounded up to a
/// tick.
pub(crate) fn lateness(timer: Duration) -> Duration {
    let mut slot = TICK;
    while timer.as_nanos() >= slot.as_nanos() * SLOTS && slot < LONGEST_SLOT {
        slot = Duration::from_nanos(slot.as_nanos() * SLOT_RATIO);
    }
    slot + TICK
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table at the head of kernel/time/timer.c for HZ 250 (`LVL_START`): 4 ms below 252 ms, 32 ms below 2016 ms, 256 ms
    /// below 16 s.
    #[test]
    fn a_timer_is_late_by_a_slot_of_its_level_and_a_tick() {
        let ms = Duration::from_millis;
        for (timer, late) in [(40, 8), (251, 8), (252, 36), (1_000, 36), (2_016, 260), (16_128, 2_052)] {
            assert_eq!(lateness(ms(timer)), ms(late), "{timer}");
        }
    }
}
