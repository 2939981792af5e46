//! Recorded paths, sans-IO: the bytes of a file go in, the schedule of a link comes out, and the other way round.
//! Model page: docs/models/traces.md.
//!
//! What is read may be anybody's: a file that cannot be is an error with its line, and none makes a schedule longer than
//! [`LONGEST`], or for which [`bentpipe_link::check`] has no link.

#![forbid(unsafe_code)]

mod clock_offset;
mod decimal;
mod error;
mod format;
pub mod fuzzing;
mod irtt_csv;
mod irtt_json;
mod leoreplayer;
mod lines;
mod mahimahi;
mod path;
mod ping_csv;
mod ping_text;
mod probes;
mod recording;
mod schedule_file;
mod written;

pub use error::{RecordingError, RecordingFile};
pub use format::{Format, WrittenFormat};
pub use mahimahi::LONGEST as LONGEST_OPPORTUNITIES;
pub use path::LONGEST;
pub use recording::{DirectionRecording, ReadOptions, Recording, read};
pub use written::{WriteError, WrittenFile, write};
