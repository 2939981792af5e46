//! The path of a link as files that other programs read, and ours.

use bentpipe_link::{CapacitySpec, Direction, DirectionSpec, LinkSpec, RowSpec, SpecError, schedule_rows};
use bentpipe_units::Duration;

use crate::path::{LONGEST, without_repetitions};
use crate::{RecordingError, WrittenFormat, mahimahi, schedule_file};

/// A file, and how it is best called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Without a folder.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// Why no file can be written of a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// There can be no such link.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The format cannot tell it.
    #[error(transparent)]
    Format(#[from] RecordingError),
}

/// Writes the path of a link as a run with this seed has it from its start on: for Mahimahi `forward.mahimahi` and
/// `return.mahimahi`, in our format `schedule.csv`, where rates of satellite carriers are left to the direction.
///
/// # Errors
/// When there can be no such link, or the format cannot tell its path.
pub fn write(
    link: &LinkSpec,
    seed: u64,
    span: Duration,
    format: WrittenFormat,
) -> Result<Vec<WrittenFile>, WriteError> {
    if span == Duration::ZERO || span > LONGEST {
        let expected = format!("a time above 0 and of at most {LONGEST}");
        return Err(RecordingError::new(expected, span.to_string()).into());
    }
    let rows = |direction| schedule_rows(link, seed, direction, span);
    let directions =
        [(Direction::Forward, rows(Direction::Forward)?), (Direction::Return, rows(Direction::Return)?)];
    match format {
        WrittenFormat::Schedule => {
            let told = directions.map(|(direction, rows)| {
                (
                    direction,
                    without_repetitions(rows.into_iter().map(|row| told(row, link.direction(direction)))),
                )
            });
            let content = schedule_file::write(&told, None);
            Ok(vec![WrittenFile { name: "schedule.csv".to_owned(), content }])
        }
        WrittenFormat::Mahimahi => directions
            .iter()
            .map(|(direction, rows)| {
                let name = format!("{}.mahimahi", direction.name());
                Ok(WrittenFile { name, content: mahimahi::write(rows, span)? })
            })
            .collect(),
    }
}

/// The row as our file has it: what a carrier sends depends on more than a rate.
fn told(row: RowSpec, direction: &DirectionSpec) -> RowSpec {
    let rate_bps = row.rate_bps.filter(|_| matches!(direction.capacity, CapacitySpec::Constant { .. }));
    RowSpec { rate_bps, ..row }
}
