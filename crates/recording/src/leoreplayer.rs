//! LeoReplayer's format: chances to send as Mahimahi has them, and a file of one-way delays, one for each 10 ms.

use bentpipe_units::Duration;

use crate::decimal::MILLISECOND;
use crate::lines::lines;
use crate::path::{LONGEST, LONGEST_DELAY};
use crate::{RecordingError, mahimahi};

/// Time of one delay.
const STEP: Duration = Duration::from_millis(10);

/// How many chances each millisecond has, and the delay of each 10 ms.
pub(crate) fn read(content: &[u8], delays: &[u8]) -> Result<(Vec<u32>, Vec<Duration>), RecordingError> {
    Ok((mahimahi::read(content)?, read_delays(delays).map_err(RecordingError::of_delays)?))
}

fn read_delays(content: &[u8]) -> Result<Vec<Duration>, RecordingError> {
    let most_ms = LONGEST_DELAY.as_nanos() / MILLISECOND;
    let most_lines = LONGEST.as_nanos() / STEP.as_nanos();
    let mut delays = Vec::new();
    for line in lines(content) {
        let line = line?;
        let is_number = line.text.bytes().all(|byte| byte.is_ascii_digit());
        let delay = line.text.parse::<u64>().ok().filter(|ms| is_number && *ms <= most_ms);
        let expected = || format!("a delay in whole milliseconds, at most {most_ms}");
        delays.push(Duration::from_millis(delay.ok_or_else(|| line.refused(expected()))?));
        if delays.len() as u64 > most_lines {
            return Err(line.refused(format!("at most {most_lines} delays ({LONGEST})")));
        }
    }
    if delays.is_empty() { Err(RecordingError::new("a delay", "an empty file")) } else { Ok(delays) }
}
