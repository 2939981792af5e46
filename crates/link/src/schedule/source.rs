//! A schedule that is ready to be asked.

use std::sync::Arc;

use bentpipe_units::{Duration, Rate};

use crate::random::Seed;
use crate::schedule::ScheduleSpec;
use crate::schedule::epochs::Epochs;
use crate::schedule::opportunities::Opportunities;
use crate::schedule::step::{Own, Segment};
use crate::schedule::table::Table;

/// A schedule of one direction; copies are cheap.
#[derive(Clone)]
pub(crate) struct Schedule {
    source: Source,
    own: Own,
}

#[derive(Clone)]
enum Source {
    Table(Arc<Table>),
    Opportunities(Arc<Opportunities>),
    Epochs(Arc<Epochs>),
}

impl Schedule {
    /// Of a spec that was checked.
    pub(crate) fn new(spec: &ScheduleSpec, own: Own, seed: Seed) -> Self {
        let source = match spec {
            ScheduleSpec::Table { rows, period_ns, offset_ns } => {
                Source::Table(Arc::new(Table::new(rows, *period_ns, *offset_ns)))
            }
            ScheduleSpec::Opportunities { per_ms, delays_ns, offset_ns } => {
                Source::Opportunities(Arc::new(Opportunities::new(per_ms, delays_ns, *offset_ns)))
            }
            ScheduleSpec::Epochs(epochs) => Source::Epochs(Arc::new(Epochs::new(epochs, seed))),
        };
        Self { source, own }
    }

    /// The steps around an instant since the start of the workload, which is in the segment's span.
    pub(crate) fn segment(&self, at: Duration) -> Segment {
        match &self.source {
            Source::Table(table) => table.segment(at, self.own),
            Source::Opportunities(opportunities) => opportunities.segment(at, self.own),
            Source::Epochs(epochs) => epochs.segment(at, self.own),
        }
    }

    /// The rate where a silence is left out.
    pub(crate) fn open_rate(&self) -> Rate {
        self.own.rate
    }
}
