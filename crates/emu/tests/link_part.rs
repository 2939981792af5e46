//! The link as a process of its own, between two devices: what does not end it, and what it says when its
//! capture cannot be written. Needs root.

// It waits for a real process; the IO boundary of clippy.toml lies in this crate.
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::{env, fs, process};

use bentpipe_emu::parts;
use bentpipe_http::tls::{Identity, KeyKind};
use bentpipe_run::{Algorithm, CapacitySpec, Http, JitterSpec, LinkReport, LossSpec, RunSpec};
use bentpipe_units::{Duration, Rate};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::common::{page, page_load, spec};
use crate::devices::{Devices, Outside, with_devices, with_offloading_devices};

/// How long a file of the link's process may be, in bytes.
const LIMIT: &str = "BENTPIPE_FILE_LIMIT";

/// A link at work.
struct Link {
    process: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Link {
    /// Starts one with a capture in a folder.
    fn start(devices: &Devices, artifacts: &Path, limit_bytes: Option<u64>) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "link_part::is_a_link_until_its_input_ends", "--ignored", "--nocapture"]);
        if let Some(bytes) = limit_bytes {
            command.env(LIMIT, bytes.to_string());
        }
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let configuration = json!({
            "spec": fast_link(),
            "devices": [devices.client.as_raw_fd(), devices.server.as_raw_fd()],
            "client": "198.18.0.1",
            "terminal": "198.18.0.1",
            "gateway": "198.18.0.2",
            "origin": "198.18.0.2",
            "identity": Identity::generate(&["origin.bentpipe.test"], KeyKind::Ed25519).unwrap(),
            "artifacts": artifacts,
        });
        writeln!(process.stdin.as_ref().unwrap(), "{configuration}").unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut link = Self { process, answers };
        assert_eq!(link.answer().as_deref(), Some("\"ready\""));
        link
    }

    fn order(&mut self, order: &str) -> Option<String> {
        writeln!(self.process.stdin.as_ref().unwrap(), "{order}").unwrap();
        self.answer()
    }

    /// The next answer among what the test harness says; none when the process ends.
    fn answer(&mut self) -> Option<String> {
        self.answers.by_ref().map(Result::unwrap).find_map(|line| {
            let start = line.find(['"', '{'])?;
            Some(line[start..].to_owned())
        })
    }

    /// Waits for its end: how it ended, and its words.
    fn end(mut self) -> (ExitStatus, String) {
        let mut errors = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.process.wait().unwrap(), errors)
    }
}

#[test]
#[ignore = "the process that other tests start"]
fn is_a_link_until_its_input_ends() {
    if let Ok(bytes) = env::var(LIMIT) {
        // Writes beyond the limit fail with EFBIG when the signal is ignored (setrlimit(2)).
        // SAFETY: no handler runs.
        unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) }.unwrap();
        let bytes = bytes.parse().unwrap();
        setrlimit(Resource::RLIMIT_FSIZE, bytes, bytes).unwrap();
    }
    if let Err(error) = parts::link() {
        eprintln!("{error}");
        process::exit(1);
    }
}

/// 100 Mbit/s and a millisecond in each direction, without losses, with a capture.
fn fast_link() -> RunSpec {
    let mut spec = spec(Algorithm::Cubic, page_load(Http::H1, page(1, 1_000)));
    for direction in [&mut spec.link.forward, &mut spec.link.return_] {
        direction.capacity = CapacitySpec::Constant { rate_bps: Rate::from_bps(100_000_000) };
        direction.delay_ns = Duration::from_millis(1);
        direction.jitter = JitterSpec::None;
        direction.loss = LossSpec::None;
    }
    spec.capture.pcapng = true;
    spec
}

/// An empty folder.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("link-part").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A packet of IPv4 without payload but `content`; nobody asks for its checksum.
fn ipv4(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(20 + content.len()).unwrap().to_be_bytes();
    // RFC 791 section 3.1; protocol 253 is for experiments (RFC 3692).
    let header = [0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, 253, 0, 0, 198, 18, 0, 1, 198, 18, 0, 2];
    [&header, content].concat()
}

/// When the measurement begins, of the answer to the mark.
fn begin_ns(marked: &str) -> u64 {
    let answer: serde_json::Value = serde_json::from_str(marked).unwrap();
    answer["begin_ns"].as_u64().unwrap()
}

fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    u64::try_from(now.tv_sec() * 1_000_000_000 + now.tv_nsec()).unwrap()
}

#[test]
fn time_begins_ten_milliseconds_after_the_mark_for_a_client_to_know_when() {
    with_devices(|devices| {
        let mut link = Link::start(&devices, &folder("mark"), None);
        let before_ns = now_ns();
        let begin_ns = begin_ns(&link.order("mark").unwrap());
        assert!((before_ns + 10_000_000..=now_ns() + 10_000_000).contains(&begin_ns));
        // One that comes too early is sent then.
        let packet = ipv4(b"too early");
        let (client, server) = (Outside::of("client"), Outside::of("server"));
        client.send(&packet);
        assert!(std::iter::from_fn(|| server.receive()).any(|received| received == packet));
        assert!(now_ns() >= begin_ns);
        let report: LinkReport = serde_json::from_str(&link.order("report").unwrap()).unwrap();
        assert_eq!(report.marked.as_nanos(), begin_ns);
    });
}

