//! How a path changes over time, and what it is at an instant. Model page: docs/models/schedule.md.

mod capacity_variation;
mod channel;
mod config;
mod cursor;
mod epochs;
mod following;
mod opportunities;
mod probe;
mod progress;
mod silence;
mod source;
mod step;
mod table;

pub use capacity_variation::CapacityVariationSpec;
pub(crate) use channel::ScheduledChannel;
pub use config::{OPPORTUNITY_BYTES, RowSpec, ScheduleSpec, StateSpec};
pub(crate) use cursor::Cursor;
pub use epochs::{EpochDelaySpec, EpochSpec};
pub(crate) use following::followed;
pub(crate) use probe::table as path_table;
pub use probe::{schedule_rows, schedule_series};
pub(crate) use progress::Progress;
pub use silence::{SilenceKindSpec, SilenceSpec};
