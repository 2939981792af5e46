//! What the channel loses. Model page: docs/models/loss.md.

use bentpipe_units::{Bytes, Duration, Time};

use crate::OutageSpec;
use crate::channel::outages::Outages;
use crate::random::{Seed, Stream};

/// Losses on the channel, after transmission.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum LossSpec {
    /// None.
    None,
    /// Each packet is lost independently.
    Bernoulli {
        /// Probability of loss.
        p: f64,
    },
    /// Two-state Markov chain stepped once per packet (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// Probability of going from the good to the bad state.
        p: f64,
        /// Probability of going from the bad to the good state.
        r: f64,
        /// Probability that a packet survives in the bad state.
        h: f64,
        /// Probability that a packet survives in the good state.
        k: f64,
    },
    /// Independent bit errors: a packet of n bits survives with (1 - BER)^n.
    BitError {
        /// Bit error ratio.
        ber: f64,
    },
    /// The channel is out now and then and loses all that is sent meanwhile.
    Outages {
        /// One outage begins in each period, at any instant of it; at least 1 ms.
        period_ns: Duration,
        /// How long outages last; at least one, the weights together from one to a million.
        durations: Vec<OutageSpec>,
    },
}

/// The loss process of one direction, asked once per transmitted packet.
pub(crate) struct Loss {
    model: Model,
    stream: Stream,
}

enum Model {
    None,
    Bernoulli { p: f64 },
    GilbertElliott(GilbertElliott),
    BitError { log_bit_survival: f64 },
    Outages(Outages),
}

impl Loss {
    pub(crate) fn new(spec: &LossSpec, seed: Seed, start: Time) -> Self {
        let mut stream = seed.stream("loss");
        let model = match spec {
            LossSpec::None => Model::None,
            LossSpec::Bernoulli { p } => Model::Bernoulli { p: *p },
            &LossSpec::GilbertElliott { p, r, h, k } => {
                Model::GilbertElliott(GilbertElliott::new(p, r, h, k, &mut stream))
            }
            // ln(1 - BER) by log1p: 1 - 1e-17 would round to one.
            LossSpec::BitError { ber } => Model::BitError { log_bit_survival: libm::log1p(-ber) },
            LossSpec::Outages { period_ns, durations } => {
                Model::Outages(Outages::new(*period_ns, durations, start, &mut stream))
            }
        };
        Self { model, stream }
    }

    /// Whether any packet can be lost at all.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self.model, Model::None)
    }

    /// The fate of the next packet, whose transmission ends at `sent`.
    pub(crate) fn takes(&mut self, sent: Time, size: Bytes) -> bool {
        let probability = match &mut self.model {
            Model::None => return false,
            Model::Bernoulli { p } => *p,
            Model::GilbertElliott(chain) => chain.step(&mut self.stream),
            Model::BitError { log_bit_survival } => packet_error(*log_bit_survival, size),
            Model::Outages(outages) => return outages.cover(sent, &mut self.stream),
        };
        self.stream.uniform() < probability
    }
}

/// 1 - (1 - BER)^n for a packet of n bits.
fn packet_error(log_bit_survival: f64, size: Bytes) -> f64 {
    match size.bits() {
        // 0 * ln(0) is not a number at BER 1; an empty packet has no bit to lose.
        0 => 0.0,
        n => -libm::expm1(n as f64 * log_bit_survival),
    }
}

/// Two states with a loss probability each; the chain moves once per packet.
struct GilbertElliott {
    state: State,
    good_to_bad: f64,
    bad_to_good: f64,
    survival_in_bad: f64,
    survival_in_good: f64,
}

#[derive(Clone, Copy)]
enum State {
    Good,
    Bad,
}

impl GilbertElliott {
    /// Starts in the stationary distribution, pi_B = p / (p + r), so that short runs are not biased.
    fn new(p: f64, r: f64, h: f64, k: f64, stream: &mut Stream) -> Self {
        let state = if stream.uniform() * (p + r) < p { State::Bad } else { State::Good };
        Self { state, good_to_bad: p, bad_to_good: r, survival_in_bad: h, survival_in_good: k }
    }

    /// The loss probability of the present packet: 1 - k in the good state, 1 - h in the bad; then moves on.
    fn step(&mut self, stream: &mut Stream) -> f64 {
        let (loss, leave, other) = match self.state {
            State::Good => (1.0 - self.survival_in_good, self.good_to_bad, State::Bad),
            State::Bad => (1.0 - self.survival_in_bad, self.bad_to_good, State::Good),
        };
        if stream.uniform() < leave {
            self.state = other;
        }
        loss
    }
}
