//! What a schedule says of an instant, and until when.

use std::ops::Range;

use bentpipe_units::{Duration, Rate};

/// What a direction is where its schedule says nothing.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    pub(crate) rate: Rate,
    pub(crate) delay: Duration,
}

/// What holds in one direction for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// From when on, since the start of the workload.
    pub(crate) from: Duration,
    /// At which packets are sent; zero in a silence.
    pub(crate) rate: Rate,
    /// One way.
    pub(crate) delay: Duration,
    /// Probability that a packet is lost whose transmission ends here; one in an outage.
    pub(crate) loss: f64,
    /// Whether nothing is sent because the path is silent, not because its rate is zero.
    pub(crate) is_silent: bool,
    /// Whether it is the first of an epoch.
    pub(crate) is_handover: bool,
    /// Of the satellite that serves, over the horizon of the user; NaN where there is none to tell.
    pub(crate) elevation_deg: f64,
}

/// Steps without a gap between two instants.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Since the start of the workload; the first step starts at `span.start` or before it.
    pub(crate) span: Range<Duration>,
    /// At least one, in order of time.
    pub(crate) steps: Vec<Step>,
}

impl Segment {
    /// The index of the step that holds at an instant of this segment.
    pub(crate) fn index(&self, at: Duration) -> usize {
        self.steps.partition_point(|step| step.from <= at).saturating_sub(1)
    }

    /// When a step of it ends.
    pub(crate) fn end_of(&self, index: usize) -> Duration {
        self.steps.get(index + 1).map_or(self.span.end, |next| next.from)
    }
}
