//! A recorded Starlink path of two minutes (data/leocc), and a link that replays it.

use std::io::Read;
use std::path::Path as FilePath;

use bentpipe_link::{Direction, Event, Packet, Path, ScheduleSpec, schedule_rows};
use bentpipe_recording::{Format, Recording, WrittenFormat, read, write};
use bentpipe_units::{Duration, Rate, Time};

use crate::common::{ONCE, link};

/// Numbers of data/leocc/SOURCE.md and of the recording itself, counted with awk and sort.
const OPPORTUNITIES: usize = 487_652;
const LAST_MS: u64 = 120_052;

fn chances() -> Vec<u8> {
    let compressed = file("bw_example.txt.gz");
    let mut content = Vec::new();
    flate2::read::GzDecoder::new(&*compressed).read_to_end(&mut content).unwrap();
    content
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../data/leocc").join(name)).unwrap()
}

fn recording() -> Recording {
    read(&chances(), Some(&file("delay_example.txt")), None, &ONCE).unwrap()
}

fn parts(recording: Recording) -> (Vec<u32>, Vec<Duration>) {
    match recording.forward.unwrap().schedule {
        ScheduleSpec::Opportunities { per_ms, delays_ns, .. } => (per_ms, delays_ns),
        other => panic!("{other:?} has no chances"),
    }
}

/// The value that a share of the sorted values does not exceed, between two by linear interpolation.
fn percentile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[test]
fn it_has_the_chances_and_the_delays_of_its_files() {
    let recording = recording();
    assert_eq!(recording.format, Format::Leoreplayer);
    assert_eq!(recording.duration_ns, Duration::from_millis(LAST_MS));
    let forward = recording.forward.clone().unwrap();
    // 487 652 x 12 032 bit in 120.052 s.
    assert_eq!(forward.mean_bps, Some(Rate::from_bps(48_874_061)));
    assert_eq!(forward.least_delay_ns, Some(Duration::from_millis(7)));
    let (per_ms, delays) = parts(recording);
    assert_eq!(per_ms.iter().map(|count| *count as usize).sum::<usize>(), OPPORTUNITIES);
    assert_eq!(delays.len(), 11_999);
}

#[test]
fn its_capacity_per_second_has_the_percentiles_that_are_told_of_it() {
    let (per_ms, _) = parts(recording());
    let seconds = per_ms.chunks_exact(1000);
    let mut rates: Vec<f64> =
        seconds.map(|ms| f64::from(ms.iter().sum::<u32>()) * 1504.0 * 8.0 / 1e6).collect();
    rates.sort_by(f64::total_cmp);
    for (p, expected) in [(0.05, 36.5), (0.5, 48.4), (0.95, 63.0)] {
        let found = percentile(&rates, p);
        assert!((found - expected).abs() < 0.1, "{p}: {found} Mbit/s");
    }
}

#[test]
fn it_is_silent_at_eight_edges_fifteen_seconds_apart() {
    let (per_ms, _) = parts(recording());
    let mut at = 0;
    let mut silences = Vec::new();
    for run in per_ms.chunk_by(|one, next| (*one == 0) == (*next == 0)) {
        if run[0] == 0 && run.len() >= 40 {
            silences.push((at, run.len()));
        }
        at += run.len();
    }
    // A gap between two stamps has one millisecond less without a chance.
    let gaps: Vec<usize> = silences.iter().map(|(_, length)| length + 1).collect();
    assert_eq!(gaps, [59, 69, 82, 68, 95, 135, 59, 93]);
    for pair in silences.windows(2) {
        let apart = (pair[1].0 - pair[0].0) as f64 / 1e3;
        assert!((apart - 15.0).abs() < 0.1, "{apart} s");
    }
}

#[derive(Debug)]
struct Numbered(usize);

impl Packet for Numbered {
    fn len_bytes(&self) -> u32 {
        1504
    }
}

/// leo.md's acceptance: deliveries within one opportunity, delays within a nanosecond of the schedule.
#[test]
fn a_saturated_link_that_replays_it_delivers_at_its_chances_and_after_its_delays() {
    let (per_ms, delays) = parts(recording());
    let spec = link(Some(schedule(&per_ms, &delays)), None);
    let mut path: Path<Numbered> = Path::new(&spec, 0, Time::ZERO);
    path.mark(Time::ZERO);
    for number in 0..OPPORTUNITIES {
        path.enqueue(Time::ZERO, Direction::Forward, Numbered(number)).unwrap();
    }
    let mut arrivals = Vec::with_capacity(OPPORTUNITIES);
    while let Some(next) = path.next_event() {
        while let Some(event) = path.poll(next) {
            let Event::Delivered { due, packet, .. } = event else { panic!("{event:?}") };
            assert_eq!(packet.0, arrivals.len());
            arrivals.push(due);
        }
    }
    assert_eq!(arrivals.len(), OPPORTUNITIES);
    let mut before = Time::ZERO;
    let mut number = 0;
    for (ms, count) in per_ms.iter().enumerate() {
        for nth in 1..=u64::from(*count) {
            // At an even rate within its millisecond, rounded up to a nanosecond; no packet overtakes.
            let sent =
                Time::from_nanos(ms as u64 * 1_000_000 + (nth * 1_000_000).div_ceil(u64::from(*count)));
            // The last packet of a millisecond leaves at its end, where the next one's delay holds; after the last
            // millisecond comes the first one.
            let index = (sent.as_nanos() % (LAST_MS * 1_000_000) / 10_000_000) as usize;
            let delay = delays.get(index).or(delays.last()).unwrap();
            before = before.max(sent + *delay);
            let off = arrivals[number].as_nanos().abs_diff(before.as_nanos());
            assert!(off <= 1, "packet {number}: {off} ns");
            number += 1;
        }
    }
}

#[test]
fn it_is_written_again_as_it_was() {
    let (per_ms, delays) = parts(recording());
    let path = link(Some(schedule(&per_ms, &delays)), None);
    let span = Duration::from_millis(LAST_MS);
    let files = write(&path, 0, span, WrittenFormat::Mahimahi).unwrap();
    assert!(files[0].content == chances(), "the file differs");
    let files = write(&path, 0, span, WrittenFormat::Schedule).unwrap();
    let again = read(&files[0].content, None, None, &ONCE).unwrap();
    let path_again = link(Some(again.forward.unwrap().schedule), Some(again.return_.unwrap().schedule));
    let rows = |path| schedule_rows(path, 0, Direction::Forward, span).unwrap();
    let (once, twice) = (rows(&path), rows(&path_again));
    let told = |at: Duration| once.iter().take_while(|row| row.at_ns <= at).last().copied().unwrap();
    // Rows that repeat the one before are not written.
    for row in twice.iter().step_by(997) {
        assert_eq!(told(row.at_ns), *row);
    }
}

fn schedule(per_ms: &[u32], delays: &[Duration]) -> ScheduleSpec {
    let (per_ms, delays_ns) = (per_ms.to_vec(), delays.to_vec());
    ScheduleSpec::Opportunities { per_ms, delays_ns, offset_ns: Duration::ZERO }
}
