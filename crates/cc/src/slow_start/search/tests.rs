//! The cases of neqo, the QUIC of Firefox (`neqo-transport/src/cc/tests/search.rs`, version of June 2026), by their
//! inputs and outcomes; what they ask of its statistics is asked of the state here. Then the drain, by hand.

use bentpipe_units::{Bytes, Duration, Time};

use super::bins::{Bins, Earlier, Outcome};
use super::{Search, Step};
use crate::testing;

/// neqo's MIN_INITIAL_PACKET_SIZE and its initial window of ten of them.
const PACKET: u64 = 1_200;
const INITIAL_CWND: u64 = 10 * PACKET;
const NANOSECOND: Duration = Duration::from_nanos(1);
const INITIAL_RTT: Duration = Duration::from_millis(100);
const LOW_RTT: Duration = Duration::from_millis(80);
const HIGH_RTT: Duration = Duration::from_millis(200);
const POST_RESET_RTT: Duration = Duration::from_millis(150);
/// 100 ms * 3.5 / 10.
const BIN: Duration = Duration::from_millis(35);

/// A sender with a clock.
struct Sender {
    search: Search,
    now: Time,
}

impl Sender {
    /// After the first packet and its acknowledgement.
    fn new(initial_rtt: Duration) -> Self {
        let mut sender = Self { search: Search::new(Bytes::new(INITIAL_CWND)), now: Time::ZERO };
        sender.send(PACKET);
        sender.ack_after(initial_rtt, initial_rtt, PACKET);
        sender
    }

    fn send(&mut self, bytes: u64) {
        self.search.on_sent(Bytes::new(bytes));
    }

    fn ack_after(&mut self, passed: Duration, rtt: Duration, bytes: u64) -> Step {
        self.ack_at_cwnd(passed, rtt, bytes, INITIAL_CWND)
    }

    fn ack_at_cwnd(&mut self, passed: Duration, rtt: Duration, bytes: u64, cwnd: u64) -> Step {
        self.now += passed;
        let ack = crate::AckSample { rtt: Some(rtt), ..testing::ack(self.now, Bytes::new(bytes)) };
        self.search.on_delivered(ack.acked);
        self.search.on_ack(&ack, Bytes::new(cwnd), Bytes::new(PACKET))
    }

    /// A packet sent and acknowledged just after the bin.
    fn next_bin(&mut self) -> Step {
        self.send(PACKET);
        self.ack_after(BIN + NANOSECOND, INITIAL_RTT, PACKET)
    }

    fn advance_to(&mut self, bin: usize) {
        while self.current() < Some(bin) {
            self.next_bin();
        }
    }

    fn bins(&self) -> &Bins {
        self.search.bins.as_ref().unwrap()
    }

    fn current(&self) -> Option<usize> {
        self.search.bins.as_ref().map(|bins| bins.current)
    }

    /// What was sent and delivered until the end of a bin.
    fn until(&self, bin: usize) -> (u64, u64) {
        (self.bins().sent_until(bin), self.bins().delivered_until(bin))
    }

    fn judged(&self, rtt: Duration) -> Outcome {
        self.bins().judge(rtt)
    }
}

#[test]
fn the_first_acknowledgement_opens_the_first_bin() {
    let sender = Sender::new(INITIAL_RTT);
    assert_eq!(sender.bins().duration, BIN);
    assert_eq!(sender.bins().end, sender.now + BIN);
    assert_eq!(sender.current(), Some(0));
    assert_eq!(sender.until(0), (PACKET, PACKET));
}

#[test]
fn initialize_on_first_ack_only() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.send(PACKET);
    sender.ack_after(HIGH_RTT, HIGH_RTT, PACKET);
    assert_eq!(sender.bins().duration, BIN);
    assert_ne!(sender.current(), Some(0));
}

