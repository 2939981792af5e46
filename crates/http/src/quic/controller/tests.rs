//! The adapter driven by hand, as the library drives it.

use std::ops::Range;

use bentpipe_cc::careful_resume::{Phase as Resuming, ResumeSpec, SavedSpec};

use super::*;
use crate::quic::Paths;

const MSS: u64 = 1_000;
/// Initial window: ten packets.
const WINDOW: u64 = 10 * MSS;

/// A sender and the library's part: what is sent, and which of it is acknowledged or lost.
struct Sender {
    adapter: Adapter,
    epoch: Instant,
    in_flight: u64,
}

/// A packet that was sent.
#[derive(Clone, Copy)]
struct Sent {
    number: u64,
    at_ms: u64,
}

impl Sender {
    fn new(algorithm: bentpipe_run::Algorithm) -> Self {
        Self::with(algorithm, Switch::On)
    }

    fn with(algorithm: bentpipe_run::Algorithm, cwnd_validation: Switch) -> Self {
        Self::made(algorithm, cwnd_validation, None)
    }

    fn knowing(algorithm: bentpipe_run::Algorithm, path: Option<KnownPath>) -> Self {
        Self::made(algorithm, Switch::On, path)
    }

    fn made(algorithm: bentpipe_run::Algorithm, cwnd_validation: Switch, path: Option<KnownPath>) -> Self {
        let factory = Factory {
            algorithm,
            mss: Bytes::new(MSS),
            initial_window: Bytes::new(WINDOW),
            slow_start_exit: SlowStartExit::of(None, Pacing::Paced),
            cwnd_validation,
            bbr: BbrSpec::LINUX,
            path,
            qlog: None,
            ecn: Ecn::of(algorithm, None),
            seed: 1,
        };
        // An `Instant` comes from the clock alone; only its distance to others counts here.
        #[expect(clippy::disallowed_methods)]
        let epoch = Instant::now();
        let controller = Arc::new(factory).build(epoch, MSS as u16);
        let adapter = *controller.into_any().downcast::<Adapter>().unwrap();
        Self { adapter, epoch, in_flight: 0 }
    }

    fn cubic() -> Self {
        Self::new(bentpipe_run::Algorithm::Cubic)
    }

    fn at(&self, ms: u64) -> Instant {
        self.epoch + std::time::Duration::from_millis(ms)
    }

    /// Sends full packets, all in one millisecond; the window holds back more.
    fn send(&mut self, at_ms: u64, numbers: Range<u64>) -> Vec<Sent> {
        let flight = self.send_all_there_is(at_ms, numbers);
        self.adapter.on_cwnd_limited();
        flight
    }

    /// Sends full packets, all in one millisecond, and has no more.
    fn send_all_there_is(&mut self, at_ms: u64, numbers: Range<u64>) -> Vec<Sent> {
        let now = self.at(at_ms);
        for number in numbers.clone() {
            self.adapter.on_packet_sent(now, MSS as u16, number);
            self.in_flight += MSS;
        }
        self.adapter.on_sent(now, MSS, numbers.end - 1);
        numbers.map(|number| Sent { number, at_ms }).collect()
    }

    /// One acknowledgement of all these packets.
    fn ack(&mut self, at_ms: u64, packets: &[Sent]) {
        for packet in packets {
            let now = self.adapter.time(self.at(at_ms));
            let sent = self.adapter.time(self.at(packet.at_ms));
            self.in_flight -= MSS;
            self.adapter.on_delivered(now, sent, Bytes::new(MSS), packet.number);
        }
        let largest = packets.iter().map(|packet| packet.number).max();
        self.adapter.on_end_acks(self.at(at_ms), self.in_flight, false, largest);
    }

    /// The library deems these packets lost, and calls that congestion.
    fn lose(&mut self, at_ms: u64, packets: &[Sent]) {
        for packet in packets {
            self.in_flight -= MSS;
            self.adapter.on_packet_lost(MSS as u16, packet.number, self.at(at_ms));
        }
        let newest = packets.last().expect("a loss");
        let bytes = MSS * packets.len() as u64;
        let (now, sent) = (self.at(at_ms), self.at(newest.at_ms));
        self.adapter.on_congestion_event(now, sent, false, false, bytes, newest.number);
    }

    /// The library reads of an acknowledgement that so many packets were marked, of which this is the newest.
    fn mark(&mut self, at_ms: u64, packets: u64, newest: Sent) {
        let (now, sent) = (self.at(at_ms), self.at(newest.at_ms));
        self.adapter.on_congestion_experienced(now, packets);
        self.adapter.on_congestion_event(now, sent, false, true, 0, newest.number);
    }

