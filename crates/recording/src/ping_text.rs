//! What `ping -D` prints, as LENS keeps it: `[1700182800.410606] 64 bytes from ...: icmp_seq=1 ttl=63 time=60.6 ms`.

use crate::RecordingError;
use crate::decimal::{MILLISECOND, SECOND, nanoseconds};
use crate::lines::{Line, lines};
use crate::path::RecordedRows;
use crate::probes::{Probe, rows, with_losses};

const EXAMPLE: &str = "a reply as ping -D prints it: [1700182800.410606] ... icmp_seq=1 ... time=60.6 ms";

/// A line that tells of an answer.
struct Reply {
    line: usize,
    received: i128,
    /// 16 bits on the wire: they begin again after 65 535.
    sequence: u16,
    rtt: i128,
}

/// Whether a line may be one of ping's.
pub(crate) fn is_line(text: &str) -> bool {
    text.starts_with("PING ") || text.contains("icmp_seq=")
}

/// Half of each round trip for each direction, from when its packet was sent; where numbers are missing the path is out
/// from when the first of them was sent, reckoned by those around it.
pub(crate) fn read(content: &[u8]) -> Result<RecordedRows, RecordingError> {
    let mut numbered: Vec<(i64, Probe)> = Vec::new();
    let mut newest: Option<(i64, i128)> = None;
    for line in lines(content) {
        let line = line?;
        let Some(reply) = reply(&line)? else { continue };
        if newest.is_some_and(|(_, received)| reply.received < received) {
            return Err(line.refused("a time not before that of the reply before"));
        }
        let number = newest.map_or(i64::from(reply.sequence), |(newest, _)| {
            newest + i64::from(reply.sequence.wrapping_sub(newest as u16).cast_signed())
        });
        newest = Some((newest.map_or(number, |(newest, _)| newest.max(number)), reply.received));
        numbered.push((number, Probe::answered(reply.line, reply.received - reply.rtt, reply.rtt)));
    }
    // Stable, so that of several answers to one packet the first stays.
    numbered.sort_by_key(|(number, _)| *number);
    numbered.dedup_by_key(|(number, _)| *number);
    rows(&with_losses(&numbered))
}

/// None for a line of something else: a header, a summary, an error, or one that was cut off.
fn reply(line: &Line<'_>) -> Result<Option<Reply>, RecordingError> {
    let Some(rtt) = between(line.text, " time=", " ms") else { return Ok(None) };
    let parsed = || {
        let received = nanoseconds(between(line.text, "[", "]")?, SECOND)?;
        let sequence: u64 = between(line.text, "icmp_seq=", " ")?.parse().ok()?;
        let rtt = nanoseconds(rtt, MILLISECOND).filter(|rtt| *rtt >= 0)?;
        Some(Reply { line: line.number, received, sequence: sequence as u16, rtt })
    };
    parsed().map(Some).ok_or_else(|| line.refused(EXAMPLE))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}
