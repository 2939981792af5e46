//! A schedule by epochs of a constellation. Model page: docs/models/schedule.md.

use std::collections::BTreeSet;

use bentpipe_orbit::{Geometry, GeometrySpec, Route};
use bentpipe_units::{Duration, Rate};

use crate::channel::{QuantileSpec, check_quantiles, quantile};
use crate::random::Seed;
use crate::schedule::capacity_variation::{CapacityVariationSpec, EpochFactors};
use crate::schedule::silence::{Silence, SilenceKindSpec, SilenceSpec};
use crate::schedule::step::{Own, Segment, Step};
use crate::{Direction, SpecError, error::require};

/// Epochs of equal length by the clock of UTC, at whose edges the path may fall silent and its delay and capacity step.
///
/// Edges, silences and delays are drawn for both directions together, capacities for each by itself.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct EpochSpec {
    /// From one edge to the next.
    pub period_ns: Duration,
    /// Edges are at this time of UTC modulo the period.
    pub phase_ns: Duration,
    /// Each edge is moved by a span that is uniform on plus and minus this one.
    pub edge_jitter_ns: Duration,
    /// The workload starts at this instant of Unix time, or later ...
    pub start_unix_ns: u64,
    /// ... by a span that is uniform from zero to this one, drawn from the run's seed.
    pub start_span_ns: Duration,
    /// Silences at the edges.
    pub silence: Option<SilenceSpec>,
    /// How the rate varies around that of the capacity.
    pub capacity: Option<CapacityVariationSpec>,
    /// What is added to the direction's delay.
    pub delay: EpochDelaySpec,
}

/// What an epoch adds to the delay of the direction.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum EpochDelaySpec {
    /// Nothing.
    None,
    /// A value for each epoch.
    Steps {
        /// Its quantile function, linear between the points: at least two, from p = 0 to p = 1, both columns ascending.
        quantiles: Vec<QuantileSpec>,
    },
    /// The way over the satellite that serves, chosen for the middle of the epoch. Where none does the path is out.
    Geometry {
        /// Satellites, dish and gateways.
        geometry: GeometrySpec,
        /// How long a delay holds while the satellite moves on.
        step_ns: Duration,
    },
}

/// The shortest step of a geometry, in which a satellite at 7.5 km/s moves by 75 m.
const SHORTEST_STEP: Duration = Duration::from_millis(10);
/// Epochs that are looked at for the range of delays.
const SAMPLED_EPOCHS: u64 = 240;
/// The shortest epoch: one a millisecond would make a day cost seconds.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);

impl EpochSpec {
    pub(crate) fn sets_rate(&self) -> bool {
        let holds = |silence: &SilenceSpec| silence.state == SilenceKindSpec::Hold;
        self.capacity.is_some() || self.silence.as_ref().is_some_and(holds)
    }