    fn smoothed(&self) -> Option<Duration> {
        self.adapter.rtt.map(|rtt| rtt.smoothed)
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn losses_of_packets_sent_before_an_episode_belong_to_it() {
    // RFC 9002 section 7.3.2: one reduction for all losses of a flight.
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.ack(100, &flight[4..6]);
    sender.lose(100, &flight[..1]);
    let reduced = sender.adapter.window();
    assert!(reduced < WINDOW + 2 * MSS);
    sender.lose(110, &flight[1..3]);
    sender.lose(120, &flight[6..7]);
    assert_eq!(sender.adapter.window(), reduced);
}

#[test]
fn the_loss_of_a_packet_sent_after_an_episode_started_is_an_episode_of_its_own() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.ack(100, &flight[4..6]);
    sender.lose(100, &flight[..1]);
    let reduced = sender.adapter.window();
    let later = sender.send(101, 10..14);
    sender.lose(300, &later[..1]);
    // RFC 9438 section 4.6: beta is 0.7; Linux has 717/1024.
    let expected = reduced as f64 * 717.0 / 1024.0;
    assert!(
        (sender.adapter.window() as f64 - expected).abs() <= 1.0,
        "{} of {reduced}",
        sender.adapter.window()
    );
}

#[test]
fn an_episode_ends_with_the_delivery_of_a_packet_sent_after_it_started_and_not_before() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.lose(100, &flight[..1]);
    let later = sender.send(150, 10..12);
    sender.ack(200, &flight[1..4]);
    let phase = |sender: &Sender| sender.adapter.episode.map(|episode| episode.phase);
    assert_eq!(phase(&sender), Some(Phase::Recovery));
    sender.ack(250, &later);
    assert_eq!(phase(&sender), Some(Phase::Over));
}

#[test]
fn a_loss_found_out_after_its_episode_is_over_reduces_the_window_no_more() {
    // RFC 9002 appendix B.6: OnCongestionEvent(sent_time) asks when the packet was sent, not when it was missed.
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.lose(100, &flight[..1]);
    let later = sender.send(150, 10..12);
    sender.ack(250, &later);
    let window = sender.adapter.window();
    sender.lose(260, &flight[1..2]);
    assert_eq!(sender.adapter.window(), window);
}

#[test]
fn persistent_congestion_collapses_the_window_within_an_episode() {
    // RFC 9002 section 7.6.2: kMinimumWindow is two packets.
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.lose(100, &flight[..1]);
    let (now, sent) = (sender.at(900), sender.at(0));
    sender.adapter.on_congestion_event(now, sent, true, false, MSS, 9);
    assert_eq!(sender.adapter.window(), 2 * MSS);
}

#[test]
fn a_spurious_episode_gives_the_window_back() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    let before = sender.adapter.metrics();
    sender.lose(100, &flight[..1]);
    assert!(sender.adapter.window() < before.congestion_window);
    sender.adapter.on_spurious_congestion_event();
    let after = sender.adapter.metrics();
    assert_eq!(after.congestion_window, before.congestion_window);
    assert_eq!(after.ssthresh, before.ssthresh);
    // The undone episode is over: the next loss is a new one.
    sender.lose(110, &flight[1..2]);
    assert!(sender.adapter.window() < before.congestion_window);
}

#[test]
fn an_episode_that_is_over_cannot_turn_out_spurious() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.lose(100, &flight[..1]);
    let later = sender.send(101, 10..12);
    sender.ack(200, &later);
    let window = sender.adapter.window();
    sender.adapter.on_spurious_congestion_event();
    assert_eq!(sender.adapter.window(), window);
}

#[test]
fn equal_numbers_of_different_spaces_are_told_apart_by_when_they_were_sent() {
    // RFC 9000 section 12.3: Initial, Handshake and application packets are each numbered from zero.
    let mut sender = Sender::cubic();
    let initial = sender.send(0, 0..1);
    let handshake = sender.send(50, 0..1);
    let data = sender.send(60, 0..2);
    sender.ack(100, &handshake);
    let left: Vec<_> = remembered(&sender).map(|packet| (packet.sent, packet.number)).collect();
    let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
    assert_eq!(left, [(at(0), 0), (at(60), 0), (at(60), 1)]);
    sender.ack(120, &data);
    sender.ack(130, &initial);
    assert!(sender.adapter.outstanding.is_empty());
    assert_eq!(sender.adapter.estimator.delivered(), Bytes::new(4 * MSS));
}

