//! Round trips of irtt as LENS processed them: `timestamp,rtt,uplink,downlink`, nanoseconds of Unix time at which the
//! packet was sent, and milliseconds.

use crate::RecordingError;
use crate::clock_offset::remove_clock_offset;
use crate::decimal::{MILLISECOND, nanoseconds};
use crate::lines::{Line, lines_below_header};
use crate::path::RecordedRows;
use crate::probes::{Fate, Probe, rows};

pub(crate) const HEADERS: [&str; 2] = ["timestamp,rtt,uplink,downlink", "timestamp(ns),rtt,uplink,downlink"];

const LOST: i128 = -(MILLISECOND as i128);

/// The delay of each direction from when its packet was sent, without the offset of the clocks. -1 is a loss in that
/// direction; of a loss that shows in `rtt` alone nobody knows where it was, and it counts in both.
pub(crate) fn read(content: &[u8]) -> Result<RecordedRows, RecordingError> {
    let lines = lines_below_header(content, &HEADERS)?;
    let mut probes = lines.map(|line| probe(&line?)).collect::<Result<Vec<_>, _>>()?;
    remove_clock_offset(&mut probes)?;
    rows(&probes)
}

fn probe(line: &Line<'_>) -> Result<Probe, RecordingError> {
    let cells: Vec<&str> = line.cells().collect();
    let [timestamp, rtt, uplink, downlink] = cells[..] else {
        return Err(line.refused("four cells, timestamp, rtt, uplink and downlink"));
    };
    let sent: Option<u64> = timestamp.parse().ok();
    let sent = sent.ok_or_else(|| line.refused_part("a timestamp in whole nanoseconds", timestamp))?;
    let delay = |name: &str, cell: &str| {
        nanoseconds(cell, MILLISECOND)
            .ok_or_else(|| line.refused_part(format!("{name} in milliseconds, or -1"), cell))
    };
    let (rtt, uplink, downlink) =
        (delay("rtt", rtt)?, delay("uplink", uplink)?, delay("downlink", downlink)?);
    let (return_, forward) = match (rtt > 0, uplink == LOST, downlink == LOST) {
        (true, _, _) => (Fate::Arrived(uplink), Fate::Arrived(downlink)),
        (false, true, false) => (Fate::Lost, Fate::Unknown),
        (false, false, true) => (Fate::Unknown, Fate::Lost),
        (false, _, _) => (Fate::Lost, Fate::Lost),
    };
    Ok(Probe { line: Some(line.number), sent: i128::from(sent), forward, return_ })
}
