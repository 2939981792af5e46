//! Losses, reordering and their repair.
//!
//! Timers are those of the kernel's wheel (`common::expiry`).

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{Closed, Config, Event, Payload};
use bentpipe_units::{Bytes, Duration, Time};

use crate::common::{Direction, MSS, Pair, Record, Side, at, config, cubic, expiry, ms, without_timestamps};

/// Data segments of the server that were sent before.
fn repeated(pair: &Pair) -> Vec<&Record> {
    let mut highest = None;
    pair.data_from(Side::Server)
        .filter(|record| {
            let again = highest.is_some_and(|end| record.seq.wrapping_sub(end) > u32::MAX / 2);
            if !again {
                highest = Some(record.seq.wrapping_add(record.payload as u32));
            }
            again
        })
        .collect()
}

/// A link on which the server's data segments with these numbers are lost: number 0 is its SYN-ACK.
fn losing(rtt: Duration, data: impl IntoIterator<Item = u64>) -> Pair {
    let mut pair = Pair::symmetric(rtt);
    pair.down.lose = data.into_iter().map(|number| number + 1).collect();
    pair
}

/// When the first data left.
fn start(pair: &Pair) -> Time {
    pair.data_from(Side::Server).next().expect("data").at
}

#[test]
fn a_lost_segment_is_sent_again_a_round_trip_later_and_nothing_else_is() {
    let mut pair = losing(ms(100), [5]);
    pair.download(10 * MSS);
    let again = repeated(&pair);
    assert_eq!(again.len(), 1);
    // Four segments after it are acknowledged: at the third RACK has no more patience.
    assert_eq!(again[0].at, start(&pair) + ms(100));
    assert_eq!(pair.client.last_read_at, start(&pair) + ms(150));
}

#[test]
fn a_loss_with_fewer_than_three_segments_behind_it_waits_for_the_reordering_window() {
    // RFC 8985 section 6.2: a quarter of the smallest RTT, and 2 ms of timer granularity.
    let mut pair = losing(ms(100), [8]);
    pair.download(10 * MSS);
    let again = repeated(&pair);
    assert_eq!(again.len(), 1);
    // From jiffy 62 on seven jiffies, which end with jiffy 70.
    assert_eq!(again[0].at, expiry(start(&pair) + ms(100), ms(25) + ms(2)));
    assert_eq!(again[0].at, at(70 * 4));
}

#[test]
fn two_lost_segments_at_the_end_are_probed_after_two_round_trips() {
    // RFC 8985 section 7.2: 2 SRTT, and 2 ms of timer granularity, after the last acknowledgement.
    let mut pair = losing(ms(100), [8, 9]);
    pair.download(10 * MSS);
    let again = repeated(&pair);
    assert_eq!(again[0].at, expiry(start(&pair) + ms(100), ms(202)));
    // The probe is the last segment; its acknowledgement shows that the one before is lost.
    assert_eq!(again.len(), 2);
    assert!(again[1].seq < again[0].seq);
}

#[test]
fn a_lone_lost_segment_at_the_end_is_probed_when_the_timeout_would_come() {
    // Its acknowledgement may be delayed: 2 SRTT + 200 ms, or the timeout of SRTT + 200 ms where that is earlier.
    let mut pair = losing(ms(100), [9]);
    pair.download(10 * MSS);
    let again = repeated(&pair);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].at, expiry(start(&pair) + ms(100), ms(300)));
    // RFC 8985 section 7.4: the first acknowledgement beyond the probe shows that it repaired a loss, which counts;
    // 0.7 of the window in whole segments.
    pair.run_until(pair.now + ms(100));
    pair.send(Side::Server, Payload::Length(MSS));
    let cwnd = pair.server.conn().info().cwnd.get();
    pair.run_until(pair.now + ms(200));
    let ssthresh = pair.server.conn().info().ssthresh.map(|ssthresh| ssthresh.get());
    assert_eq!(ssthresh, Some(cwnd / MSS * 717 / 1024 * MSS));
}

