//! What an acknowledgement says, and what it does not say, by the rules of Linux (net/ipv4/tcp_input.c).

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{Config, Payload, SackPermitted};
use bentpipe_units::Duration;

use crate::common::server::Server;
use crate::common::{Direction, MSS, Pair, Record, Side, at, config, cubic, ms, without_timestamps};

#[test]
fn a_repetition_that_a_dsack_reports_counts_as_delivered() {
    // tcp_dsack_seen: ten segments leave, the last one's acknowledgement is lost (the client's SYN and the handshake's
    // acknowledgement are numbers 0 and 1). The answer to the probe says that the segment came, and came again: BBR's
    // window of ten grows by nine and then by two.
    let mut pair =
        Pair::new(cubic(), config(Algorithm::Bbr), Direction::delay(ms(50)), Direction::delay(ms(50)));
    pair.up.lose = [11].into();
    pair.download(10 * MSS);
    pair.run_until(pair.now + ms(2000));
    assert_eq!(pair.server.conn().info().retransmitted_segments, 1);
    assert_eq!(pair.server.conn().info().cwnd.get(), (10 + 9 + 2) * MSS);
}

#[test]
fn a_duplicate_that_nobody_retransmitted_does_not_count_as_delivered() {
    // tcp_dsack_seen: more duplicates than retransmissions are the network's.
    let mut pair =
        Pair::new(cubic(), config(Algorithm::Bbr), Direction::delay(ms(50)), Direction::delay(ms(50)));
    pair.down.double = [5].into();
    pair.download(10 * MSS);
    pair.run_until(pair.now + ms(2000));
    assert_eq!(pair.server.conn().info().cwnd.get(), (10 + 10) * MSS);
}

#[test]
fn what_arrives_twice_beyond_a_hole_is_reported_as_a_duplicate() {
    // RFC 2883 section 4.1.3, tcp_data_queue_ofo: the duplicate, and the block in which it lies.
    let mut pair = Pair::symmetric(ms(100));
    pair.down.lose = [4].into();
    pair.down.double = [7].into();
    pair.download(10 * MSS);
    let told: Vec<_> = pair.acks_from(Side::Client).filter(|ack| ack.sacks == 2).collect();
    assert_eq!(told.len(), 1);
    // 40 bytes of headers, 12 of timestamps, 4 and 2 * 8 of blocks.
    assert_eq!(told[0].wire, 72);
}

#[test]
fn an_acknowledgement_of_a_lone_small_segment_that_may_be_late_is_no_smallest_round_trip() {
    // tcp_update_rtt_min: the smallest round trip of 100 ms expires after 300 s (tcp_min_rtt_wlen), in which every
    // acknowledgement waits 20 ms for the next request.
    let mut pair = Pair::symmetric(ms(100));
    pair.download(40 * MSS);
    for _ in 0..1300 {
        pair.send(Side::Server, Payload::Length(100));
        pair.run_until(pair.now + ms(50 + 20));
        pair.send(Side::Client, Payload::Length(16));
        pair.run_until(pair.now + ms(180));
    }
    let info = pair.server.conn().info();
    assert_eq!(info.srtt.map(|srtt| srtt.as_nanos().div_ceil(1_000_000)), Some(120));
    assert_eq!(info.min_rtt, Some(ms(100)));
}

/// Payload of a full segment without timestamps, by which late acknowledgements would be refused (RFC 7323 section 5).
const FULL: u64 = 1460;

/// Twenty segments, of which the first five and then every second are lost; of the eight acknowledgements of those that
/// arrive the fourth, the fifth and the sixth are lost too, and the third takes longer.
fn overtaken(hold: Duration) -> Pair {
    let server = Config { initial_window: 20, ..without_timestamps() };
    let rate = || Direction::rate(10, ms(50));
    let mut pair = Pair::new(without_timestamps(), server, rate(), rate());
    pair.down.lose = [1, 2, 3, 4, 5, 7, 9, 11, 13, 15, 17, 19].into();
    pair.up.lose = [5, 6, 7].into();
    pair.up.hold = [(4, hold)].into();
    pair.open();
    pair.send(Side::Server, Payload::Length(20 * FULL));
    pair
}

/// Acknowledgements with blocks from the client.
fn acks(pair: &Pair) -> Vec<&Record> {
    pair.acks_from(Side::Client).filter(|ack| ack.sacks > 0).collect()
}

#[test]
fn an_overtaken_acknowledgement_tells_what_arrived_but_measures_no_round_trip() {
    // tcp_ack, old_ack: the block of the tenth segment is in none but the third acknowledgement, which comes between those of
    // the first two repetitions.
    let mut pair = overtaken(ms(1_000));
    pair.run_until(at(1_000));
    let (third, repaired) = (acks(&pair)[2].at, acks(&pair)[8].at);
    let late = Duration::from_micros(600);

    let mut pair = overtaken(repaired.since(third) + late);
    let arrival = repaired + ms(50) + late;
    pair.run_until(arrival);
    let before = pair.server.conn().info().srtt;
    pair.run_until(arrival + Duration::from_micros(200));
    assert_eq!(pair.server.conn().info().srtt, before);
    pair.run_until(at(1_000));
    let tenth = pair.data_from(Side::Server).nth(9).expect("it left").seq;
    assert_eq!(pair.data_from(Side::Server).filter(|record| record.seq == tenth).count(), 1);
}

#[test]
fn a_small_segment_below_what_came_out_of_order_was_acknowledged_without_delay() {
    // tcp_clean_rtx_queue: FLAG_ACK_MAYBE_DELAYED only without prior_sacked. The smallest round trip of 100 ms has expired
    // (tcp_min_rtt_wlen); an acknowledgement that was overtaken tells of the second of two segments, which tcp_ack does not
    // count as delivered there, and the next one acknowledges the first.
    for (blocks, least) in [(&[(201, 301)][..], 130), (&[], 100)] {
        let mut server = Server::open(&cubic(), SackPermitted::Yes);
        server.write(200, 100);
        server.ack(300, 101, &[]);
        assert_eq!(server.write(400_000, 100).len() + server.write(400_000, 100).len(), 2);
        server.ack(400_120, 1, blocks);
        server.ack(400_130, 201, &[]);
        assert_eq!(server.connection.info().min_rtt, Some(ms(least)), "{blocks:?}");
    }
}

#[test]
fn the_delivery_rate_is_that_of_the_bottleneck_once_data_were_acknowledged() {
    // tcp_get_info: tcpi_delivery_rate, tcp_rate_gen. Packets of 1500 bytes take 1.2 ms, and each brings 1448.
    let mut pair = Pair::new(cubic(), cubic(), Direction::rate(10, ms(50)), Direction::rate(10, ms(50)));
    pair.open();
    assert_eq!(pair.server.conn().info().delivery_rate, None);
    pair.download(1_000 * MSS);
    let rate = pair.server.conn().info().delivery_rate.expect("a sample").as_bps();
    let bottleneck = 10_000_000 * MSS / 1_500;
    assert!(rate.abs_diff(bottleneck) < bottleneck / 100, "{rate} of {bottleneck}");
}