    /// Delays that a direction with this delay of its own has, the shortest and the longest among them; with a geometry
    /// those of the first epochs of a run whose seed is zero, of which none may have a satellite that serves.
    pub(crate) fn delays(&self, own: Duration) -> Vec<Duration> {
        let moved = |offset_ns: i64| Duration::from_nanos(own.as_nanos().saturating_add_signed(offset_ns));
        match &self.delay {
            EpochDelaySpec::None => vec![own],
            EpochDelaySpec::Steps { quantiles } => {
                quantiles.iter().map(|point| moved(point.offset_ns)).collect()
            }
            EpochDelaySpec::Geometry { .. } => {
                let epochs = Epochs::new(self, Seed { run: 0, direction: Direction::Forward });
                let first = epochs.number(epochs.start_ns);
                let additions = (first..first + SAMPLED_EPOCHS).flat_map(|number| {
                    let delay = epochs.delay(number);
                    [epochs.edge(number), epochs.edge(number + 1)].map(|at| delay.at(at))
                });
                additions
                    .filter(|addition| !addition.is_out)
                    .map(|addition| moved(addition.offset_ns))
                    .collect()
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), SpecError> {
        let period = self.period_ns;
        require(period >= SHORTEST_PERIOD, "period_ns", "100000000 at least", period.as_nanos())?;
        let expected = format!("less than the period of {} ns", period.as_nanos());
        require(self.phase_ns < period, "phase_ns", &expected, self.phase_ns.as_nanos())?;
        let most = period.as_nanos() / 4;
        let expected = format!("at most {most} ns, a quarter of the period");
        let jitter = self.edge_jitter_ns.as_nanos();
        require(jitter <= most, "edge_jitter_ns", &expected, jitter)?;
        let latest = i64::MAX as u64 / 2;
        // Numbers of epochs are counted from 1970 on, and the edge before the first has to be there.
        let can_start = (2 * period.as_nanos()..latest).contains(&self.start_unix_ns);
        require(can_start, "start_unix_ns", "an instant from 1971 to 2116", self.start_unix_ns)?;
        let span = self.start_span_ns.as_nanos();
        require(span < latest, "start_span_ns", "less than 146 years", span)?;
        if let Some(silence) = &self.silence {
            silence.check(period).map_err(|error| error.within("silence"))?;
        }
        if let Some(capacity) = &self.capacity {
            capacity.check().map_err(|error| error.within("capacity"))?;
        }
        match &self.delay {
            EpochDelaySpec::None => Ok(()),
            EpochDelaySpec::Steps { quantiles } => {
                check_quantiles(quantiles).map_err(|error| error.within("delay.quantiles"))
            }
            EpochDelaySpec::Geometry { geometry, step_ns } => {
                let step = step_ns.as_nanos();
                require(*step_ns >= SHORTEST_STEP, "delay.step_ns", "10000000 at least", step)?;
                Geometry::new(geometry).map(drop).map_err(|error| error.within("delay.geometry"))
            }
        }
    }
}

/// The epochs of one run and direction. What an epoch is follows from the seed and its number alone.
pub(crate) struct Epochs {
    spec: EpochSpec,
    seed: Seed,
    /// Unix time when the workload starts.
    start_ns: u64,
    /// Where the delay follows from one, with how long a delay holds.
    geometry: Option<(Geometry, Duration)>,
}

/// An instant of Unix time in nanoseconds; before 1970 is before any run.
type UnixNanos = u64;

/// One epoch as it was drawn.
struct Epoch {
    begin: UnixNanos,
    /// From the start of a silence to its end: those of both edges.
    silences: [Option<(UnixNanos, UnixNanos)>; 2],
    factors: Option<EpochFactors>,
    delay: EpochDelay,
}

/// What an epoch adds to the delay of the direction.
enum EpochDelay {
    Fixed { offset_ns: i64 },
    Route { geometry: Geometry, route: Option<Route> },
}

/// The same at an instant.
struct Addition {
    offset_ns: i64,
    elevation_deg: f64,
    /// Whether no satellite serves.
    is_out: bool,
}

impl EpochDelay {
    fn at(&self, at: UnixNanos) -> Addition {
        let (geometry, route) = match self {
            Self::Fixed { offset_ns } => {
                return Addition { offset_ns: *offset_ns, elevation_deg: f64::NAN, is_out: false };
            }
            Self::Route { geometry, route } => (geometry, *route),
        };
        match route.and_then(|route| geometry.at(route, at as i64)) {
            Some(view) => Addition {
                offset_ns: view.delay.as_nanos() as i64,
                elevation_deg: view.elevation_deg,
                is_out: false,
            },
            None => Addition { offset_ns: 0, elevation_deg: f64::NAN, is_out: true },
        }
    }
}

impl Epochs {
    pub(crate) fn new(spec: &EpochSpec, seed: Seed) -> Self {
        let drawn = seed.shared_stream("schedule.start", 0).uniform();
        let start_ns = spec.start_unix_ns + spec.start_span_ns.mul_f64(drawn).as_nanos();
        let geometry = match &spec.delay {
            EpochDelaySpec::Geometry { geometry, step_ns } => {
                Some((Geometry::new(geometry).unwrap_or_else(|error| panic!("{error}")), *step_ns))
            }
            EpochDelaySpec::None | EpochDelaySpec::Steps { .. } => None,
        };
        Self { spec: spec.clone(), seed, start_ns, geometry }
    }

    /// The epoch around an instant since the start of the workload.
    pub(crate) fn segment(&self, at: Duration, own: Own) -> Segment {
        let at = self.start_ns.saturating_add(at.as_nanos());
        let number = self.number(at);
        let (begin, end) = (self.edge(number), self.edge(number + 1));
        let epoch = self.epoch(number);
        let from = begin.max(self.start_ns);
        let mut instants = BTreeSet::from([from]);
        let inside = |instant: &UnixNanos| (from..end).contains(instant);
        instants
            .extend(epoch.silences.iter().flatten().flat_map(|(from, until)| [*from, *until]).filter(inside));
        let variation = self.spec.capacity.as_ref().map(|capacity| capacity.within_step_ns);
        let motion = self.geometry.as_ref().map(|(_, step)| *step);
        for step in variation.into_iter().chain(motion) {
            instants.extend((begin..end).step_by(step.as_nanos() as usize).filter(inside));
        }
        let step =
            |instant: UnixNanos| Step { is_handover: instant == begin, ..self.step(&epoch, instant, own) };
        Segment {
            span: self.since_start(from)..self.since_start(end),
            steps: instants.into_iter().map(step).collect(),
        }
    }

    fn step(&self, epoch: &Epoch, at: UnixNanos, own: Own) -> Step {
        let is_silent = epoch.silences.iter().flatten().any(|(from, until)| (*from..*until).contains(&at));
        let holds = self.spec.silence.as_ref().is_some_and(|spec| spec.state == SilenceKindSpec::Hold);
        let since = Duration::from_nanos(at - epoch.begin);
        let rate = match &epoch.factors {
            Some(factors) => own.rate.mul_f64(factors.at(since)),
            None => own.rate,
        };
        let Addition { offset_ns, elevation_deg, is_out } = epoch.delay.at(at);
        Step {
            from: self.since_start(at),
            rate: if is_silent && holds { Rate::ZERO } else { rate },
            delay: Duration::from_nanos(own.delay.as_nanos().saturating_add_signed(offset_ns)),
            loss: if is_out || is_silent && !holds { 1.0 } else { 0.0 },
            is_silent: is_silent && holds,
            is_handover: false,
            elevation_deg,
        }
    }

    fn epoch(&self, number: u64) -> Epoch {
        let (begin, end) = (self.edge(number), self.edge(number + 1));
        let span = Duration::from_nanos(end - begin);
        Epoch {
            begin,
            silences: [self.silence(number), self.silence(number + 1)],
            factors: self.spec.capacity.as_ref().map(|capacity| {
                capacity.draw(span, &mut self.seed.numbered_stream("schedule.capacity", number))
            }),
            delay: self.delay(number),
        }
    }

    fn delay(&self, number: u64) -> EpochDelay {
        let mut stream = self.seed.shared_stream("schedule.delay", number);
        match (&self.geometry, &self.spec.delay) {
            (Some((geometry, _)), _) => {
                let (begin, end) = (self.edge(number), self.edge(number + 1));
                let route = geometry.choose((begin + (end - begin) / 2) as i64, stream.uniform());
                EpochDelay::Route { geometry: geometry.clone(), route }
            }
            (None, EpochDelaySpec::Steps { quantiles }) => {
                EpochDelay::Fixed { offset_ns: quantile(quantiles, stream.uniform()) }
            }
            (None, _) => EpochDelay::Fixed { offset_ns: 0 },
        }
    }

    /// The silence at the edge with which an epoch begins.
    fn silence(&self, number: u64) -> Option<(UnixNanos, UnixNanos)> {
        let spec = self.spec.silence.as_ref()?;
        let Silence { lead, duration } = spec.draw(&mut self.seed.shared_stream("schedule.silence", number));
        let from = self.edge(number).saturating_sub(lead.as_nanos());
        Some((from, from + duration.as_nanos()))
    }

    /// The number of the epoch in which an instant is.
    fn number(&self, at: UnixNanos) -> u64 {
        // Edges move by a quarter of the period at most: it is this one or one beside it.
        let about = at.saturating_sub(self.spec.phase_ns.as_nanos()) / self.spec.period_ns.as_nanos();
        let around = about.saturating_sub(1)..=about + 1;
        around.rev().find(|number| self.edge(*number) <= at).unwrap_or(0)
    }

    /// When an epoch begins.
    fn edge(&self, number: u64) -> UnixNanos {
        let regular = number * self.spec.period_ns.as_nanos() + self.spec.phase_ns.as_nanos();
        let jitter = self.spec.edge_jitter_ns;
        if jitter == Duration::ZERO {
            return regular;
        }
        let share = self.seed.shared_stream("schedule.edge", number).uniform();
        let moved = Duration::from_nanos(2 * jitter.as_nanos()).mul_f64(share).as_nanos();
        (regular + moved).saturating_sub(jitter.as_nanos())
    }

    fn since_start(&self, at: UnixNanos) -> Duration {
        Duration::from_nanos(at.saturating_sub(self.start_ns))
    }
}
