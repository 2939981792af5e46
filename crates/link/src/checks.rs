//! Whether values of a spec can be, by themselves.

use std::collections::BTreeSet;

use bentpipe_units::{Bytes, Duration};

use crate::error::require;
use crate::{ClassSpec, Dualpi2Spec, EsN0Spec, LegSpec, QueueSpec, SpecError};

pub(crate) fn check_classes<'a>(
    classes: impl IntoIterator<Item = &'a ClassSpec>,
    mtu: Bytes,
) -> Result<(), SpecError> {
    let mut names = BTreeSet::from(["other"]);
    let mut code_points = BTreeSet::new();
    for (index, class) in classes.into_iter().enumerate() {
        let field = |name| format!("classes[{index}].{name}");
        if class.name.is_empty() || !names.insert(&class.name) {
            return Err(SpecError::new(field("name"), "a name of its own, and not \"other\"", &class.name));
        }
        if let Some(dscp) = class.dscp.iter().find(|dscp| !code_points.insert(**dscp)) {
            return Err(SpecError::new(field("dscp"), "each code point in one class", dscp.get()));
        }
        let checked = check_queue(&class.queue).and_then(|()| check_room(&class.queue, mtu));
        checked.map_err(|error| error.within(&field("queue")))?;
    }
    Ok(())
}

/// Whether a queue takes a packet. Before a carrier each packet waits, if only until its frame or its burst
/// starts, so that one without room would let nothing through. A limit in time refuses nobody when nobody waits.
pub(crate) fn check_room(queue: &QueueSpec, longest: Bytes) -> Result<(), SpecError> {
    match *queue {
        QueueSpec::Bytes { limit_bytes }
        | QueueSpec::RandomEarlyDrop { limit_bytes, .. }
        | QueueSpec::Codel { limit_bytes, .. } => check_limit("limit_bytes", limit_bytes, longest),
        QueueSpec::Dualpi2(Dualpi2Spec { limit_bytes, .. }) => {
            check_limit("limit_bytes", limit_bytes, longest)
        }
        QueueSpec::Packets { limit_packets: 0 } => Err(SpecError::new("limit_packets", "1 at least", 0)),
        QueueSpec::Packets { .. } | QueueSpec::Time { .. } => Ok(()),
    }
}

/// Whether the values of a queue can be, whatever it stands before.
pub(crate) fn check_queue(queue: &QueueSpec) -> Result<(), SpecError> {
    let QueueSpec::Dualpi2(dual) = queue else { return Ok(()) };
    require(dual.update_ns > Duration::ZERO, "update_ns", "more than zero", dual.update_ns.as_nanos())?;
    require(
        dual.ramp_range_ns > Duration::ZERO,
        "ramp_range_ns",
        "more than zero",
        dual.ramp_range_ns.as_nanos(),
    )?;
    let gains = [("alpha_hz", dual.alpha_hz), ("beta_hz", dual.beta_hz), ("coupling", dual.coupling)];
    for (field, value) in gains {
        require(value.is_finite() && value > 0.0, field, "more than zero", value)?;
    }
    let share = dual.classic_share;
    require((0.0..1.0).contains(&share), "classic_share", "0 at least and less than 1", share)
}

pub(crate) fn check_limit(field: &str, limit: Bytes, longest: Bytes) -> Result<(), SpecError> {
    if limit >= longest {
        return Ok(());
    }
    let expected = format!("{} at least, the longest packet: each has to wait for its turn", longest.get());
    Err(SpecError::new(field, expected, limit.get()))
}

/// Whether an encapsulation takes the longest packet. The MTU is the link's, whichever carrier it is too long for.
pub(crate) fn check_mtu(mtu: Bytes, most: u32) -> Result<(), SpecError> {
    if mtu.get() <= u64::from(most) {
        return Ok(());
    }
    let expected = format!("at most {most} B, the longest packet that the encapsulation takes");
    Err(SpecError::new("mtu_bytes", expected, format!("{} B", mtu.get())))
}

pub(crate) fn check_es_n0(spec: &EsN0Spec) -> Result<(), SpecError> {
    check_leg(&spec.up).map_err(|error| error.within("es_n0.up"))?;
    check_leg(&spec.down).map_err(|error| error.within("es_n0.down"))
}

fn check_leg(leg: &LegSpec) -> Result<(), SpecError> {
    check_finite("clear_sky_db", leg.clear_sky_db)?;
    let points = &leg.attenuation.points;
    for (index, point) in points.iter().enumerate() {
        check_finite(&format!("attenuation.points[{index}].db"), point.db)?;
    }
    if let Some(index) = (1..points.len()).find(|index| points[*index].at_ns < points[index - 1].at_ns) {
        let expected = format!("{} ns or later", points[index - 1].at_ns.as_nanos());
        let field = format!("attenuation.points[{index}].at_ns");
        return Err(SpecError::new(field, expected, points[index].at_ns.as_nanos()));
    }
    let last = points.last().map_or(Duration::ZERO, |last| last.at_ns).max(Duration::from_nanos(1));
    match leg.attenuation.period_ns {
        Some(period) if period < last => {
            let expected = format!("{} ns at least", last.as_nanos());
            Err(SpecError::new("attenuation.period_ns", expected, period.as_nanos()))
        }
        _ => Ok(()),
    }
}

pub(crate) fn check_finite(field: &str, value: f64) -> Result<(), SpecError> {
    if value.is_finite() { Ok(()) } else { Err(SpecError::new(field, "a number", value)) }
}
