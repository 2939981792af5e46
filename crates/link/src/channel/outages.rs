//! Times at which nothing gets through. Model page: docs/models/outages.md.

use bentpipe_units::{Duration, Time};

use crate::channel::stratified::StratifiedSampler;
use crate::random::Stream;

/// A duration of outages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct OutageSpec {
    /// How many of so many outages as all weights together last this long.
    pub weight: u32,
    /// From the first instant at which nothing gets through to the first at which something does.
    pub duration_ns: Duration,
}

/// What a silence of a day costs to catch up with stays below a second.
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);

/// When the channel of one direction is out; traffic does not change it.
pub(crate) struct Outages {
    period: Duration,
    /// Where the period after that of the next outage starts.
    following: Time,
    next: Outage,
    /// End of the outages that have started.
    until: Time,
    /// The duration of each stratum.
    durations: Vec<Duration>,
    sampler: StratifiedSampler,
}

/// Nothing gets through from `start` on, and something again at `end`.
struct Outage {
    start: Time,
    end: Time,
}

impl Outages {
    /// The first period starts at `start`.
    pub(crate) fn new(period: Duration, durations: &[OutageSpec], start: Time, stream: &mut Stream) -> Self {
        assert!(period >= SHORTEST_PERIOD, "a period lasts 1 ms at least");
        let strata = durations.iter().flat_map(|kind| (0..kind.weight).map(|_| kind.duration_ns));
        let durations: Vec<Duration> = strata.collect();
        let sampler = StratifiedSampler::new(
            u32::try_from(durations.len()).expect("weights are at most a million together"),
        );
        let next = Outage { start, end: start };
        let mut outages = Self { period, following: start, next, until: start, durations, sampler };
        outages.next = outages.draw(stream);
        outages
    }

    /// Whether an instant, not before those asked for so far, lies in an outage.
    pub(crate) fn cover(&mut self, at: Time, stream: &mut Stream) -> bool {
        while self.next.start <= at {
            self.until = self.until.max(self.next.end);
            self.next = self.draw(stream);
        }
        at < self.until
    }

    /// The outage of the following period: it starts anywhere in it and lasts as long as its stratum says.
    fn draw(&mut self, stream: &mut Stream) -> Outage {
        let start = self.following + self.period.mul_f64(stream.uniform());
        let duration = self.durations[self.sampler.draw(stream) as usize];
        self.following += self.period;
        Outage { start, end: start.saturating_add(duration) }
    }
}
