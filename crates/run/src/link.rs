use bentpipe_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Dvbs2Spec, Rcs2Spec};

/// A path between client and server: two directions with settings of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The preset's name, or `custom`.
    pub name: String,
    /// Largest IP packet.
    pub mtu_bytes: Bytes,
    /// Server to client: gateway, satellite, terminal.
    pub forward: DirectionSpec,
    /// Client to server: terminal, satellite, gateway.
    #[serde(rename = "return")]
    pub return_: DirectionSpec,
}

/// One direction: queue, capacity, loss, then propagation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectionSpec {
    /// When the next packet may leave.
    pub capacity: CapacitySpec,
    /// Propagation delay, one way.
    pub delay_ns: Duration,
    /// Delay variation added to the propagation delay; never reorders.
    pub jitter: JitterSpec,
    /// Waiting room before the transmitter.
    pub queue: QueueSpec,
    /// Losses on the channel.
    pub loss: LossSpec,
}

/// The transmitter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CapacitySpec {
    /// A constant rate of IP bytes, exact to the byte.
    Constant {
        /// Bits of IP packets per second.
        rate_bps: Rate,
    },
    /// Frames of a DVB-S2 carrier.
    Dvbs2(Box<Dvbs2Spec>),
    /// Timeslots of a DVB-RCS2 return link, assigned on demand.
    Rcs2(Box<Rcs2Spec>),
}

impl CapacitySpec {
    /// Whether it is a constant rate.
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant { .. })
    }

    /// The rate of IP packets by which the utilisation is reckoned.
    pub fn nominal_bps(&self) -> Rate {
        match self {
            Self::Constant { rate_bps } => *rate_bps,
            Self::Dvbs2(carrier) => carrier.nominal_bps,
            Self::Rcs2(return_link) => return_link.nominal_bps,
        }
    }
}

/// Random variation of the propagation delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum JitterSpec {
    /// The delay is constant.
    None,
    /// Normally distributed around the delay, cut off where the delay would be negative.
    Normal {
        /// Standard deviation.
        sd_ns: Duration,
    },
    /// Of any distribution, and constant for a while at a time.
    Empirical {
        /// The quantile function, linear between its points: at least two, from p = 0 to p = 1, both columns ascending.
        quantiles: Vec<QuantileSpec>,
        /// How long a value holds before the next one is drawn; at least 1 ms.
        hold_ns: Duration,
    },
}

/// A point of a quantile function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuantileSpec {
    /// Probability of a smaller value.
    pub p: f64,
    /// What is added to the delay.
    pub offset_ns: i64,
}

/// Limit of the queue, and what is dropped below it; the packet in transmission does not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum QueueSpec {
    /// At most so many bytes wait.
    Bytes {
        /// Sum of the lengths of waiting packets.
        limit_bytes: Bytes,
    },
    /// At most so many packets wait.
    Packets {
        /// Number of waiting packets.
        limit_packets: u64,
    },
    /// A packet that would wait longer than this is dropped on arrival.
    Time {
        /// Wait before transmission starts.
        limit_ns: Duration,
    },
    /// Arriving packets are dropped at random once more than `start_bytes` wait.
    RandomEarlyDrop {
        /// Sum of the lengths of waiting packets; above it every packet is dropped.
        limit_bytes: Bytes,
        /// Below it no packet is dropped.
        start_bytes: Bytes,
        /// Probability of a drop as the queue reaches its limit; it rises in proportion from `start_bytes` on.
        p: f64,
    },
    /// Packets that waited too long for too long are dropped as they leave (RFC 8289).
    Codel {
        /// Sum of the lengths of waiting packets; above it every packet is dropped on arrival.
        limit_bytes: Bytes,
        /// Acceptable wait.
        target_ns: Duration,
        /// How long the wait may exceed the target; of the order of the round trip.
        interval_ns: Duration,
    },
}

/// Losses on the channel, after transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
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

/// A duration of outages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutageSpec {
    /// How many of so many outages as all weights together last this long.
    pub weight: u32,
    /// From the first instant at which nothing gets through to the first at which something does.
    pub duration_ns: Duration,
}