#[test]
fn a_burst_of_losses_is_repaired_in_one_round_trip_when_the_window_allows() {
    let mut pair = losing(ms(100), 20..25);
    pair.download(100 * MSS);
    let again = repeated(&pair);
    assert_eq!(again.len(), 5);
    let times: Vec<_> = again.iter().map(|record| record.at).collect();
    assert!(times[4].since(times[0]) <= ms(100));
    assert_eq!(pair.client.received, 100 * MSS);
}

#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    // RACK works for retransmissions too (RFC 8985 section 3.1).
    let mut pair = losing(ms(100), [10, first_retransmission(400)]);
    pair.download(400 * MSS);
    let again = repeated(&pair);
    assert_eq!(again.len(), 2);
    assert_eq!(again[0].seq, again[1].seq);
    assert!(again[1].at.since(again[0].at) < ms(150));
}

#[test]
fn a_lost_retransmission_is_found_by_one_that_arrives_beyond_the_hole() {
    // Nothing new is sent behind them, and the timestamp echoed is of the segment before the hole (RFC 7323
    // section 4.3 rule 2), older than either retransmission. Linux's kernel repeats it all the same.
    const SEGMENTS: u64 = 30;
    let mut pair = losing(ms(100), [20, 22, SEGMENTS]);
    pair.download(SEGMENTS * MSS);
    let again = repeated(&pair);
    assert_eq!(again.len(), 3);
    assert_eq!(again[2].seq, again[0].seq);
    let told = pair.acks_from(Side::Client).filter(|ack| ack.sacks > 0).last().expect("a hole");
    assert_eq!(again[2].at, told.at + ms(50));
}

/// Number of the segment that repairs the loss of number 10.
fn first_retransmission(segments: u64) -> u64 {
    let mut pair = losing(ms(100), [10]);
    pair.download(segments * MSS);
    let seq = repeated(&pair)[0].seq;
    let numbers: Vec<_> = pair.data_from(Side::Server).map(|record| record.seq).collect();
    let second = numbers.iter().enumerate().filter(|(_, other)| **other == seq).nth(1).expect("sent twice");
    second.0 as u64
}

#[test]
fn the_window_falls_to_seven_tenths_gradually() {
    // RFC 9937 and CUBIC's beta of 717/1024, on a path that delivers a segment each 1.2 ms.
    let mut pair = Pair::new(cubic(), cubic(), Direction::rate(10, ms(50)), Direction::rate(10, ms(50)));
    pair.down.lose = [151].into();
    pair.download(100 * MSS);
    let before = pair.server.conn().info();
    pair.send(Side::Server, Payload::Length(500 * MSS));
    pair.run_while(at(60_000), |pair| pair.client.received < 600 * MSS);
    let ssthresh = pair.server.conn().info().ssthresh.expect("reduced").get();
    assert!(ssthresh >= before.cwnd.get() * 7 / 10, "the window was {} at least", before.cwnd);
    // Seven segments leave for ten that arrive, rather than none for half a round trip and then all.
    let lost_at = repeated(&pair)[0].at;
    let in_recovery = pair.data_from(Side::Server).map(|record| record.at);
    let times: Vec<_> = in_recovery.filter(|at| *at >= lost_at && at.since(lost_at) < ms(100)).collect();
    let pause = times.windows(2).map(|pair| pair[1].since(pair[0])).max().expect("several");
    assert!(pause < ms(10), "{pause}");
}

#[test]
fn a_whole_lost_flight_is_repaired_after_a_timeout_that_doubles() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    let from = pair.now;
    pair.down.dark = Some((from, from + ms(2000)));
    pair.send(Side::Server, Payload::Length(10 * MSS));
    pair.run_while(at(60_000), |pair| pair.client.received < 10 * MSS);
    let again: Vec<_> = repeated(&pair).iter().map(|record| record.at).collect();
    // A probe of the last segment after 2 SRTT and 2 ms; then the timer of 300 ms (SRTT 100, variance floor 200 of
    // RFC 6298 with Linux's minimum) from the probe, doubled each time.
    let mut expected = vec![expiry(from, ms(202))];
    for wait in [300, 600, 1_200] {
        expected.push(expiry(expected[expected.len() - 1], ms(wait)));
    }
    assert_eq!(again[..4], expected);
}

