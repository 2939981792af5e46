//! What a fuzzer calls with bytes that may be anything: `crates/fuzz`. Each panics when a promise is broken.

use bentpipe_link::{
    CapacitySpec, Direction, DirectionSpec, JitterSpec, LinkSpec, LossSpec, QueueSpec, ScheduleSpec,
};
use bentpipe_units::{Bytes, Duration, Rate};

use crate::{Format, ReadOptions, Recording, RecordingError, WrittenFormat, read, write};

const OPTIONS: ReadOptions =
    ReadOptions { direction: Direction::Forward, offset: Duration::ZERO, repeats: true };

/// What our format says is written and read back as it is.
pub fn schedule(bytes: &[u8]) {
    let Some(recording) = link_of(bytes, None, Format::Schedule) else { return };
    let span = recording.duration_ns.max(Duration::from_nanos(1));
    let Ok(files) = write(&link(&recording), 0, span, WrittenFormat::Schedule) else { return };
    let again = read(&files[0].content, None, None, &OPTIONS).expect("what was written is read");
    let twice = write(&link(&again), 0, span, WrittenFormat::Schedule).expect("what was read is written");
    assert_eq!(files, twice);
}

/// As many chances are read and written as there are lines.
pub fn mahimahi(bytes: &[u8]) {
    let Some(recording) = link_of(bytes, None, Format::Mahimahi) else { return };
    let Some(ScheduleSpec::Opportunities { per_ms, .. }) = recording.forward.map(|forward| forward.schedule)
    else {
        panic!("other than chances");
    };
    let text = std::str::from_utf8(bytes).expect("what was read is text");
    let lines = text.split('\n').filter(|line| !line.trim().is_empty()).count();
    assert_eq!(per_ms.iter().map(|count| *count as usize).sum::<usize>(), lines);
}

/// Chances, and after a line `-` delays.
pub fn leoreplayer(bytes: &[u8]) {
    let place = bytes.windows(3).position(|part| part == b"\n-\n").unwrap_or(bytes.len());
    link_of(&bytes[..place], Some(bytes.get(place + 3..).unwrap_or_default()), Format::Leoreplayer);
}

/// What `ping -D` may print.
pub fn ping_text(bytes: &[u8]) {
    link_of(bytes, None, Format::PingText);
}

/// Pings of LENS.
pub fn ping_csv(bytes: &[u8]) {
    link_of(bytes, None, Format::PingCsv);
}

/// Round trips of LENS.
pub fn irtt_csv(bytes: &[u8]) {
    link_of(bytes, None, Format::IrttCsv);
}

/// What irtt may write.
pub fn irtt_json(bytes: &[u8]) {
    link_of(bytes, None, Format::IrttJson);
}

/// The recording, of which there can be a link.
fn link_of(content: &[u8], delays: Option<&[u8]>, format: Format) -> Option<Recording> {
    let _: Result<Format, RecordingError> = Format::of(content);
    let recording = read(content, delays, Some(format), &OPTIONS).ok()?;
    bentpipe_link::check(&link(&recording)).expect("a recording of which there can be a link");
    Some(recording)
}

fn link(recording: &Recording) -> LinkSpec {
    let direction = |schedule: Option<ScheduleSpec>| DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) },
        delay_ns: Duration::from_millis(20),
        jitter: JitterSpec::None,
        queue: QueueSpec::Packets { limit_packets: 100 },
        loss: LossSpec::None,
        schedule,
    };
    let Recording { forward, return_, .. } = recording.clone();
    LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(1504),
        forward: direction(forward.map(|forward| forward.schedule)),
        return_: direction(return_.map(|return_| return_.schedule)),
    }
}
