//! A visit before the workload, left out of what the origin reports.

use bentpipe_units::{Duration, Time};

use crate::{OriginReport, RunSpec, Visit, Workload};

/// The origin's report without the connection of a visit before the workload, which started at `start`.
pub(crate) fn left_out(spec: &RunSpec, mut origin: OriginReport, start: Time) -> OriginReport {
    if !matches!(&spec.workload, Workload::PageLoad(load) if load.visit == Some(Visit::Repeat)) {
        return origin;
    }
    origin.connections.retain(|connection| connection.started >= start);
    let ports: Vec<f64> = origin.connections.iter().map(|connection| connection.client_port.into()).collect();
    let start_s = Duration::from_nanos(start.as_nanos()).as_secs_f64();
    let rows = origin.sender.column("time_s").iter().zip(origin.sender.column("client_port"));
    // A closed connection is sampled on.
    let kept: Vec<bool> = rows.map(|(time_s, port)| *time_s >= start_s && ports.contains(port)).collect();
    origin.sender.retain(|row| kept[row]);
    origin
}
