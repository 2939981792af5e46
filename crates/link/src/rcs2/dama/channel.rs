//! Which bursts of the terminal the hub loses: the signal at each of them, and the chance that it leaves.

use bentpipe_units::{Decibel, Time};

use super::ReturnConfig;
use crate::random::Stream;
use crate::rcs2::burst_error;
use crate::signal::EsN0;
use crate::{Direction, EsN0Spec};

/// What the terminal's bursts meet.
pub(super) struct Channel {
    signal: Signal,
    stream: Stream,
}

/// What the hub gets of the terminal's signal.
enum Signal {
    /// Reckoned once: it is asked for at each burst.
    Constant {
        es_n0: Decibel,
        error: f64,
    },
    Fading {
        es_n0: EsN0,
        threshold: Decibel,
    },
}

impl Channel {
    pub(super) fn new(config: &ReturnConfig, seed: u64) -> Self {
        let (es_n0, threshold) = (EsN0::new(&config.es_n0), config.threshold);
        let signal = if is_constant(&config.es_n0) {
            let es_n0 = es_n0.at(Time::ZERO);
            Signal::Constant { es_n0, error: burst_error(threshold, es_n0) }
        } else {
            Signal::Fading { es_n0, threshold }
        };
        Self { signal, stream: Stream::new(seed, Direction::Return, "burst") }
    }

    /// Whether a burst arrives that starts at `at`.
    pub(super) fn passes(&mut self, at: Time) -> bool {
        let error = match &self.signal {
            Signal::Constant { error, .. } => *error,
            Signal::Fading { es_n0, threshold } => burst_error(*threshold, es_n0.at(at)),
        };
        // Drawn for every burst, so that a change of the probability moves no later draw.
        self.stream.uniform() >= error
    }

    pub(super) fn es_n0(&self, at: Time) -> Decibel {
        match &self.signal {
            Signal::Constant { es_n0, .. } => *es_n0,
            Signal::Fading { es_n0, .. } => es_n0.at(at),
        }
    }

    /// The workload starts, and with it the attenuation.
    pub(super) fn mark(&mut self, now: Time) {
        if let Signal::Fading { es_n0, .. } = &mut self.signal {
            es_n0.set_origin(now);
        }
    }
}

fn is_constant(spec: &EsN0Spec) -> bool {
    [&spec.up, &spec.down].iter().all(|leg| leg.attenuation.points.len() <= 1)
}