#[test]
fn initialization_with_zero_rtt() {
    // neqo panics in debug builds and starts nothing otherwise.
    let mut sender = Sender::new(Duration::ZERO);
    assert_eq!(sender.current(), None);
    sender.ack_after(INITIAL_RTT, INITIAL_RTT, PACKET);
    assert_eq!(sender.current(), Some(0), "the first round trip that takes time");
}

#[test]
fn update_bins_after_bin_end_passed() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.send(PACKET);
    sender.ack_after(BIN, INITIAL_RTT, PACKET);
    assert_eq!(sender.current(), Some(0), "at the end of the bin itself");
    let end = sender.now;
    sender.send(PACKET);
    sender.ack_after(NANOSECOND, INITIAL_RTT, PACKET);
    assert_eq!(sender.current(), Some(1));
    assert_eq!(sender.bins().end, end + BIN);
    assert_eq!(sender.until(1), (3 * PACKET, 3 * PACKET));
}

#[test]
fn update_bins_skipped_bins_propagate_prev_value() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.send(PACKET);
    sender.ack_after(BIN * 2 + NANOSECOND, INITIAL_RTT, PACKET);
    assert_eq!(sender.current(), Some(2));
    assert_eq!(sender.until(1), sender.until(0));
    assert_eq!(sender.until(2), (2 * PACKET, 2 * PACKET));
}

#[test]
fn reset_and_reinitialize_on_too_many_skipped_bins() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.send(PACKET);
    sender.ack_after(BIN * 10, INITIAL_RTT, PACKET);
    assert!(sender.current().is_some(), "a window of bins");
    sender.send(PACKET);
    sender.ack_after(BIN * 11, INITIAL_RTT, PACKET);
    assert_eq!(sender.current(), None, "a bin more");
    sender.send(PACKET);
    sender.ack_after(Duration::ZERO, HIGH_RTT, PACKET);
    let bin = Duration::from_millis(70);
    assert_eq!(sender.current(), Some(0));
    assert_eq!(sender.bins().duration, bin);
    assert_eq!(sender.bins().end, sender.now + bin);
    sender.send(PACKET);
    sender.ack_after(bin * 15, HIGH_RTT, PACKET);
    assert_eq!(sender.current(), None);
}

#[test]
fn sent_and_acked_bytes_accumulate() {
    let mut sender = Sender::new(INITIAL_RTT);
    (0..3).for_each(|_| sender.send(PACKET));
    for _ in 0..2 {
        sender.ack_after(Duration::from_millis(10), INITIAL_RTT, PACKET);
        assert_eq!(sender.current(), Some(0));
    }
    sender.ack_after(Duration::from_millis(20), INITIAL_RTT, PACKET);
    assert_eq!(sender.current(), Some(1));
    assert_eq!(sender.until(1), (4 * PACKET, 4 * PACKET));
}

#[test]
fn prev_idx_and_fraction_calculation() {
    // 100 / 35 = 2.857 bins.
    let mut sender = Sender::new(INITIAL_RTT);
    sender.send(PACKET);
    sender.ack_after(BIN * 5, INITIAL_RTT, PACKET);
    let expected = Earlier { bin: sender.bins().current - 2, fraction: 85 };
    assert_eq!(sender.bins().earlier(INITIAL_RTT), expected);
}

#[test]
fn sent_and_acked_byte_computation() {
    let mut sender = Sender::new(INITIAL_RTT);
    for _ in 0..20 {
        sender.send(1_000);
        sender.ack_after(BIN + NANOSECOND, INITIAL_RTT, 1_000);
    }
    let bins = sender.bins();
    assert_eq!(bins.sent_scaled(bins.earlier(INITIAL_RTT)), 100 * 10_000);
    assert_eq!(bins.delivered_in_window(), 10_000);
}