#[test]
fn after_a_timeout_slow_start_repairs_the_flight() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    let from = pair.now;
    pair.down.dark = Some((from, from + ms(400)));
    pair.send(Side::Server, Payload::Length(10 * MSS));
    pair.run_while(at(60_000), |pair| pair.client.received < 10 * MSS);
    let again: Vec<_> = repeated(&pair).iter().map(|record| record.at).collect();
    // The probe is lost. From the timeout on 1, 2, 4 and the rest, a round trip apart.
    let timeout = expiry(expiry(from, ms(202)), ms(300));
    let count = |rounds: u64| again.iter().filter(|at| **at == timeout + ms(100) * rounds).count();
    assert_eq!([count(0), count(1), count(2)], [1, 2, 4]);
}

#[test]
fn a_delay_spike_beyond_the_timeout_is_recognised_and_undone() {
    // RFC 5682, RFC 3522: everything arrives 500 ms late; after the timeout the acknowledgement of the original
    // shows by its timestamp that nothing was lost.
    let mut pair = Pair::symmetric(ms(100));
    pair.download(100 * MSS);
    pair.run_until(pair.now + ms(100));
    let before = pair.server.conn().info().cwnd;
    let number = pair.log.iter().filter(|record| record.from == Side::Server).count() as u64;
    pair.down.hold = (number..number + 30).map(|number| (number, ms(500))).collect();
    let from = pair.now;
    pair.client.received = 0;
    pair.send(Side::Server, Payload::Length(20 * MSS));
    pair.run_while(at(60_000), |pair| pair.client.received < 20 * MSS);
    pair.run_until(pair.now + ms(1000));
    let info = pair.server.conn().info();
    let again = pair.data_from(Side::Server).filter(|record| record.at > from).count() as u64;
    assert!((1..=3).contains(&again), "{again} segments were retransmitted");
    assert!(info.cwnd >= before, "{} of {}", info.cwnd, before);
}

#[test]
fn an_original_that_comes_after_its_repetition_does_not_condemn_what_follows_it() {
    // The acknowledgement of the head comes longer than a round trip after its repetition, but echoes an earlier time:
    // it is the original's (tcp_skb_spurious_retrans), and the nine behind it are as late as it was, not lost.
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.down.hold = (1..=12).map(|number| (number, ms(if number == 1 { 520 } else { 700 }))).collect();
    let from = pair.now;
    pair.send(Side::Server, Payload::Length(10 * MSS));
    pair.run_while(at(60_000), |pair| pair.client.received < 10 * MSS);
    // The probe after 2 SRTT and 2 ms, the timeout after another 300 ms.
    let again: Vec<_> = repeated(&pair).iter().map(|record| record.at).collect();
    let probe = expiry(from, ms(202));
    assert_eq!(again, [probe, expiry(probe, ms(300))]);
}

#[test]
fn what_was_found_lost_is_not_found_so_again_after_the_loss_turns_out_to_be_reordering() {
    // tcp_rack_detect_loss takes what it finds lost off the order of transmissions, and tcp_try_undo_partial does not put
    // it back. Seventeen segments of the second flight are overtaken by three, and PRR lets the first out again before its
    // original comes; the other originals come 35 ms later, beyond RACK's window of 25 ms, and are waited for.
    let mut pair = Pair::symmetric(ms(100));
    pair.down.hold = (11..28).map(|number| (number, ms(if number == 11 { 60 } else { 95 }))).collect();
    pair.download(30 * MSS);
    pair.run_until(pair.now + ms(500));
    assert_eq!(repeated(&pair).len(), 1);
}

