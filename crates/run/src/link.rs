use bentpipe_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// Drop-tail limit of the queue; the packet in transmission does not count.
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
}

/// Losses on the channel, drawn for each packet after transmission.
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
}
