//! Ends: FIN, half-close, RST, TIME_WAIT, zero windows.

use crate::common;
use crate::common::{Direction, MSS, Pair, Reading, Side, at, cubic, expiry, ms};
use bentpipe_tcp::{Closed, Event, Flags, Payload, Read, State, StreamError};
use bentpipe_units::{Bytes, Time};

#[test]
fn the_fin_travels_with_the_last_bytes() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.server.finishes = true;
    pair.server.backlog.push(Payload::Length(2 * MSS));
    // Both are said before anything leaves.
    let now = pair.now;
    let taken = pair.server.conn().write(now, &Payload::Length(2 * MSS)).expect("open");
    pair.server.backlog.clear();
    assert_eq!(taken, 2 * MSS);
    pair.server.conn().shutdown();
    pair.turn(Side::Server);
    let last = pair.log.last().expect("segments");
    assert!(last.flags.contains(Flags::FIN));
    assert_eq!(last.payload, MSS);
}

#[test]
fn the_end_that_finishes_first_waits_a_minute_and_the_other_is_gone_at_once() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    let from = pair.now;
    pair.server.finishes = true;
    pair.turn(Side::Server);
    assert_eq!(pair.server.conn().state(), State::FinWait1);
    pair.run_until(from + ms(60));
    assert_eq!(pair.client.conn().state(), State::CloseWait);
    assert!(pair.client.ended);
    pair.client.conn().close(from + ms(60));
    pair.turn(Side::Client);
    assert_eq!(pair.client.conn().state(), State::LastAck);
    pair.run_until(from + ms(1000));
    assert_eq!(pair.client.conn().state(), State::Closed);
    assert_eq!(pair.server.conn().state(), State::TimeWait);
    assert!(pair.server.time_of(Event::Closed(Closed::Finished)).is_some());
    pair.run_until(from + ms(62_000));
    assert!(pair.server.conn().is_closed());
}

#[test]
fn a_half_closed_connection_still_carries_data_in_the_other_direction() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.client.finishes = true;
    pair.send(Side::Client, Payload::Bytes("request".into()));
    pair.run_until(pair.now + ms(200));
    assert!(pair.server.ended);
    assert_eq!(pair.client.conn().state(), State::FinWait2);
    pair.send(Side::Server, Payload::Length(500_000));
    pair.run_while(at(10_000), |pair| pair.client.received < 500_000);
    assert_eq!(pair.server.conn().state(), State::CloseWait);
}

#[test]
fn fins_that_cross_leave_both_ends_waiting() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    for side in [Side::Client, Side::Server] {
        pair.host(side).finishes = true;
        pair.turn(side);
    }
    pair.run_until(pair.now + ms(60));
    assert_eq!(pair.client.conn().state(), State::Closing);
    pair.run_until(pair.now + ms(200));
    assert_eq!(pair.client.conn().state(), State::TimeWait);
    assert_eq!(pair.server.conn().state(), State::TimeWait);
}

#[test]
fn a_fin_behind_a_full_window_waits_for_room() {
    // Linux since 6.14 makes no exception for it (tcp_cwnd_test).
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    let from = pair.now;
    pair.send(Side::Server, Payload::Length(10 * MSS));
    pair.server.finishes = true;
    pair.turn(Side::Server);
    pair.run_until(pair.now + ms(500));
    let fin = pair.log.iter().find(|record| record.from == Side::Server && record.flags.contains(Flags::FIN));
    assert_eq!(fin.expect("sent").at, from + ms(100));
}

#[test]
fn a_lost_fin_is_sent_again() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.down.dark = Some((pair.now, pair.now + ms(10)));
    pair.server.finishes = true;
    pair.turn(Side::Server);
    pair.run_until(pair.now + ms(2000));
    assert!(pair.client.ended);
    assert_eq!(pair.client.conn().state(), State::CloseWait);
}

#[test]
fn a_lost_last_acknowledgement_is_repeated_from_time_wait() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.server.finishes = true;
    pair.turn(Side::Server);
    pair.run_until(pair.now + ms(60));
    pair.client.conn().shutdown();
    // The client's FIN passes; the answer to it does not.
    pair.down.dark = Some((pair.now, pair.now + ms(100)));
    pair.turn(Side::Client);
    pair.run_until(pair.now + ms(50));
    assert_eq!(pair.client.conn().state(), State::LastAck);
    pair.run_until(pair.now + ms(3000));
    assert_eq!(pair.client.conn().state(), State::Closed);
}

#[test]
fn an_abort_resets_the_peer() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.send(Side::Client, Payload::Bytes("unfinished".into()));
    pair.client.conn().abort();
    pair.turn(Side::Client);
    assert!(pair.client.conn().is_closed());
    pair.run_until(pair.now + ms(100));
    assert!(pair.server.time_of(Event::Closed(Closed::Reset)).is_some());
    let refused = StreamError::Closed(Closed::Reset);
    assert_eq!(pair.server.conn().write(at(1000), &Payload::Length(1)), Err(refused));
    assert_eq!(pair.server.conn().read(at(1000), 1), Err(refused));
}

#[test]
fn closing_with_unread_data_resets_the_peer() {
    let mut pair = Pair::symmetric(ms(100));
    pair.client.reading = Reading::Paused;
    pair.open();
    pair.send(Side::Server, Payload::Length(1000));
    pair.run_until(pair.now + ms(100));
    let now = pair.now;
    pair.client.conn().close(now);
    pair.turn(Side::Client);
    assert!(pair.log.last().expect("segments").flags.contains(Flags::RST));
    pair.run_until(pair.now + ms(100));
    assert!(pair.server.time_of(Event::Closed(Closed::Reset)).is_some());
}