#[test]
fn packets_that_are_never_heard_of_again_are_forgotten() {
    // 100 packets per 100 ms of round trip; every tenth is lost, every fiftieth silently, with its space's keys.
    const PACKETS: u64 = 100_000;
    const PER_RTT: u64 = 100;
    let mut sender = Sender::cubic();
    let mut waiting = VecDeque::new();
    let (mut peak, mut peak_places) = (0, 0);
    for number in 0..PACKETS {
        waiting.extend(sender.send(number, number..number + 1));
        if waiting.len() as u64 == PER_RTT {
            let oldest: Sent = waiting.pop_front().unwrap();
            match oldest.number {
                n if n % 50 == 0 => sender.in_flight -= MSS,
                n if n % 10 == 0 => sender.lose(number, &[oldest]),
                _ => sender.ack(number, &[oldest]),
            }
        }
        peak = peak.max(remembered(&sender).count() as u64);
        peak_places = peak_places.max(sender.adapter.outstanding.len() as u64);
    }
    // A round trip's packets and, of the two before it, the tenth that was lost.
    assert!(peak <= PER_RTT + 2 * PER_RTT / 10 + 2, "{peak} packets remembered");
    // What was delivered since the oldest of them keeps its place.
    assert!(peak_places <= 3 * PER_RTT + 2, "{peak_places} places");
}

fn remembered(sender: &Sender) -> impl Iterator<Item = &Outstanding> {
    sender.adapter.outstanding.iter().filter(|packet| packet.state.is_some())
}

#[test]
fn bytes_in_flight_are_those_of_the_library_after_every_acknowledgement() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    assert_eq!(sender.adapter.in_flight(), Bytes::new(10 * MSS));
    sender.lose(90, &flight[..2]);
    assert_eq!(sender.adapter.in_flight(), Bytes::new(8 * MSS));
    // Two more are gone silently: the library knows, the adapter learns.
    sender.in_flight -= 2 * MSS;
    sender.ack(100, &flight[4..6]);
    assert_eq!(sender.adapter.in_flight(), Bytes::new(4 * MSS));
}

#[test]
fn the_first_round_trip_counts_even_of_a_lone_packet() {
    let mut sender = Sender::cubic();
    let packet = sender.send(0, 0..1);
    sender.ack(600, &packet);
    assert_eq!((sender.smoothed(), sender.adapter.min_rtt()), (Some(ms(600)), Some(ms(600))));
}

#[test]
fn a_lone_packets_round_trip_counts_only_below_the_minimum() {
    // It may hold up to max_ack_delay (RFC 9000 section 18.2: 25 ms) of waiting for a second packet.
    let mut sender = Sender::cubic();
    let pair = sender.send(0, 0..2);
    sender.ack(600, &pair);
    let late = sender.send(1_000, 2..3);
    sender.ack(1_625, &late);
    assert_eq!((sender.smoothed(), sender.adapter.min_rtt()), (Some(ms(600)), Some(ms(600))));
    let early = sender.send(2_000, 3..4);
    sender.ack(2_560, &early);
    assert_eq!(sender.adapter.min_rtt(), Some(ms(560)));
    // RFC 6298 section 2.3: 7/8 of 600 ms and 1/8 of 560 ms.
    assert_eq!(sender.smoothed(), Some(ms(595)));
}

#[test]
fn the_round_trip_of_several_packets_is_the_newest_ones() {
    let mut sender = Sender::cubic();
    let older = sender.send(0, 0..1);
    let newer = sender.send(100, 1..2);
    sender.ack(700, &[older, newer].concat());
    assert_eq!(sender.adapter.min_rtt(), Some(ms(600)));
}

/// Bytes per second that spread `windows` windows over `rtt_s`.
fn rate(sender: &Sender, windows: f64, rtt_s: f64) -> f64 {
    windows * sender.adapter.window() as f64 / rtt_s
}

fn assert_paced(sender: &Sender, expected: f64) {
    let found = sender.adapter.metrics().pacing_rate.expect("a pacing rate") as f64;
    assert!((found - expected).abs() <= 1.0, "{found} bytes/s, not {expected}");
}

#[test]
fn the_first_window_leaves_in_one_burst() {
    // RFC 9002 section 7.7: bursts up to the initial window are allowed.
    let mut sender = Sender::cubic();
    sender.send(0, 0..9);
    assert_eq!(sender.adapter.metrics().pacing_rate, Some(UNPACED));
    sender.send(0, 9..10);
    assert_eq!(sender.adapter.metrics().pacing_rate, None);
}

