//! One-way delays by two clocks of which nobody knows how far they are apart.

use crate::RecordingError;
use crate::probes::{Fate, Probe};

/// Shifts the delays of both directions against each other until their least ones are equal, which leaves every round
/// trip as it is: the clocks of client and server have an offset that nothing tells, and a path in two directions of
/// equal length is the likeliest.
pub(crate) fn remove_clock_offset(probes: &mut [Probe]) -> Result<(), RecordingError> {
    let least_forward = probes.iter().filter_map(|probe| probe.forward.delay()).min();
    let least_return = probes.iter().filter_map(|probe| probe.return_.delay()).min();
    let (Some(forward), Some(return_)) = (least_forward, least_return) else {
        return Err(RecordingError::new("a round trip that was not lost", "none"));
    };
    if forward + return_ < 0 {
        let expected = "clocks whose offset stands still: least delays of both directions with a sum above 0";
        return Err(RecordingError::new(expected, format!("{} ns", forward + return_)));
    }
    let half = (forward + return_) / 2;
    let shifted = |fate: Fate, by: i128| fate.delay().map_or(fate, |delay| Fate::Arrived(delay - by));
    for probe in probes {
        probe.forward = shifted(probe.forward, forward - half);
        probe.return_ = shifted(probe.return_, half - forward);
    }
    Ok(())
}
