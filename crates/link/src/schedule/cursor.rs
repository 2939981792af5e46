//! A place in a schedule that moves on with time.

use std::sync::Arc;

use bentpipe_units::{Duration, Rate, Time};

use crate::schedule::source::Schedule;
use crate::schedule::step::{Segment, Step};

/// A place in a schedule. It is cheap to go on from and may go back; copies are cheap, and are made for each packet
/// that comes to a queue which is limited by time.
#[derive(Clone)]
pub(crate) struct Cursor {
    schedule: Schedule,
    /// When the workload started; none before.
    origin: Option<Time>,
    segment: Arc<Segment>,
    index: usize,
    /// No rate is above this.
    most: Rate,
}

impl Cursor {
    /// At time zero, which lasts until [`Cursor::mark`].
    pub(crate) fn new(schedule: Schedule, most: Rate) -> Self {
        let segment = Arc::new(schedule.segment(Duration::ZERO));
        let index = segment.index(Duration::ZERO);
        Self { schedule, origin: None, segment, index, most }
    }

    /// The workload starts: from here on time counts.
    pub(crate) fn mark(&mut self, now: Time) {
        self.origin = Some(now);
    }

    /// What holds at an instant, and when it ends, which may be never ([`Time::MAX`]).
    pub(crate) fn at(&mut self, at: Time) -> (Step, Time) {
        let Some(origin) = self.origin else {
            return (opened(&self.schedule, self.step()), Time::MAX);
        };
        let since = at.since(origin);
        self.go_to(since);
        let end = match self.segment.end_of(self.index) {
            Duration::MAX => Time::MAX,
            end => origin.saturating_add(end),
        };
        (self.step(), end)
    }

    /// Whether the step that holds at an instant, which was asked for last, begins there.
    pub(crate) fn begins(&self, at: Time) -> bool {
        self.origin.is_some_and(|origin| self.step().from == at.since(origin))
    }

    fn go_to(&mut self, since: Duration) {
        if !self.segment.span.contains(&since) && since < Duration::MAX {
            self.segment = Arc::new(self.schedule.segment(since));
            self.index = self.segment.index(since);
        } else if self.step().from > since {
            self.index = self.segment.index(since);
        } else {
            // Almost always the present step or one of the next.
            while self.segment.end_of(self.index) <= since && self.index + 1 < self.segment.steps.len() {
                self.index += 1;
            }
        }
    }

    fn step(&self) -> Step {
        let step = self.segment.steps[self.index];
        Step { rate: step.rate.min(self.most), ..step }
    }
}

/// The step as it is before the workload, when worlds warm up: neither silent nor out.
fn opened(schedule: &Schedule, step: Step) -> Step {
    let rate = if step.rate == Rate::ZERO { schedule.open_rate() } else { step.rate };
    Step { rate, loss: 0.0, is_silent: false, ..step }
}