#[test]
fn segments_that_overtake_by_little_are_not_sent_again() {
    // 3 ms late among segments 1.2 ms apart: fewer than three overtake.
    let mut pair = Pair::new(cubic(), cubic(), Direction::rate(10, ms(50)), Direction::rate(10, ms(50)));
    pair.down.hold = (1..200).step_by(10).map(|number| (number, Duration::from_micros(2500))).collect();
    pair.download(200 * MSS);
    assert_eq!(repeated(&pair).len(), 0);
}

#[test]
fn reordering_once_seen_is_waited_for() {
    // 12 ms late: ten overtake. The first time RACK takes that for a loss; later it waits a quarter of the RTT.
    let mut pair = Pair::new(cubic(), cubic(), Direction::rate(10, ms(50)), Direction::rate(10, ms(50)));
    pair.down.hold = (20..400).step_by(40).map(|number| (number, ms(12))).collect();
    pair.download(400 * MSS);
    let again = repeated(&pair).len();
    assert!((1..=2).contains(&again), "{again} segments were retransmitted");
}

#[test]
fn a_duplicate_is_reported_by_dsack_and_costs_nothing() {
    // RFC 2883: one block of 8 bytes with kind, length and padding: 12 more.
    let mut pair = Pair::symmetric(ms(100));
    pair.down.double = [4].into();
    pair.download(10 * MSS);
    pair.run_until(pair.now + ms(500));
    assert!(pair.acks_from(Side::Client).any(|record| record.sacks == 1 && record.wire == 64));
    assert_eq!(pair.server.conn().info().retransmitted_segments, 0);
}

#[test]
fn no_segment_exceeds_the_mtu_where_both_ends_repair_losses() {
    let mut pair = losing(ms(100), (10..200).step_by(7));
    pair.up.lose = (10..200).step_by(5).collect();
    pair.open();
    pair.send(Side::Client, Payload::Length(150 * MSS));
    pair.send(Side::Server, Payload::Length(150 * MSS));
    let all = 150 * MSS;
    pair.run_while(at(600_000), |pair| pair.client.received < all || pair.server.received < all);
    assert!(pair.log.iter().any(|record| record.payload > 0 && record.sacks > 0));
    assert_eq!(pair.log.iter().map(|record| record.wire).max(), Some(1500));
}

/// How long the window stays reduced when a segment overtaken by many comes 60 ms late, after its repetition has left.
fn reduced_for(config: Config) -> Duration {
    let mut pair = Pair::new(config.clone(), config, Direction::delay(ms(50)), Direction::delay(ms(50)));
    // The first of the second flight.
    pair.down.hold = [(11, ms(60))].into();
    pair.open();
    pair.send(Side::Server, Payload::Length(200 * MSS));
    let mut largest = Bytes::ZERO;
    while repeated(&pair).is_empty() {
        largest = largest.max(pair.server.conn().info().cwnd);
        assert!(pair.step(at(60_000)));
    }
    let from = pair.now;
    while pair.server.conn().info().cwnd < largest {
        assert!(pair.step(at(60_000)));
    }
    pair.now.since(from)
}

#[test]
fn without_timestamps_a_needless_repetition_is_recognised_by_its_dsack_alone() {
    // RFC 3522: the acknowledgement of the late original echoes a time before the repetition. Without timestamps the
    // sender learns a round trip after the repetition that it came twice (RFC 3708; tcp_packet_delayed, tcp_may_undo).
    assert_eq!(reduced_for(cubic()), ms(60));
    assert_eq!(reduced_for(without_timestamps()), ms(100));
}

#[test]
fn without_timestamps_four_blocks_are_reported() {
    // tcp_established_options: (40 - 4) / 8.
    let mut pair = Pair::new(
        without_timestamps(),
        without_timestamps(),
        Direction::delay(ms(50)),
        Direction::delay(ms(50)),
    );
    pair.down.lose = [10, 12, 14, 16, 18, 20, 22].map(|number| number + 1).into();
    pair.download(100 * MSS);
    assert_eq!(pair.acks_from(Side::Client).map(|record| record.sacks).max(), Some(4));
    assert_eq!(pair.acks_from(Side::Client).map(|record| record.wire).max(), Some(40 + 4 + 4 * 8));
}

