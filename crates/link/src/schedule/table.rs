//! A schedule by rows. Model page: docs/models/schedule.md.

use bentpipe_units::{Duration, Rate};

use crate::schedule::step::{Own, Segment, Step};
use crate::schedule::{RowSpec, StateSpec};

/// Rows, once or again and again.
pub(crate) struct Table {
    rows: Vec<RowSpec>,
    period: Option<Duration>,
    offset: Duration,
}

impl Table {
    pub(crate) fn new(rows: &[RowSpec], period: Option<Duration>, offset: Duration) -> Self {
        Self { rows: rows.to_vec(), period, offset }
    }

    /// One turn of it.
    pub(crate) fn segment(&self, at: Duration, own: Own) -> Segment {
        let position = u128::from(self.offset.as_nanos()) + u128::from(at.as_nanos());
        let period = u128::from(self.period.unwrap_or(Duration::MAX).as_nanos());
        let turn = if self.period.is_some() { position / period } else { 0 };
        let since_start = |place: u128| clamped(place.saturating_sub(u128::from(self.offset.as_nanos())));
        let start = turn * period;
        let end = if self.period.is_some() { since_start(start + period) } else { Duration::MAX };
        let steps =
            self.rows.iter().map(|row| step(row, since_start(start + u128::from(row.at_ns.as_nanos())), own));
        // Rows from before the workload would all start at zero: the last of them holds.
        let mut steps: Vec<Step> = steps.collect();
        let past = steps.partition_point(|step| step.from == Duration::ZERO).saturating_sub(1);
        steps.drain(..past);
        Segment { span: since_start(start)..end, steps }
    }
}

fn step(row: &RowSpec, from: Duration, own: Own) -> Step {
    let rate = row.rate_bps.unwrap_or(own.rate);
    Step {
        from,
        rate: if row.state == StateSpec::Silence { Rate::ZERO } else { rate },
        delay: row.delay_ns.unwrap_or(own.delay),
        loss: if row.state == StateSpec::Outage { 1.0 } else { row.loss },
        is_silent: row.state == StateSpec::Silence,
        is_handover: false,
        elevation_deg: f64::NAN,
    }
}

fn clamped(ns: u128) -> Duration {
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}
