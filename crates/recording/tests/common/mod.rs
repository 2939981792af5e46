//! What the tests share: how they read, and a link for what they read.

use bentpipe_link::{
    CapacitySpec, Direction, DirectionSpec, JitterSpec, LinkSpec, LossSpec, QueueSpec, RowSpec, ScheduleSpec,
    StateSpec,
};
use bentpipe_recording::{ReadOptions, Recording, RecordingError, read};
use bentpipe_units::{Bytes, Duration, Rate};

pub const ONCE: ReadOptions =
    ReadOptions { direction: Direction::Forward, offset: Duration::ZERO, repeats: false };

pub fn read_once(content: &str) -> Result<Recording, RecordingError> {
    read(content.as_bytes(), None, None, &ONCE)
}

/// The rows of the forward and of the return direction.
pub fn rows_of(recording: Recording) -> [Vec<RowSpec>; 2] {
    [recording.forward, recording.return_].map(|direction| match direction.unwrap().schedule {
        ScheduleSpec::Table { rows, .. } => rows,
        other => panic!("{other:?} is no table"),
    })
}

/// A row of a delay alone.
pub fn delayed(at_ns: u64, delay_ns: u64, state: StateSpec) -> RowSpec {
    let (at_ns, delay_ns) = (Duration::from_nanos(at_ns), Some(Duration::from_nanos(delay_ns)));
    RowSpec { at_ns, rate_bps: None, delay_ns, loss: 0.0, state }
}

/// A link whose directions are 10 Mbit/s and 20 ms but for their schedules.
pub fn link(forward: Option<ScheduleSpec>, return_: Option<ScheduleSpec>) -> LinkSpec {
    let direction = |schedule| DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) },
        delay_ns: Duration::from_millis(20),
        jitter: JitterSpec::None,
        queue: QueueSpec::Bytes { limit_bytes: Bytes::new(u64::MAX / 16) },
        loss: LossSpec::None,
        schedule,
    };
    LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(1504),
        forward: direction(forward),
        return_: direction(return_),
    }
}
