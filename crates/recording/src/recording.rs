//! A recording as the schedules of a link.

use bentpipe_link::{Direction, ScheduleSpec};
use bentpipe_units::{Duration, Rate};
use serde::Serialize;

use crate::path::RecordedPath;
use crate::{Format, RecordingError};
use crate::{irtt_csv, irtt_json, leoreplayer, mahimahi, ping_csv, ping_text, schedule_file};

/// What a file records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recording {
    /// That of the file.
    pub format: Format,
    /// From its first instant to its last, or to where it starts again.
    pub duration_ns: Duration,
    /// From server to client; none where the file does not tell.
    pub forward: Option<DirectionRecording>,
    /// From client to server; none where the file does not tell.
    #[serde(rename = "return")]
    pub return_: Option<DirectionRecording>,
}

/// What a file records of one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DirectionRecording {
    /// How it changes.
    pub schedule: ScheduleSpec,
    /// Mean over the duration; none where the rate is the direction's own at some time.
    pub mean_bps: Option<Rate>,
    /// Least one-way delay; none where the delay is the direction's own throughout.
    pub least_delay_ns: Option<Duration>,
}

/// How a recording is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Which direction a format of one direction is of.
    pub direction: Direction,
    /// What of it has passed when the workload starts.
    pub offset: Duration,
    /// Whether one of delays starts again when it ends; its last row holds for ever if not. Chances to send start again
    /// in any case, and a file of ours says it itself.
    pub repeats: bool,
}

/// Reads a recording, in the format that the content shows if none is given; with delays one of chances to send is of
/// LeoReplayer.
///
/// # Errors
/// When it cannot be of that format.
pub fn read(
    content: &[u8],
    delays: Option<&[u8]>,
    format: Option<Format>,
    options: &ReadOptions,
) -> Result<Recording, RecordingError> {
    let format = match (format.map_or_else(|| Format::of(content), Ok)?, delays) {
        (Format::Mahimahi | Format::Leoreplayer, Some(_)) => Format::Leoreplayer,
        (Format::Leoreplayer, None) => {
            return Err(RecordingError::new("a file of delays beside the chances", "none").of_delays());
        }
        (other, Some(_)) => {
            let expected = "no delays beside a recording that has its own";
            return Err(
                RecordingError::new(expected, format!("some beside one in the format {other}")).of_delays()
            );
        }
        (other, None) => other,
    };
    let path = match format {
        Format::Schedule => schedule_file::read(content),
        Format::Mahimahi => mahimahi::read(content).map(|per_ms| opportunities(per_ms, Vec::new(), options)),
        Format::Leoreplayer => leoreplayer::read(content, delays.unwrap_or_default())
            .map(|(per_ms, delays)| opportunities(per_ms, delays, options)),
        Format::PingText => ping_text::read(content).map(|path| path.once_or_again(options.repeats)),
        Format::PingCsv => ping_csv::read(content).map(|path| path.once_or_again(options.repeats)),
        Format::IrttCsv => irtt_csv::read(content).map(|path| path.once_or_again(options.repeats)),
        Format::IrttJson => irtt_json::read(content).map(|path| path.once_or_again(options.repeats)),
    }?;
    recording(path, format, options)
}

fn recording(path: RecordedPath, format: Format, options: &ReadOptions) -> Result<Recording, RecordingError> {
    let RecordedPath { duration, forward, return_ } = path;
    if options.offset > duration {
        let expected = format!("at least {}, where it is to start", options.offset);
        return Err(RecordingError::new(expected, format!("a recording of {duration}")));
    }
    let of = |schedule: ScheduleSpec| DirectionRecording {
        mean_bps: schedule.mean_rate(duration),
        least_delay_ns: least_delay(&schedule),
        schedule: starting_at(schedule, options.offset),
    };
    let (forward, return_) = (forward.map(of), return_.map(of));
    Ok(Recording { format, duration_ns: duration, forward, return_ })
}

fn opportunities(per_ms: Vec<u32>, delays_ns: Vec<Duration>, options: &ReadOptions) -> RecordedPath {
    let duration = Duration::from_millis(per_ms.len() as u64);
    let schedule = Some(ScheduleSpec::Opportunities { per_ms, delays_ns, offset_ns: Duration::ZERO });
    match options.direction {
        Direction::Forward => RecordedPath { duration, forward: schedule, return_: None },
        Direction::Return => RecordedPath { duration, forward: None, return_: schedule },
    }
}

fn starting_at(schedule: ScheduleSpec, offset_ns: Duration) -> ScheduleSpec {
    match schedule {
        ScheduleSpec::Table { rows, period_ns, .. } => ScheduleSpec::Table { rows, period_ns, offset_ns },
        ScheduleSpec::Opportunities { per_ms, delays_ns, .. } => {
            ScheduleSpec::Opportunities { per_ms, delays_ns, offset_ns }
        }
        epochs @ ScheduleSpec::Epochs(_) => epochs,
    }
}

fn least_delay(schedule: &ScheduleSpec) -> Option<Duration> {
    match schedule {
        ScheduleSpec::Table { rows, .. } => rows.iter().filter_map(|row| row.delay_ns).min(),
        ScheduleSpec::Opportunities { delays_ns, .. } => delays_ns.iter().copied().min(),
        ScheduleSpec::Epochs(_) => None,
    }
}
