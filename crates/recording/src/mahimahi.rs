//! Mahimahi's format, which Pantheon has too: each line is the millisecond of one chance to send 1504 bytes.

use bentpipe_link::{OPPORTUNITY_BYTES, RowSpec, StateSpec};
use bentpipe_units::{Duration, Rate};

use crate::RecordingError;
use crate::decimal::MILLISECOND;
use crate::lines::lines;

/// No recording of chances is longer: each millisecond has a count.
pub const LONGEST: Duration = Duration::from_secs(6 * 3600);
/// Chances of a millisecond at most: 1.2 Tbit/s.
const MOST_PER_MS: u32 = 100_000;
/// Chances that are written at most, of some 8 bytes each.
const MOST_WRITTEN: u64 = 100_000_000;

/// What a chance is worth, in bits per second times nanoseconds.
const CHANCE: u128 = OPPORTUNITY_BYTES as u128 * 8 * 1_000_000_000;

/// How many chances each millisecond has. A line t counts for the millisecond that ends at t, 0 for the first one; it
/// lasts until the last line, and starts again there.
pub(crate) fn read(content: &[u8]) -> Result<Vec<u32>, RecordingError> {
    let most = LONGEST.as_nanos() / MILLISECOND;
    let mut per_ms: Vec<u32> = Vec::new();
    let mut last = 0;
    for line in lines(content) {
        let line = line?;
        let expected = || format!("a whole number of milliseconds, at most {most} ({LONGEST})");
        let is_number = line.text.bytes().all(|byte| byte.is_ascii_digit());
        let stamp = line.text.parse::<u64>().ok().filter(|stamp| is_number && *stamp <= most);
        let stamp = stamp.ok_or_else(|| line.refused(expected()))?;
        if stamp < last {
            return Err(line.refused(format!("{last} or later, as the line before")));
        }
        last = stamp;
        let index = stamp.saturating_sub(1) as usize;
        per_ms.resize(index + 1, 0);
        per_ms[index] += 1;
        if per_ms[index] > MOST_PER_MS {
            return Err(line.refused(format!("at most {MOST_PER_MS} chances in a millisecond")));
        }
    }
    if per_ms.is_empty() { Err(RecordingError::new("a chance to send", "an empty file")) } else { Ok(per_ms) }
}

/// The chances that rows give until an instant: the n-th is in the millisecond in which the integral of their rate comes
/// to n packets.
///
/// # Errors
/// When there is none, or too many for a file.
pub(crate) fn write(rows: &[RowSpec], span: Duration) -> Result<Vec<u8>, RecordingError> {
    let integral = |upto: Duration| integral(rows, upto);
    let chances = u64::try_from(integral(span) / CHANCE).unwrap_or(u64::MAX);
    if chances == 0 {
        return Err(RecordingError::new("a rate that sends 1504 bytes within the time", "less"));
    }
    if chances > MOST_WRITTEN {
        let expected = format!("a rate and a time of at most {MOST_WRITTEN} packets of 1504 bytes");
        return Err(RecordingError::new(expected, chances.to_string()));
    }
    let mut content = Vec::new();
    let mut offered = 0;
    let mut written = 0;
    let mut row = 0;
    let mut at = 0;
    for ms in 1..=span.as_nanos().div_ceil(MILLISECOND) {
        let end = (ms * MILLISECOND).min(span.as_nanos());
        while at < end {
            let next = rows.get(row + 1).map_or(u64::MAX, |next| next.at_ns.as_nanos());
            let until = next.min(end);
            offered += volume(&rows[row], until - at);
            at = until;
            row += usize::from(at == next);
        }
        let due = offered / CHANCE;
        while written < due {
            content.extend_from_slice(ms.to_string().as_bytes());
            content.push(b'\n');
            written += 1;
        }
    }
    Ok(content)
}

/// What rows offer until an instant, in bits per second times nanoseconds.
fn integral(rows: &[RowSpec], upto: Duration) -> u128 {
    let ends = rows.iter().skip(1).map(|next| next.at_ns).chain([Duration::MAX]);
    let spans = rows.iter().zip(ends).map(|(row, end)| (row, end.min(upto).saturating_sub(row.at_ns)));
    spans.map(|(row, span)| volume(row, span.as_nanos())).sum()
}

/// What a row offers for so long; what would be lost in an outage gets no chance.
fn volume(row: &RowSpec, ns: u64) -> u128 {
    let rate = if row.state == StateSpec::Open { row.rate_bps.unwrap_or(Rate::ZERO) } else { Rate::ZERO };
    u128::from(rate.as_bps()) * u128::from(ns)
}