/// The window after `rounds` of two packets each, 100 ms apart, in a window of ten that never fills.
fn window_of_two_packets_a_round(sender: &mut Sender, rounds: u64) -> u64 {
    for round in 1..=rounds {
        let pair = sender.send_all_there_is(round * 1_000, 2 * round..2 * round + 2);
        sender.ack(round * 1_000 + 100, &pair);
    }
    sender.adapter.window()
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // RFC 9002 section 7.8. Two packets of ten are less than half.
    let mut sender = Sender::cubic();
    assert_eq!(window_of_two_packets_a_round(&mut sender, 20), WINDOW);
}

#[test]
fn without_validation_the_window_of_slow_start_grows_with_every_acknowledgement() {
    // lsquic_cubic_ack: one packet more for each acknowledged one, whether or not the application had more to send.
    for algorithm in [bentpipe_run::Algorithm::Cubic, bentpipe_run::Algorithm::Reno] {
        let mut sender = Sender::with(algorithm, Switch::Off);
        assert_eq!(window_of_two_packets_a_round(&mut sender, 20), WINDOW + 40 * MSS);
    }
}

#[test]
fn without_validation_a_window_above_the_threshold_still_has_to_be_used() {
    // lsquic_cubic_ack: cubic_update only where it is not app_limited.
    let mut sender = Sender::with(bentpipe_run::Algorithm::Reno, Switch::Off);
    let flight = sender.send(0, 100..110);
    sender.lose(100, &flight[..1]);
    sender.ack(100, &flight[1..]);
    let later = sender.send(200, 110..111);
    sender.ack(300, &later);
    let reduced = sender.adapter.window();
    assert_eq!(window_of_two_packets_a_round(&mut sender, 20), reduced);
}

#[test]
fn slow_start_is_paced_at_two_windows_a_round_trip() {
    // Linux, net.ipv4.tcp_pacing_ss_ratio: 200 %.
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.ack(500, &flight);
    assert_eq!(sender.adapter.metrics().ssthresh, None);
    assert_paced(&sender, rate(&sender, 2.0, 0.5));
}

#[test]
fn congestion_avoidance_is_paced_at_a_fifth_above_a_window_a_round_trip() {
    // Linux, net.ipv4.tcp_pacing_ca_ratio: 120 %.
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.ack(500, &flight[1..]);
    sender.lose(500, &flight[..1]);
    assert_paced(&sender, rate(&sender, 1.2, 0.5));
}

#[test]
fn an_algorithm_with_a_rate_of_its_own_is_paced_at_that() {
    let mut sender = Sender::new(bentpipe_run::Algorithm::Bbr);
    let flight = sender.send(0, 0..10);
    sender.ack(500, &flight);
    let own = sender.adapter.algorithm.state().pacing_rate.expect("BBR paces");
    assert_eq!(sender.adapter.metrics().pacing_rate, Some(own.as_bps() / 8));
    assert_ne!(own, sender.adapter.window_rate().unwrap());
}

#[test]
fn no_rate_is_so_high_that_a_byte_takes_less_than_a_nanosecond() {
    // A window of 10 kB in a round trip of 4 microseconds is 2.5 GB/s, and twice that in slow start.
    let mut sender = Sender::cubic();
    sender.send(0, 0..10);
    let round_trip = Duration::from_micros(4);
    sender.adapter.rtt = Some(Rtt { smoothed: round_trip, min: round_trip });
    assert_eq!(sender.adapter.metrics().pacing_rate, Some(1_000_000_000));
}

#[test]
fn an_acknowledgement_of_no_more_packets_than_the_peer_may_leave_waiting_is_no_round_trip() {
    // draft-ietf-quic-ack-frequency section 4: with more than the threshold it was sent at once.
    let min = Duration::from_millis(500);
    let mut sender = Sender::cubic();
    sender.adapter.rtt = Some(Rtt { smoothed: min, min });
    let late = Duration::from_millis(600);
    assert_eq!(sender.adapter.round_trip(late, 2), Some(late));
    sender.adapter.on_ack_frequency_update(9, std::time::Duration::from_millis(100));
    assert_eq!(sender.adapter.round_trip(late, 9), None);
    assert_eq!(sender.adapter.round_trip(late, 10), Some(late));
    // The path took no longer, whatever the receiver waited.
    assert_eq!(sender.adapter.round_trip(min, 1), Some(min));
}

#[test]
fn an_acknowledgement_of_nothing_changes_nothing() {
    let mut sender = Sender::cubic();
    sender.send(0, 0..10);
    let before = format!("{:?}", sender.adapter);
    sender.adapter.on_end_acks(sender.at(100), sender.in_flight, false, None);
    assert_eq!(format!("{:?}", sender.adapter), before);
}

