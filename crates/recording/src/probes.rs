//! A path as probes that were sent over it and came back saw it.

use bentpipe_link::{RowSpec, StateSpec};
use bentpipe_units::Duration;

use crate::RecordingError;
use crate::decimal::MILLISECOND;
use crate::path::{LONGEST, LONGEST_DELAY, RecordedRows, without_repetitions};

/// A packet that a client sent and a server should have answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Where it stands in the file.
    pub(crate) line: Option<usize>,
    /// When it was sent, in nanoseconds of any clock.
    pub(crate) sent: i128,
    /// From server to client.
    pub(crate) forward: Fate,
    /// From client to server.
    pub(crate) return_: Fate,
}

/// What became of a probe in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It took so many nanoseconds.
    Arrived(i128),
    /// It did not arrive.
    Lost,
    /// Nothing is known, as of one that the other direction lost.
    Unknown,
}

impl Fate {
    /// How long it took, if it arrived.
    pub(crate) const fn delay(self) -> Option<i128> {
        match self {
            Self::Arrived(delay) => Some(delay),
            Self::Lost | Self::Unknown => None,
        }
    }
}

/// Times that a file rounds may go back by this much.
const ROUNDING: i128 = 10 * MILLISECOND as i128;

impl Probe {
    /// One that came back: half of the round trip for each direction.
    pub(crate) fn answered(line: usize, sent: i128, rtt: i128) -> Self {
        Self { line: Some(line), sent, forward: Fate::Arrived(rtt / 2), return_: Fate::Arrived(rtt / 2) }
    }

    /// One that did not, in whichever direction.
    pub(crate) fn unanswered(sent: i128) -> Self {
        Self { line: None, sent, forward: Fate::Lost, return_: Fate::Lost }
    }
}

/// The probes, and one that was lost before each that comes after a gap in the numbers.
pub(crate) fn with_losses(numbered: &[(i64, Probe)]) -> Vec<Probe> {
    let mut probes = Vec::with_capacity(numbered.len());
    let mut before: Option<(i64, i128)> = None;
    for (number, probe) in numbered {
        if let Some((last, sent)) = before.filter(|(last, _)| number - last > 1) {
            probes.push(Probe::unanswered(sent + (probe.sent - sent) / i128::from(number - last)));
        }
        probes.push(*probe);
        before = Some((*number, probe.sent));
    }
    probes
}

/// The rows that probes in the order of their sending tell of: what one met holds until the next was sent, in both
/// directions.
///
/// # Errors
/// When there is no delay of a direction, one that is too long, or an order of time that cannot be.
pub(crate) fn rows(probes: &[Probe]) -> Result<RecordedRows, RecordingError> {
    let first = probes.first().ok_or_else(|| RecordingError::new("a reply", "none"))?;
    let mut at = Vec::with_capacity(probes.len());
    let mut next = 0;
    for probe in probes {
        let since = probe.sent - first.sent;
        if since + ROUNDING < next {
            return Err(refused(probe, "a packet that was sent after the one before", "an earlier one"));
        }
        let since = since.max(next);
        next = since + 1;
        let since = u64::try_from(since).ok().map(Duration::from_nanos).filter(|since| *since <= LONGEST);
        let expected = format!("a recording of at most {LONGEST}");
        at.push(since.ok_or_else(|| refused(probe, &expected, "a packet of later"))?);
    }
    let last = at[at.len() - 1];
    let gaps = (probes.len() as u64 - 1).max(1);
    let interval = Duration::from_nanos((last.as_nanos() / gaps).max(MILLISECOND));
    Ok(RecordedRows {
        duration: last + interval,
        forward: direction(probes, &at, "from the server", |probe| probe.forward)?,
        return_: direction(probes, &at, "to the server", |probe| probe.return_)?,
    })
}

fn direction(
    probes: &[Probe],
    at: &[Duration],
    name: &str,
    fate: fn(&Probe) -> Fate,
) -> Result<Vec<RowSpec>, RecordingError> {
    let known = probes.iter().find_map(|probe| fate(probe).delay());
    // What was lost met the delay of the one before.
    let mut delay = known.ok_or_else(|| RecordingError::new(format!("a delay {name}"), "none"))?;
    let mut rows = Vec::with_capacity(probes.len());
    for (probe, at_ns) in probes.iter().zip(at) {
        delay = fate(probe).delay().unwrap_or(delay);
        let longest = i128::from(LONGEST_DELAY.as_nanos());
        let checked = u64::try_from(delay).ok().filter(|_| delay <= longest).map(Duration::from_nanos);
        let expected = format!("a delay {name} from 0 to {LONGEST_DELAY}");
        let delay_ns = checked.ok_or_else(|| refused(probe, &expected, &format!("{delay} ns")))?;
        let state = if fate(probe) == Fate::Lost { StateSpec::Outage } else { StateSpec::Open };
        rows.push(RowSpec { at_ns: *at_ns, rate_bps: None, delay_ns: Some(delay_ns), loss: 0.0, state });
    }
    Ok(without_repetitions(rows))
}

fn refused(probe: &Probe, expected: &str, found: &str) -> RecordingError {
    RecordingError { line: probe.line, ..RecordingError::new(expected, found) }
}