#[test]
fn search_exits_when_delivery_rate_slows_down() {
    let mut sender = Sender::new(INITIAL_RTT);
    let mut window = INITIAL_CWND;
    let round = |sender: &mut Sender, window: u64, arrives: u64| {
        sender.send(window);
        sender.ack_at_cwnd(INITIAL_RTT, INITIAL_RTT, arrives, window)
    };
    while sender.current() < Some(12) {
        round(&mut sender, window, window);
        window *= 2;
    }
    for _ in 0..10 {
        assert_eq!(round(&mut sender, window, window), Step::Grow);
        window *= 2;
    }
    assert_eq!(round(&mut sender, window, window / 4), Step::Grow, "not at once");
    window += window / 4;
    assert_eq!(round(&mut sender, window, window / 4), Step::Drain(Bytes::new(window)));
}

#[test]
fn inflated_rtt_is_guarded() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.advance_to(28);
    let of_17_bins = Duration::from_millis(600);
    assert_eq!(sender.judged(of_17_bins), Outcome::RttInflated(17));
    sender.send(PACKET);
    assert_eq!(sender.ack_after(BIN + NANOSECOND, of_17_bins, PACKET), Step::Grow);
    assert_eq!(sender.judged(Duration::from_millis(525)), Outcome::RttInflated(15));
    assert!(matches!(sender.judged(Duration::from_millis(524)), Outcome::Continue(_)), "14 bins are kept");
}

#[test]
fn no_sent_bytes() {
    let mut sender = Sender::new(INITIAL_RTT);
    while sender.current() < Some(13) {
        sender.ack_after(BIN + NANOSECOND, INITIAL_RTT, 0);
    }
    assert_eq!(sender.judged(INITIAL_RTT), Outcome::NothingSent);
    assert_eq!(sender.ack_after(BIN + NANOSECOND, INITIAL_RTT, 0), Step::Grow);
}

#[test]
fn warming_up() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.advance_to(12);
    assert_eq!(sender.judged(INITIAL_RTT), Outcome::WarmingUp);
    sender.advance_to(13);
    assert_eq!(sender.judged(INITIAL_RTT), Outcome::Continue(0));
}

#[test]
fn continue_when_delivery_rate_steady() {
    let mut sender = Sender::new(INITIAL_RTT);
    sender.advance_to(13);
    for _ in 0..10 {
        assert_eq!(sender.next_bin(), Step::Grow);
        assert_eq!(sender.judged(INITIAL_RTT), Outcome::Continue(0));
    }
    sender.send(PACKET);
    assert_eq!(sender.ack_after(BIN + NANOSECOND, INITIAL_RTT, PACKET / 4), Step::Grow);
    // Three quarters of a packet in ten: 7.5 hundredths.
    assert_eq!(sender.judged(INITIAL_RTT), Outcome::Continue(7));
    sender.next_bin();
    assert_eq!(sender.judged(INITIAL_RTT), Outcome::Continue(7));
}

#[test]
fn first_and_second_rtt_stats() {
    // neqo records them: bins are as long as the first says, whatever the second, and after a reset as the next says.
    let mut sender = Sender::new(INITIAL_RTT);
    sender.send(PACKET);
    sender.ack_after(LOW_RTT, LOW_RTT, PACKET);
    assert_eq!(sender.bins().duration, BIN);
    sender.search.bins = None;
    for _ in 0..2 {
        sender.send(PACKET);
        sender.ack_after(POST_RESET_RTT, POST_RESET_RTT, PACKET);
        assert_eq!(sender.bins().duration, Duration::from_micros(52_500));
    }
}

// ---- the threshold and the drain, by hand ------------------------------------------------------------------------------

/// After a window of ten packets sent and delivered in each bin, so many are left out of the latest window.
fn missing(packets: u64) -> Sender {
    let mut sender = Sender::new(INITIAL_RTT);
    for _ in 0..20 {
        sender.send(10 * PACKET);
        sender.ack_after(BIN + NANOSECOND, INITIAL_RTT, 10 * PACKET);
    }
    let mut left = packets;
    for _ in 0..10 {
        let lacks = left.min(10);
        left -= lacks;
        sender.send(10 * PACKET);
        sender.now += BIN + NANOSECOND;
        sender.search.on_delivered(Bytes::new((10 - lacks) * PACKET));
        let (now, sent, delivered) = (sender.now, sender.search.sent, sender.search.delivered);
        sender.search.bins.as_mut().unwrap().advance(now, sent, delivered);
    }
    sender
}

