//! The schedule that a direction follows.

use bentpipe_units::Rate;

use crate::DirectionSpec;
use crate::random::Seed;
use crate::schedule::Cursor;
use crate::schedule::source::Schedule;
use crate::schedule::step::Own;

/// The schedule of a direction before its workload starts; none where it has none.
pub(crate) fn followed(direction: &DirectionSpec, seed: Seed) -> Option<Cursor> {
    let spec = direction.schedule.as_ref()?;
    let nominal = direction.capacity.nominal_bps();
    let schedule = Schedule::new(spec, Own { rate: nominal, delay: direction.delay_ns }, seed);
    // Nobody gets more of a carrier than all of it.
    let most = if direction.capacity.is_constant() { Rate::MAX } else { nominal };
    Some(Cursor::new(schedule, most))
}
