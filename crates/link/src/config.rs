//! A link as its spec asks for it: checked, and in the terms of the link's parts.

use bentpipe_units::{Bytes, Duration, Rate};

use crate::checks::{check_mtu, check_queue, check_room};
use crate::dvbs2::{Carrier, config as dvbs2};
use crate::error::require;
use crate::rcs2::config as rcs2;
use crate::rcs2::dama::ReturnConfig;
use crate::{Direction, Dvbs2Spec, JitterSpec, LossSpec, QueueSpec, Rcs2Spec, ScheduleSpec, SpecError};

/// A path between client and server: two directions with settings of their own.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LinkSpec {
    /// The preset's name, or `custom`.
    pub name: String,
    /// Largest IP packet.
    pub mtu_bytes: Bytes,
    /// Gateway, satellite, terminal: from server to client, if these are where they mostly are.
    pub forward: DirectionSpec,
    /// Terminal, satellite, gateway.
    #[cfg_attr(feature = "serde", serde(rename = "return"))]
    pub return_: DirectionSpec,
}

impl LinkSpec {
    /// The settings of a direction.
    pub const fn direction(&self, way: Direction) -> &DirectionSpec {
        match way {
            Direction::Forward => &self.forward,
            Direction::Return => &self.return_,
        }
    }

    /// Whether the path changes over time by a schedule.
    pub const fn is_scheduled(&self) -> bool {
        self.forward.schedule.is_some() || self.return_.schedule.is_some()
    }
}

/// One direction: queue, capacity, loss, then propagation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DirectionSpec {
    /// When the next packet may leave.
    pub capacity: CapacitySpec,
    /// Propagation delay, one way.
    pub delay_ns: Duration,
    /// Delay variation added to the propagation delay; never reorders.
    pub jitter: JitterSpec,
    /// Queue before the transmitter.
    pub queue: QueueSpec,
    /// Losses on the channel.
    pub loss: LossSpec,
    /// How capacity and propagation change over time; they stand still where there is none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub schedule: Option<ScheduleSpec>,
}

/// The transmitter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
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

/// The capacity of a direction, checked, and in the terms of the parts that it is made of.
pub(crate) enum Capacity<'a> {
    Constant(Rate),
    Dvbs2(&'a Dvbs2Spec, Carrier),
    Rcs2(&'a Rcs2Spec, ReturnConfig),
}

/// Whether a path can be made of this spec.
///
/// # Errors
/// When a satellite carrier cannot be as its spec says.
pub fn check(spec: &LinkSpec) -> Result<(), SpecError> {
    capacities(spec).map(drop)
}

/// The capacities of the forward and of the return direction.
///
/// # Errors
/// When a satellite carrier cannot be as its spec says.
pub(crate) fn capacities(spec: &LinkSpec) -> Result<[Capacity<'_>; 2], SpecError> {
    for way in Direction::BOTH {
        check_schedule(spec.direction(way)).map_err(|error| error.within(way.name()))?;
        let queue = check_queue(&spec.direction(way).queue);
        queue.map_err(|error| error.within(&format!("{}.queue", way.name())))?;
    }
    let (forward, return_, mtu) = (&spec.forward, &spec.return_, spec.mtu_bytes);
    let forward = match &forward.capacity {
        CapacitySpec::Constant { rate_bps } => Capacity::Constant(*rate_bps),
        CapacitySpec::Dvbs2(carrier) => {
            let within = |error: SpecError| error.within("forward.capacity");
            check_mtu(mtu, dvbs2::largest_packet(carrier).map_err(within)?)?;
            let checked = dvbs2::carrier(carrier, mtu).map_err(within)?;
            check_room(&forward.queue, mtu).map_err(|error| error.within("forward.queue"))?;
            Capacity::Dvbs2(carrier, checked)
        }
        CapacitySpec::Rcs2(_) => return Err(SpecError::new("forward.capacity", "constant or dvbs2", "rcs2")),
    };
    let return_ = match &return_.capacity {
        CapacitySpec::Constant { rate_bps } => Capacity::Constant(*rate_bps),
        CapacitySpec::Dvbs2(_) => {
            return Err(SpecError::new("return.capacity", "constant or rcs2", "dvbs2"));
        }
        CapacitySpec::Rcs2(terminal) => {
            let within = |error: SpecError| error.within("return.capacity");
            check_mtu(mtu, rcs2::largest_packet(terminal).map_err(within)?)?;
            let config = rcs2::return_config(terminal, &return_.queue, mtu).map_err(within)?;
            check_room(&return_.queue, mtu).map_err(|error| error.within("return.queue"))?;
            Capacity::Rcs2(terminal, config)
        }
    };
    Ok([forward, return_])
}

fn check_schedule(direction: &DirectionSpec) -> Result<(), SpecError> {
    let Some(schedule) = &direction.schedule else { return Ok(()) };
    schedule.check().map_err(|error| error.within("schedule"))?;
    let is_on_demand = matches!(direction.capacity, CapacitySpec::Rcs2(_));
    let can_follow = !is_on_demand || !schedule.sets_rate();
    let expected = "delays, losses and outages alone, before slots that are assigned on demand";
    require(can_follow, "schedule", expected, "rates or silences")
}

/// The rate of IP packets of `mtu` bytes in clear sky, one after the other.
///
/// # Errors
/// When a satellite carrier cannot be as its spec says.
pub fn nominal_rate(capacity: &CapacitySpec, mtu: Bytes) -> Result<Rate, SpecError> {
    match capacity {
        CapacitySpec::Constant { rate_bps } => Ok(*rate_bps),
        CapacitySpec::Dvbs2(carrier) => {
            check_mtu(mtu, dvbs2::largest_packet(carrier)?)?;
            dvbs2::nominal_rate(carrier, mtu)
        }
        CapacitySpec::Rcs2(return_link) => {
            check_mtu(mtu, rcs2::largest_packet(return_link)?)?;
            rcs2::nominal_rate(return_link, mtu)
        }
    }
}