#[test]
fn a_quarter_less_is_not_enough_and_26_hundredths_are() {
    // A window is a hundred packets.
    assert_eq!(missing(25).judged(INITIAL_RTT), Outcome::Continue(25));
    assert_eq!(missing(26).judged(INITIAL_RTT), Outcome::Exit);
}

/// A sender with a hundred packets in its window when SEARCH ends slow start, of which `in_bin` arrived in each of the
/// last bins.
fn at_the_exit(in_bin: u64) -> Sender {
    let mut sender = Sender::new(INITIAL_RTT);
    let mut step = Step::Grow;
    for bin in 0..40 {
        sender.send(10 * PACKET);
        let arrives = if bin < 20 { 10 } else { in_bin };
        step = sender.ack_at_cwnd(BIN + NANOSECOND, INITIAL_RTT, arrives * PACKET, 100 * PACKET);
        if step != Step::Grow {
            break;
        }
    }
    assert_eq!(step, Step::Drain(Bytes::new(100 * PACKET)));
    sender
}

fn drained(sender: &mut Sender, acked: u64, in_flight: u64) -> Step {
    drained_of(sender, 100, acked, in_flight)
}

/// With a window of `cwnd` packets.
fn drained_of(sender: &mut Sender, cwnd: u64, acked: u64, in_flight: u64) -> Step {
    let mut ack = testing::ack(sender.now, Bytes::new(acked * PACKET));
    ack.in_flight = Bytes::new(in_flight * PACKET);
    sender.search.on_delivered(ack.acked);
    sender.search.on_ack(&ack, Bytes::new(cwnd * PACKET), Bytes::new(PACKET))
}

#[test]
fn a_packet_leaves_for_three_that_arrive_until_what_arrived_in_a_round_trip_is_in_flight() {
    // The initial round trip is 2.86 bins, so three: 3 * 5 packets.
    let mut sender = at_the_exit(5);
    let windows: Vec<_> = [(1, 99), (1, 98), (1, 97), (6, 92), (2, 92), (1, 91)]
        .map(|(acked, in_flight)| drained(&mut sender, acked, in_flight))
        .into();
    let expected = [99, 98, 98, 94, 92, 92].map(|packets| Step::Drain(Bytes::new(packets * PACKET)));
    assert_eq!(windows, expected);
    assert_eq!(drained(&mut sender, 80, 12), Step::Drain(Bytes::new(38 * PACKET)));
    assert_eq!(drained(&mut sender, 3, 12), Step::Leave(Bytes::new(15 * PACKET)));
}

#[test]
fn the_window_does_not_drain_below_the_initial_one() {
    let mut sender = at_the_exit(0);
    assert_eq!(drained(&mut sender, 1, 0), Step::Leave(Bytes::new(INITIAL_CWND)));
}

#[test]
fn the_window_does_not_grow_while_it_drains() {
    let mut sender = at_the_exit(5);
    assert_eq!(drained(&mut sender, 1, 60), Step::Drain(Bytes::new(60 * PACKET)));
    assert_eq!(drained(&mut sender, 1, 70), Step::Drain(Bytes::new(60 * PACKET)));
}

#[test]
fn a_window_that_a_pause_has_made_smaller_is_not_raised_while_it_drains() {
    let mut sender = at_the_exit(5);
    assert_eq!(drained(&mut sender, 1, 60), Step::Drain(Bytes::new(60 * PACKET)));
    // The target is 15 packets: RFC 9002 section 7.8 has left more of the window, then less.
    assert_eq!(drained_of(&mut sender, 20, 1, 55), Step::Drain(Bytes::new(20 * PACKET)));
    assert_eq!(drained_of(&mut sender, 10, 1, 10), Step::Leave(Bytes::new(10 * PACKET)));
}