#[test]
fn data_for_an_application_that_has_left_resets_the_peer() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    let now = pair.now;
    pair.client.conn().close(now);
    pair.turn(Side::Client);
    pair.run_until(pair.now + ms(200));
    assert_eq!(pair.server.conn().state(), State::CloseWait);
    pair.send(Side::Server, Payload::Length(1000));
    pair.run_until(pair.now + ms(200));
    assert!(pair.server.time_of(Event::Closed(Closed::Reset)).is_some());
}

#[test]
fn nothing_can_be_written_after_a_shutdown() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    pair.client.conn().shutdown();
    assert_eq!(pair.client.conn().write(at(200), &Payload::Length(1)), Err(StreamError::ShutDown));
}

#[test]
fn what_came_before_a_reset_can_still_be_read() {
    let mut pair = Pair::symmetric(ms(100));
    pair.client.reading = Reading::Paused;
    pair.open();
    pair.send(Side::Server, Payload::Bytes("last words".into()));
    pair.run_until(pair.now + ms(100));
    pair.server.conn().abort();
    pair.turn(Side::Server);
    pair.run_until(pair.now + ms(100));
    let now = pair.now;
    assert_eq!(pair.client.conn().read(now, 100), Ok(Read::Data(Payload::Bytes("last words".into()))));
    assert_eq!(pair.client.conn().read(now, 100), Err(StreamError::Closed(Closed::Reset)));
}

/// A server that wants to send more than the client, who does not read, takes.
fn stalled() -> Pair {
    let mut small = cubic();
    small.receive_buffer.max = Bytes::new(131_072);
    let mut pair = Pair::new(small, cubic(), Direction::delay(ms(50)), Direction::delay(ms(50)));
    pair.client.reading = Reading::Paused;
    pair.open();
    pair.send(Side::Server, Payload::Length(1_000_000));
    pair.run_until(at(2_000));
    pair
}

#[test]
fn a_closed_window_is_probed_at_doubling_distances() {
    let mut pair = stalled();
    assert_eq!(pair.server.conn().info().send_window, Bytes::ZERO);
    let from = pair.data_from(Side::Server).last().expect("data").at;
    pair.run_until(at(60_000));
    let probes: Vec<Time> = pair
        .log
        .iter()
        .filter(|record| record.from == Side::Server && record.at > from)
        .map(|record| record.at)
        .collect();
    assert!(probes.len() >= 4);
    // Each answer, a round trip of 100 ms later, starts the next wait of tcp_probe0_when: the timeout, doubled for each probe
    // before.
    let rto = pair.server.conn().info().rto;
    for (number, pair) in probes.windows(2).enumerate() {
        assert_eq!(pair[1], expiry(pair[0] + ms(100), rto * (2 << number)), "{probes:?}");
    }
    // RFC 9293 section 3.8.6.1 asks for a byte; Linux sends none: 52 bytes on the wire.
    assert!(pair.log.iter().filter(|record| record.at > from).all(|record| record.wire == 52));
}

#[test]
fn a_window_that_opens_again_lets_the_transfer_go_on() {
    let mut pair = stalled();
    pair.client.reading = Reading::Eager;
    pair.turn(Side::Client);
    pair.run_while(at(10_000), |pair| pair.client.received < 1_000_000);
}

#[test]
fn a_lost_window_update_is_found_out_by_the_next_probe() {
    let mut pair = stalled();
    pair.client.reading = Reading::Eager;
    pair.up.dark = Some((pair.now, pair.now + ms(1)));
    pair.turn(Side::Client);
    pair.run_while(at(30_000), |pair| pair.client.received < 1_000_000);
}

#[test]
fn no_byte_is_sent_beyond_the_window() {
    let pair = stalled();
    let first = pair.data_from(Side::Server).next().expect("data").seq;
    let highest =
        pair.data_from(Side::Server).map(|record| record.seq.wrapping_sub(first) as u64 + record.payload);
    let most = highest.max().expect("data");
    // The memory holds 1448 bytes in each 2304. Each announcement is rounded up to a step of 2^7 bytes, as
    // net.core.rmem_max must be expressible, and none is taken back: less than a segment on top.
    assert!(most <= 131_072 * 1448 / 2304 + common::MSS, "{most}");
}

#[test]
fn a_peer_that_answers_none_of_fifteen_probes_of_its_window_is_gone() {
    // tcp_probe_timer: icsk_probes_out >= tcp_retries2.
    let mut pair = stalled();
    let from = pair.now;
    pair.down.dark = Some((from, at(3_600_000)));
    pair.run_until(at(3_600_000));
    let probes = pair.log.iter().filter(|record| record.from == Side::Server && record.at > from).count();
    assert_eq!(probes, 15);
    assert!(pair.server.time_of(Event::Closed(Closed::TimedOut)).is_some());
}

#[test]
fn a_read_that_makes_no_room_for_a_window_says_nothing_and_one_that_does_says_so() {
    // __tcp_cleanup_rbuf: new_window && new_window >= 2 * rcv_window_now, of which a sixteenth of the memory is the least
    // (__tcp_select_window).
    let mut pair = stalled();
    let now = pair.now;
    let client = pair.client.conn();
    assert!(client.unread() > 60_000);
    assert_eq!(client.read(now, 100), Ok(Read::Data(Payload::Length(100))));
    assert_eq!(client.poll_transmit(now), None);
    let half = client.unread() / 2;
    assert_eq!(client.read(now, half), Ok(Read::Data(Payload::Length(half))));
    let update = client.poll_transmit(now).expect("a window update");
    assert!(update.window > 0 && update.payload.is_empty());
    assert_eq!(client.poll_transmit(now), None);
}