#[test]
fn no_more_than_three_blocks_are_reported_beside_timestamps() {
    let mut pair = losing(ms(100), [10, 12, 14, 16, 18, 20, 22]);
    pair.download(100 * MSS);
    let most = pair.acks_from(Side::Client).max_by_key(|record| record.sacks).expect("acknowledgements");
    assert_eq!((most.sacks, most.wire), (3, 80));
}

#[test]
fn many_duplicate_acknowledgements_are_compressed_to_one_a_millisecond() {
    // At 144 Mbit/s twelve packets arrive in a millisecond.
    let mut pair = Pair::new(cubic(), cubic(), Direction::rate(144, ms(100)), Direction::rate(144, ms(100)));
    // When the window opens no further: each step of it is told at once.
    pair.down.lose = [12_000].into();
    pair.download(14_000 * MSS);
    let with_blocks: Vec<_> = pair.acks_from(Side::Client).filter(|record| record.sacks > 0).collect();
    let span = with_blocks.last().expect("some").at.since(with_blocks[0].at);
    let per_ms = with_blocks.len() as f64 / (span.as_secs_f64() * 1e3);
    assert!(per_ms < 1.2, "{per_ms} a millisecond");
}

#[test]
fn every_block_is_told_though_many_appear_within_a_compressed_acknowledgement() {
    // tcp_sack_compress_send_ack: at 144 Mbit/s six blocks appear in a millisecond, and an acknowledgement has three.
    let mut pair = Pair::new(cubic(), cubic(), Direction::rate(144, ms(100)), Direction::rate(144, ms(100)));
    pair.down.lose = (12_000..12_400).step_by(2).collect();
    pair.download(14_000 * MSS);
    assert_eq!(pair.down.dropped, 200);
    assert_eq!(pair.server.conn().info().retransmitted_segments, 200);
}

#[test]
fn a_silent_peer_is_given_up_after_a_quarter_of_an_hour() {
    // tcp_retries2 = 15: 924.6 s at least.
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.down.dark = Some((pair.now, Time::MAX));
    pair.send(Side::Server, Payload::Length(MSS));
    pair.run_until(at(2_000_000));
    let end = pair.server.time_of(Event::Closed(Closed::TimedOut)).expect("given up");
    assert!(end > at(924_600) && end < at(1_100_000), "{end:?}");
}

#[test]
fn random_losses_of_a_percent_deliver_everything_with_each_algorithm() {
    for cc in [Algorithm::Cubic, Algorithm::Bbr] {
        let down = Direction::rate(10, ms(150)).with_queue(400_000);
        let mut pair = Pair::new(config(cc), config(cc), down, Direction::rate(10, ms(150)));
        pair.down.lose = (1..20_000).filter(|number| number * 7919 % 101 == 0).collect();
        pair.download(10_000_000);
        assert_eq!(pair.client.received, 10_000_000);
        let info = pair.server.conn().info();
        // As many as were lost, and few besides.
        let extra = info.retransmitted_segments.saturating_sub(pair.down.dropped);
        assert!(extra * 10 <= pair.down.dropped, "{cc:?}: {extra} beyond {}", pair.down.dropped);
    }
}

#[test]
fn slow_start_that_overruns_a_queue_repairs_thousands_of_losses_without_a_timeout() {
    let mut server = cubic();
    server.seed = 3;
    let queue = 144_000_000 / 8 * 3 / 10;
    let down = Direction::rate(144, ms(150)).with_queue(queue);
    let mut pair = Pair::new(cubic(), server, down, Direction::rate(144, ms(150)));
    pair.keep_log = false;
    let took = pair.download(100_000_000);
    assert!(pair.down.dropped > 0);
    assert_eq!(pair.server.conn().info().retransmitted_segments, pair.down.dropped);
    // 100 MB at 144 Mbit/s of wire are 5.76 s.
    assert!(took < at(9_000), "{took:?}");
}