#[test]
fn a_link_that_has_been_used_counts_from_the_mark_on() {
    with_devices(|devices| {
        let mut link = Link::start(&devices, &folder("used"), None);
        let packet = ipv4(b"before the mark");
        let (client, server) = (Outside::of("client"), Outside::of("server"));
        client.send(&packet);
        assert!(std::iter::from_fn(|| server.receive()).any(|received| received == packet));
        let before_ns = now_ns();
        let begin_ns = begin_ns(&link.order("mark").unwrap());
        assert!((before_ns..=now_ns()).contains(&begin_ns));
        let report: LinkReport = serde_json::from_str(&link.order("report").unwrap()).unwrap();
        assert_eq!(report.forward.offered_packets, 0);
    });
}

#[test]
fn an_odd_packet_does_not_end_the_link_and_counts_as_refused() {
    with_devices(|devices| {
        let mut link = Link::start(&devices, &folder("odd"), None);
        let (client, server) = (Outside::of("client"), Outside::of("server"));
        link.order("mark").unwrap();
        // Versions 0, 5 and 15 of IP; the device wants 4 or 6.
        for odd in [&[0; 40][..], &[0x5f], &[0xff; 1_400]] {
            client.send(odd);
        }
        let packet = ipv4(b"the next one");
        client.send(&packet);
        assert!(std::iter::from_fn(|| server.receive()).any(|received| received == packet));
        let report: LinkReport = serde_json::from_str(&link.order("report").unwrap()).unwrap();
        assert_eq!(report.lateness.unwrap().refused, 3);
        let (status, errors) = link.end();
        assert!(status.success(), "{errors}");
    });
}

#[test]
fn a_super_segment_that_is_none_does_not_end_a_link_with_offload() {
    with_offloading_devices(|devices| {
        let mut link = Link::start(&devices, &folder("odd-offload"), None);
        let (client, server) = (Outside::of("client"), Outside::of("server"));
        link.order("mark").unwrap();
        client.send(&[0; 40]);
        client.send(&[0xff; 1_400]);
        // NEEDS_CSUM, TCP over IPv4, segments of 1000 bytes (virtio 1.3 section 5.1.6) of what has neither length nor TCP's
        // number nor a header of TCP. The kernel checks some of it and refuses such a packet, or hands it over.
        let garbage = Outside::with_headers("client");
        let taken = (0..40_u8).filter(|seed| {
            let words = [40_u16, 1_000, 20, 16].into_iter().flat_map(u16::to_ne_bytes);
            let header = [1, 1].into_iter().chain(words).chain([0x45, *seed]).collect::<Vec<_>>();
            garbage.offers(&[&header[..], &[*seed; 3_000]].concat())
        });
        let taken = taken.count();
        let packet = ipv4(b"the next one");
        client.send(&packet);
        assert!(std::iter::from_fn(|| server.receive()).any(|received| received == packet));
        let report: LinkReport = serde_json::from_str(&link.order("report").unwrap()).unwrap();
        let refused = report.lateness.unwrap().refused;
        assert!((2..=2 + taken as u64).contains(&refused), "{refused} of {taken}");
        let (status, errors) = link.end();
        assert!(status.success(), "{errors}");
    });
}

#[test]
fn the_capture_is_whole_when_the_report_is_answered() {
    with_devices(|devices| {
        let folder = folder("whole");
        let mut link = Link::start(&devices, &folder, None);
        let (client, server) = (Outside::of("client"), Outside::of("server"));
        let packet = ipv4(b"far below the buffer");
        client.send(&packet);
        assert!(std::iter::from_fn(|| server.receive()).any(|received| received == packet));
        link.order("report").unwrap();
        let captured = fs::read(folder.join("packets.pcapng")).unwrap();
        let seen = captured.windows(packet.len()).filter(|bytes| *bytes == packet).count();
        assert_eq!(seen, 2, "at both ends");
        let (status, errors) = link.end();
        assert!(status.success(), "{errors}");
    });
}

#[test]
fn a_link_that_cannot_write_the_end_of_its_capture_answers_no_report_and_says_why() {
    with_devices(|devices| {
        let folder = folder("end");
        let mut link = Link::start(&devices, &folder, Some(100));
        Outside::of("client").send(&ipv4(b"far below the buffer"));
        link.order("mark").unwrap();
        assert_eq!(link.order("report"), None);
        assert_unwritten(link, &folder);
    });
}

#[test]
fn a_link_that_cannot_write_its_capture_on_the_way_ends_and_says_why() {
    with_devices(|devices| {
        let folder = folder("way");
        let mut link = Link::start(&devices, &folder, Some(100));
        let client = Outside::of("client");
        // More than its buffer of a megabyte, and than the device's queue takes at once.
        for _ in 0..1_000 {
            client.send(&ipv4(&[7; 1_400]));
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        assert_eq!(link.answer(), None);
        assert_unwritten(link, &folder);
    });
}

fn assert_unwritten(link: Link, folder: &Path) {
    let (status, errors) = link.end();
    let capture = folder.join("packets.pcapng");
    let expected = format!("cannot write the capture {}: File too large", capture.display());
    assert!(!status.success() && errors.contains(&expected), "{status}: {errors}");
}
