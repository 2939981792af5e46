//! What a schedule was over time, as a table. Model page: docs/models/schedule.md.

use bentpipe_units::{Duration, Time};

use crate::random::Seed;
use crate::schedule::step::Step;
use crate::schedule::{Cursor, RowSpec, StateSpec, followed};
use crate::{Direction, INTERVAL, LinkSpec, SpecError, Table, check};

/// The path of a link over time as a run with this seed has it: in rows of 100 ms the columns of the series `path`.
/// The table is empty where no direction has a schedule.
///
/// # Errors
/// When no path can be made of this spec.
pub fn schedule_series(spec: &LinkSpec, seed: u64, span: Duration) -> Result<Table, SpecError> {
    check(spec)?;
    let cursors = Direction::BOTH.map(|direction| started(spec, seed, direction));
    Ok(table(cursors, Time::ZERO, Time::ZERO + span).unwrap_or_default())
}

/// The path of one direction over time as a run with this seed has it, as the rows of a table; a direction without a
/// schedule has one row.
///
/// # Errors
/// When no path can be made of this spec.
pub fn schedule_rows(
    spec: &LinkSpec,
    seed: u64,
    direction: Direction,
    span: Duration,
) -> Result<Vec<RowSpec>, SpecError> {
    check(spec)?;
    let of = spec.direction(direction);
    let own = RowSpec {
        at_ns: Duration::ZERO,
        rate_bps: Some(of.capacity.nominal_bps()),
        delay_ns: Some(of.delay_ns),
        loss: 0.0,
        state: StateSpec::Open,
    };
    let Some(mut cursor) = started(spec, seed, direction) else { return Ok(vec![own]) };
    let mut rows = Vec::new();
    let mut at = Time::ZERO;
    while at < Time::ZERO + span {
        let (step, end) = cursor.at(at);
        let state = match (step.is_silent, step.loss >= 1.0) {
            (true, _) => StateSpec::Silence,
            (false, true) => StateSpec::Outage,
            (false, false) => StateSpec::Open,
        };
        let loss = if state == StateSpec::Open { step.loss } else { 0.0 };
        let (rate_bps, delay_ns) = (Some(step.rate), Some(step.delay));
        rows.push(RowSpec { at_ns: at.since(Time::ZERO), rate_bps, delay_ns, loss, state });
        at = end;
    }
    Ok(rows)
}

/// The schedule of a direction whose workload starts at time zero.
fn started(spec: &LinkSpec, seed: u64, direction: Direction) -> Option<Cursor> {
    let mut cursor = followed(spec.direction(direction), Seed { run: seed, direction })?;
    cursor.mark(Time::ZERO);
    Some(cursor)
}

/// The schedules of the forward and of the return direction from the mark until `now`; none where there is none.
pub(crate) fn table(cursors: [Option<Cursor>; 2], marked: Time, now: Time) -> Option<Table> {
    let [mut forward, mut return_] = cursors;
    if forward.is_none() && return_.is_none() {
        return None;
    }
    let mut table = Table::default();
    let mut begin = marked;
    while begin < now {
        let end = begin.saturating_add(INTERVAL).min(now);
        let bin = |cursor: &mut Option<Cursor>| cursor.as_mut().map(|cursor| Bin::of(cursor, begin, end));
        let (forward, return_) = (bin(&mut forward), bin(&mut return_));
        let either = forward.as_ref().or(return_.as_ref()).expect("one of both has a schedule");
        let value = |bin: &Option<Bin>, of: fn(&Bin) -> f64| bin.as_ref().map_or(f64::NAN, of);
        table.push([
            ("time_s", end.since(Time::ZERO).as_secs_f64()),
            ("handovers", either.handovers),
            ("elevation_deg", either.elevation_deg),
            ("forward_capacity_bps", value(&forward, |bin| bin.capacity_bps)),
            ("forward_delay_s", value(&forward, |bin| bin.delay_s)),
            ("forward_silence_s", value(&forward, |bin| bin.silence_s)),
            ("forward_outage_s", value(&forward, |bin| bin.outage_s)),
            ("return_capacity_bps", value(&return_, |bin| bin.capacity_bps)),
            ("return_delay_s", value(&return_, |bin| bin.delay_s)),
            ("return_silence_s", value(&return_, |bin| bin.silence_s)),
            ("return_outage_s", value(&return_, |bin| bin.outage_s)),
        ]);
        begin = end;
    }
    Some(table)
}

/// A direction from one instant to another.
#[derive(Default)]
struct Bin {
    /// Mean over the time.
    capacity_bps: f64,
    /// At the end.
    delay_s: f64,
    silence_s: f64,
    outage_s: f64,
    handovers: f64,
    elevation_deg: f64,
}

impl Bin {
    fn of(cursor: &mut Cursor, begin: Time, end: Time) -> Self {
        let mut bin = Self::default();
        let mut at = begin;
        while at < end {
            let (step, until) = cursor.at(at);
            let share = until.min(end).since(at);
            bin.add(&step, share, cursor.begins(at));
            at = until.min(end);
        }
        bin.capacity_bps /= end.since(begin).as_secs_f64();
        bin
    }

    fn add(&mut self, step: &Step, share: Duration, begins: bool) {
        let share_s = share.as_secs_f64();
        self.capacity_bps += step.rate.as_bps() as f64 * share_s;
        self.delay_s = step.delay.as_secs_f64();
        self.elevation_deg = step.elevation_deg;
        if step.is_silent {
            self.silence_s += share_s;
        }
        if step.loss >= 1.0 {
            self.outage_s += share_s;
        }
        if begins && step.is_handover {
            self.handovers += 1.0;
        }
    }
}
