//! A schedule by chances to send per millisecond. Model page: docs/models/schedule.md.

use std::ops::Range;

use bentpipe_units::{Bytes, Duration, Rate};

use crate::schedule::config::{DELAY_STEP, OPPORTUNITY_BYTES, OPPORTUNITY_STEP};
use crate::schedule::step::{Own, Segment, Step};

/// What has no opportunity for so long is silent: LeoCC's example pauses for 59 ms and more at the edges of slots, and
/// for 25 ms at most elsewhere.
const SHORTEST_SILENCE_MS: usize = 40;
/// Milliseconds that are made steps of at a time.
const CHUNK: u64 = 1024;

/// Counts per millisecond, again and again, and delays beside them.
pub(crate) struct Opportunities {
    per_ms: Vec<u32>,
    delays: Vec<Duration>,
    offset: Duration,
    /// Milliseconds of each silence, in order.
    silences: Vec<Range<u64>>,
}

impl Opportunities {
    pub(crate) fn new(per_ms: &[u32], delays: &[Duration], offset: Duration) -> Self {
        Self { per_ms: per_ms.to_vec(), delays: delays.to_vec(), offset, silences: silences(per_ms) }
    }

    /// The chunk of milliseconds around an instant, or what of it is in one turn.
    pub(crate) fn segment(&self, at: Duration, own: Own) -> Segment {
        let step_ns = OPPORTUNITY_STEP.as_nanos();
        let turn_ms = self.per_ms.len() as u64;
        let position = u128::from(self.offset.as_nanos()) + u128::from(at.as_nanos());
        let ms = position / u128::from(step_ns);
        let place = u64::try_from(ms % u128::from(turn_ms)).expect("less than a turn");
        let first = place / CHUNK * CHUNK;
        let last = (first + CHUNK).min(turn_ms);
        let start = ms - u128::from(place - first);
        let begins = |index: u64| {
            let ns = (start + u128::from(index - first)) * u128::from(step_ns);
            let since = ns.saturating_sub(u128::from(self.offset.as_nanos()));
            Duration::from_nanos(u64::try_from(since).unwrap_or(u64::MAX))
        };
        let mut steps: Vec<Step> = (first..last).map(|index| self.step(index, begins(index), own)).collect();
        let past = steps.partition_point(|step| step.from == Duration::ZERO).saturating_sub(1);
        steps.drain(..past);
        Segment { span: begins(first)..begins(last), steps }
    }

    fn step(&self, index: u64, from: Duration, own: Own) -> Step {
        let volume = Bytes::new(u64::from(self.per_ms[index as usize]) * OPPORTUNITY_BYTES);
        let nth = (index * OPPORTUNITY_STEP.as_nanos() / DELAY_STEP.as_nanos()) as usize;
        let delay = self.delays.get(nth).or(self.delays.last()).copied();
        Step {
            from,
            rate: Rate::of(volume, OPPORTUNITY_STEP),
            delay: delay.unwrap_or(own.delay),
            loss: 0.0,
            is_silent: self.is_silent(index),
            is_handover: false,
            elevation_deg: f64::NAN,
        }
    }

    fn is_silent(&self, index: u64) -> bool {
        let next = self.silences.partition_point(|silence| silence.end <= index);
        self.silences.get(next).is_some_and(|silence| silence.contains(&index))
    }
}

fn silences(per_ms: &[u32]) -> Vec<Range<u64>> {
    let mut begin = 0;
    let runs = per_ms.chunk_by(|one, next| (*one == 0) == (*next == 0)).map(|run| {
        let span = begin..begin + run.len() as u64;
        begin = span.end;
        (run, span)
    });
    runs.filter(|(run, _)| run[0] == 0 && run.len() >= SHORTEST_SILENCE_MS).map(|(_, span)| span).collect()
}
