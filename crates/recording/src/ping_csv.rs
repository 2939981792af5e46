//! Pings as LENS processed them: `timestamp,rtt`, Unix time of the reply in seconds and milliseconds.

use crate::RecordingError;
use crate::decimal::{MILLISECOND, SECOND, nanoseconds};
use crate::lines::lines_below_header;
use crate::path::RecordedRows;
use crate::probes::{Probe, rows, with_losses};

pub(crate) const HEADERS: [&str; 2] = ["timestamp,rtt", "timestamp(s),rtt(ms)"];

/// Half of each round trip for each direction, from when its packet was sent. The numbers of the packets are not kept:
/// where more than one and a half usual intervals lie between two, those between were lost.
pub(crate) fn read(content: &[u8]) -> Result<RecordedRows, RecordingError> {
    let mut probes: Vec<Probe> = Vec::new();
    let mut last = i128::MIN;
    for line in lines_below_header(content, &HEADERS)? {
        let line = line?;
        let cells: Vec<&str> = line.cells().collect();
        let [timestamp, rtt] = cells[..] else { return Err(line.refused("two cells, timestamp and rtt")) };
        let received = nanoseconds(timestamp, SECOND);
        let received = received.ok_or_else(|| line.refused_part("a timestamp in seconds", timestamp))?;
        if received < last {
            return Err(line.refused_part("a timestamp not before that of the line before", timestamp));
        }
        last = received;
        let rtt_ns = nanoseconds(rtt, MILLISECOND);
        let rtt_ns = rtt_ns.ok_or_else(|| line.refused_part("an RTT in milliseconds, or -1", rtt))?;
        // One that was lost leaves a gap, as those do that have no line.
        if rtt_ns >= 0 {
            probes.push(Probe::answered(line.number, received - rtt_ns, rtt_ns));
        }
    }
    probes.sort_by_key(|probe| probe.sent);
    rows(&with_losses(&numbered(&probes)))
}

/// Numbers by the time between packets, in units of its median.
fn numbered(probes: &[Probe]) -> Vec<(i64, Probe)> {
    let mut gaps: Vec<i128> = probes.windows(2).map(|pair| pair[1].sent - pair[0].sent).collect();
    let last_gaps = gaps.clone();
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(1).max(1);
    let steps =
        last_gaps.iter().map(|gap| i64::try_from((2 * gap + usual) / (2 * usual)).unwrap_or(i64::MAX));
    let mut number: i64 = 0;
    let numbers = std::iter::once(0).chain(steps.map(|step| {
        number = number.saturating_add(step.max(1));
        number
    }));
    numbers.zip(probes.iter().copied()).collect()
}
