//! What `irtt client -o` writes: a list of round trips with their instants and delays in nanoseconds.

use serde::Deserialize;

use crate::RecordingError;
use crate::clock_offset::remove_clock_offset;
use crate::error::quoted;
use crate::path::RecordedRows;
use crate::probes::{Fate, Probe, rows};

/// The delay of each direction from when its packet was sent, without the offset of the clocks; half of the round trip
/// where the server set no time stamps.
pub(crate) fn read(content: &[u8]) -> Result<RecordedRows, RecordingError> {
    let document: Document = serde_json::from_slice(content).map_err(|error| {
        let line = Some(error.line()).filter(|line| *line > 0);
        RecordingError { line, ..RecordingError::new("JSON of irtt client -o", quoted(&error.to_string())) }
    })?;
    let probes = document.round_trips.iter().zip(0..).map(|(round_trip, index)| probe(round_trip, index));
    let mut probes = probes.collect::<Result<Vec<_>, _>>()?;
    remove_clock_offset(&mut probes)?;
    rows(&probes)
}

#[derive(Deserialize)]
struct Document {
    round_trips: Vec<RoundTrip>,
}

#[derive(Deserialize)]
struct RoundTrip {
    lost: Lost,
    timestamps: Timestamps,
    #[serde(default)]
    delay: Delay,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Lost {
    False,
    /// Nobody knows where.
    True,
    TrueUp,
    TrueDown,
}

#[derive(Deserialize)]
struct Timestamps {
    client: ClientTimestamps,
}

#[derive(Deserialize)]
struct ClientTimestamps {
    send: Clocks,
}

/// One or both, as the client was told (`--clock`).
#[derive(Deserialize)]
struct Clocks {
    monotonic: Option<i64>,
    wall: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Delay {
    /// From server to client.
    receive: Option<i64>,
    rtt: Option<i64>,
    /// From client to server.
    send: Option<i64>,
}

fn probe(round_trip: &RoundTrip, index: usize) -> Result<Probe, RecordingError> {
    let refused =
        |field: &str| RecordingError::new(format!("round_trips[{index}].{field} in nanoseconds"), "none");
    // The clock of the wall may be set meanwhile.
    let sent = &round_trip.timestamps.client.send;
    let sent = sent.monotonic.or(sent.wall).ok_or_else(|| refused("timestamps.client.send"))?;
    let arrived = |delay: i64| Fate::Arrived(i128::from(delay));
    let (forward, return_) = match (round_trip.lost, &round_trip.delay) {
        (Lost::True, _) => (Fate::Lost, Fate::Lost),
        (Lost::TrueUp, _) => (Fate::Unknown, Fate::Lost),
        (Lost::TrueDown, _) => (Fate::Lost, Fate::Unknown),
        (Lost::False, Delay { receive: Some(receive), send: Some(send), .. }) => {
            (arrived(*receive), arrived(*send))
        }
        (Lost::False, Delay { rtt: Some(rtt), .. }) => (arrived(rtt / 2), arrived(rtt - rtt / 2)),
        (Lost::False, _) => return Err(refused("delay.rtt")),
    };
    Ok(Probe { line: None, sent: i128::from(sent), forward, return_ })
}