#[test]
fn a_connection_that_knows_its_path_jumps_to_half_of_it_and_paces_that_over_its_round_trip() {
    // RFC 9959 sections 3.3 and 4.3.2.
    let saved = SavedSpec { cwnd_bytes: Bytes::new(300 * MSS), rtt_ns: ms(100), age_ns: Duration::ZERO };
    let resume =
        ResumeSpec { max_jump_bytes: None, lifetime_ns: Duration::from_secs(60), saved: Some(saved) };
    let spec = RunSpec { resume: Some(resume), ..spec() };
    let mut sender = Sender::knowing(bentpipe_run::Algorithm::Cubic, Paths::default().to(None, &spec));
    let flight = sender.send(0, 0..10);
    sender.ack(100, &flight);
    assert_eq!(sender.adapter.window(), 150 * MSS);
    assert_paced(&sender, rate(&sender, 1.0, 0.1));
    let phases: Vec<_> = sender.adapter.resumption().iter().map(|step| step.phase).collect();
    assert_eq!(phases, [Resuming::Reconnaissance, Resuming::Unvalidated]);
}

fn spec() -> RunSpec {
    serde_json::from_str(include_str!("../../../../run/tests/data/spec.json")).unwrap()
}

#[test]
fn no_window_starts_below_two_packets() {
    // RFC 9002 section 7.2; the sample run's packets have 1472 bytes.
    for (asked, expected) in [(1, 2_944), (2_943, 2_944), (2_944, 2_944), (2_945, 2_945)] {
        let mut spec = spec();
        spec.quic.initial_window_bytes = Bytes::new(asked);
        let factory = Factory::new(&spec, Role::Origin, crate::quic::Sender::with_host(&spec, 0), None, None);
        assert_eq!(factory.initial_window, Bytes::new(expected), "{asked}");
    }
}

#[test]
fn client_and_origin_and_their_endpoints_draw_from_different_streams_of_one_seed() {
    let spec = spec();
    let first = crate::quic::Sender::with_host(&spec, 0);
    let (client, origin) = (
        Factory::new(&spec, Role::Client, first, None, None),
        Factory::new(&spec, Role::Origin, first, None, None),
    );
    assert_ne!(client.seed, origin.seed);
    let second = Factory::new(&spec, Role::Origin, crate::quic::Sender { index: 1, ..first }, None, None);
    assert!(![client.seed, origin.seed].contains(&second.seed), "the endpoints of one host neither");
    assert_eq!((client.mss, client.initial_window), (Bytes::new(1_472), Bytes::new(14_480)));
}

#[test]
fn packets_acknowledged_one_by_one_bring_down_a_smoothed_round_trip_from_when_a_queue_was_full() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.ack(100, &flight[..2]);
    // RFC 6298 section 2.3: 7/8 of 100 ms and 1/8 of 10 s.
    sender.ack(10_000, &flight[2..4]);
    assert_eq!(sender.smoothed(), Some(Duration::from_micros(1_337_500)));
    let lone = sender.send(20_000, 10..11);
    sender.ack(20_200, &lone);
    assert_eq!(sender.smoothed(), Some((Duration::from_micros(1_337_500) * 7 + ms(200)) / 8));
    // It is still no sample for the algorithm: 25 ms of it may be the receiver's.
    assert_eq!(sender.adapter.min_rtt(), Some(ms(100)));
}

#[test]
fn no_loss_that_was_none_gives_back_what_a_mark_has_taken() {
    let mut sender = Sender::cubic();
    let flight = sender.send(0, 0..10);
    sender.ack(100, &flight);
    let grown = sender.adapter.window();
    sender.mark(100, 1, flight[9]);
    let reduced = sender.adapter.window();
    assert!(reduced < grown, "RFC 9002 section 7.1: a mark is answered as a loss");
    sender.adapter.on_spurious_congestion_event();
    assert_eq!(sender.adapter.window(), reduced);
}

#[test]
fn a_loss_in_the_round_trip_of_a_mark_is_answered_besides_where_marks_are_answered_by_a_little() {
    // RFC 9331 section 4.3; RFC 9002 section 7.3.1: one reduction in a recovery period.
    for (algorithm, reduces_again) in
        [(bentpipe_run::Algorithm::Prague, true), (bentpipe_run::Algorithm::Cubic, false)]
    {
        let mut sender = Sender::new(algorithm);
        let flight = sender.send(0, 0..10);
        sender.ack(100, &flight[..9]);
        sender.mark(100, 1, flight[8]);
        let reduced = sender.adapter.window();
        sender.lose(101, &flight[9..]);
        assert_eq!(sender.adapter.window() < reduced, reduces_again, "{algorithm:?}");
    }
}
