//! Loss-free transfers: windows, bursts, acknowledgements, buffers.

use bentpipe_cc::Algorithm;
use bentpipe_cc::slow_start::SlowStartChoice;
use bentpipe_tcp::{AfterIdle, Coalescing, Config, Event, Nagle, Payload, QuickAck, TcpSpec};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};

use crate::common::{Direction, MSS, Pair, Reading, Side, at, config, cubic, ms, spec};

fn bulk(config: Config, mbit: u64, rtt: Duration, queue: u64) -> Pair {
    let down = Direction::rate(mbit, rtt / 2).with_queue(queue);
    Pair::new(config.clone(), config, down, Direction::rate(mbit, rtt / 2))
}

/// Data segments of the server by the round trip in which they left, counted from the first.
fn per_round(pair: &Pair, rtt: Duration) -> Vec<u64> {
    let start = pair.data_from(Side::Server).next().expect("data").at;
    let mut rounds = Vec::new();
    for record in pair.data_from(Side::Server) {
        let round = (record.at.since(start).as_nanos() / rtt.as_nanos()) as usize;
        rounds.resize(rounds.len().max(round + 1), 0);
        rounds[round] += 1;
    }
    rounds
}

#[test]
fn the_first_flight_is_ten_full_segments_at_once() {
    let mut pair = Pair::symmetric(ms(600));
    pair.open();
    let start = pair.now;
    pair.send(Side::Server, Payload::Length(1_000_000));
    let first: Vec<_> = pair.data_from(Side::Server).map(|record| (record.at, record.wire)).collect();
    assert_eq!(first, vec![(start, 1500); 10]);
}

#[test]
fn the_window_doubles_each_round_trip_without_delayed_acknowledgements_slowing_it() {
    // RFC 3465 with L unbounded: growth counts what is acknowledged, not the acknowledgements.
    let mut pair = Pair::symmetric(ms(600));
    pair.client.config.congestion_control = Algorithm::Cubic;
    pair.download(1_000 * MSS);
    let rounds = per_round(&pair, ms(600));
    assert_eq!(rounds[..5], [10, 20, 40, 80, 160]);
}

#[test]
fn a_lone_segment_in_an_interactive_exchange_is_acknowledged_after_40_ms() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    // A request and its answer make the exchange interactive at both ends.
    for _ in 0..3 {
        let before = pair.client.received;
        pair.send(Side::Client, Payload::Length(100));
        pair.run_while(at(60_000), |pair| pair.server.received % 100 != 0 || pair.client.received < before);
        pair.run_until(pair.now + ms(50));
        pair.send(Side::Server, Payload::Length(100));
        pair.run_while(at(60_000), |pair| pair.client.received == before);
        // Answer within 40 ms.
        pair.send(Side::Client, Payload::Length(100));
        pair.run_until(pair.now + ms(1000));
    }
    let sent = pair.now;
    pair.send(Side::Server, Payload::Length(100));
    pair.run_until(sent + ms(1000));
    let ack = pair.acks_from(Side::Client).last().expect("an acknowledgement");
    // It comes at 3500 ms, in jiffy 875, and ten jiffies from there end with jiffy 886 (kernel/time/timer.c).
    assert_eq!((sent + ms(50), ack.at), (at(3_500), at(886 * 4)));
}

#[test]
fn coalescing_on_the_receiving_interface_saves_acknowledgements() {
    let plain = cubic();
    let merging = Config { coalescing: Coalescing::Within(Duration::from_micros(500)), ..cubic() };
    let count = |client: Config| {
        let mut pair = Pair::new(client, cubic(), Direction::rate(144, ms(50)), Direction::rate(144, ms(50)));
        pair.download(2_000_000);
        pair.acks_from(Side::Client).count()
    };
    let (alone, merged) = (count(plain), count(merging));
    // 500 us are six packets of 1500 bytes at 144 Mbit/s: one acknowledgement for six rather than for two.
    assert!(merged * 5 < alone * 2, "{merged} against {alone}");
}

#[test]
fn a_small_window_limits_the_rate_to_a_window_per_round_trip() {
    let mut limited = cubic();
    limited.receive_buffer.max = Bytes::new(131_072);
    let mut pair = Pair::new(limited, cubic(), Direction::rate(100, ms(50)), Direction::rate(100, ms(50)));
    pair.keep_log = false;
    let length = 20_000_000;
    let start = Time::ZERO + ms(150);
    let took = pair.download(length).since(start).as_secs_f64();
    // 160/256 of 131072 bytes of memory is payload (1448 in a buffer of 2304).
    let window = 131_072.0 * 160.0 / 256.0;
    let expected = length as f64 / (window / 0.1);
    assert!((took / expected - 1.0).abs() < 0.05, "{took} s, expected {expected} s");
}

#[test]
fn auto_tuning_keeps_the_window_between_two_and_six_bandwidth_delay_products() {
    let mut pair = bulk(cubic(), 50, ms(600), 1 << 30);
    pair.keep_log = false;
    pair.download(60_000_000);
    let srtt = pair.server.conn().info().srtt.expect("samples");
    let bdp = Rate::from_bps(50_000_000).volume_in(srtt).get();
    let window = pair.client.conn().info().receive_window.get();
    // tcp_rcvbuf_grow: 2 round trips' worth, and up to 6 where each brings twice as much as the one before.
    assert!(window >= 2 * bdp && window <= 6 * bdp, "window {window}, BDP {bdp}");
}

#[test]
fn the_receive_window_never_holds_slow_start_back() {
    // 100 MB at 144 Mbit/s and 600 ms without a queue limit: each round doubles until the pipe is full.
    let mut pair = Pair::symmetric(ms(600));
    pair.download(8_000 * MSS);
    assert_eq!(per_round(&pair, ms(600))[..9], [10, 20, 40, 80, 160, 320, 640, 1280, 2560]);
}

#[test]
fn the_send_buffer_grows_with_the_window() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    // `strace` and `ss -m` on Linux 6.18: of a first write of 62611 bytes 46336 are taken with a send buffer of
    // 46080. A buffer of half the first window, 22 segments, of which ten leave and are replaced.
    let taken = pair.server.conn().write(pair.now, &Payload::Length(62_611)).expect("open");
    assert_eq!(taken, 46_336);
    pair.send(Side::Server, Payload::Length(1 << 30));
    pair.run_until(at(1000));
    let info = pair.server.conn().info();
    assert!(info.cwnd.get() > 1_000 * MSS);
    assert!(pair.server.conn().unacknowledged() > 2 * info.cwnd.get());
}

#[test]
fn a_blocked_writer_hears_when_a_third_of_the_buffer_is_free() {
    let mut pair = Pair::symmetric(ms(100));
    pair.client.reading = Reading::Paused;
    pair.open();
    pair.send(Side::Server, Payload::Length(1 << 30));
    pair.run_until(at(10_000));
    let stuck = pair.server.conn().unacknowledged();
    assert!(!pair.server.conn().is_writable());
    pair.server.events.clear();
    pair.client.reading = Reading::Eager;
    pair.turn(Side::Client);
    pair.run_while(at(60_000), |pair| pair.server.time_of(Event::Writable).is_none());
    assert!(pair.client.received >= stuck / 3);
}

#[test]
fn a_writer_goes_on_only_if_there_is_space_when_it_looks() {
    // `strace` and `ss -m` on Linux 6.18, Hybla over 28.7 Mbit/s and 607 ms, writes of 64 KiB: after 16 bytes 129956 in all
    // until the next is refused, then 426336 and so on. The first acknowledgement makes room for more (tcp_new_space), but the
    // twenty segments that leave with it take buffers of their own before the task looks (tcp_poll).
    let memory = Bytes::new(19_697_152);
    let spec =
        TcpSpec { receive_buffer_bytes: memory, send_buffer_bytes: memory, nagle: Switch::On, ..spec() };
    let hybla = Config { timestamps: Switch::Off, ..Config::new(&spec, Algorithm::Hybla, 7) };
    let mut pair = Pair::new(hybla.clone(), hybla, Direction::delay(ms(303)), Direction::delay(ms(304)));
    pair.up.rate = Some(Rate::from_bps(28_700_000));
    pair.run_while(at(1_000), |pair| pair.client.time_of(Event::Connected).is_none());
    pair.send(Side::Client, Payload::Length(16));
    for _ in 0..16 {
        pair.send(Side::Client, Payload::Length(65_536));
    }
    let mut written = Vec::new();
    pair.run_while(at(2_000), |pair| {
        let left: u64 = pair.client.backlog.iter().map(Payload::len).sum();
        let taken = 16 + 16 * 65_536 - left;
        if written.last() != Some(&taken) {
            written.push(taken);
        }
        taken < 973_836
    });
    assert_eq!(written, [129_956, 426_336, 638_036, 973_836]);
}

#[test]
fn bbr_paces_what_follows_the_first_ten_segments() {
    let mut pair = Pair::new(
        config(Algorithm::Bbr),
        config(Algorithm::Bbr),
        Direction::rate(10, ms(100)),
        Direction::rate(10, ms(100)),
    );
    pair.download(20_000_000);
    let times: Vec<_> = pair.data_from(Side::Server).map(|record| record.at).collect();
    let late = &times[times.len() / 2..];
    let burst = late.chunk_by(|a, b| a == b).map(<[Time]>::len).max();
    // A millisecond at 10 Mbit/s is less than two segments.
    assert_eq!(burst, Some(2));
    let rate = (late.len() as u64 - 1) * MSS * 8;
    let span = late[late.len() - 1].since(late[0]).as_secs_f64();
    let mbit = rate as f64 / span / 1e6;
    assert!((8.5..10.5).contains(&mbit), "{mbit} Mbit/s");
}

#[test]
fn with_quick_acknowledgements_each_segment_is_answered_by_itself() {
    // The route's `quickack` at the receiver. Without it every second segment, and those that end a burst.
    let answers = |quick_ack| {
        let receiver = Config { quick_ack, ..cubic() };
        let mut pair = Pair::new(receiver, cubic(), Direction::rate(10, ms(50)), Direction::rate(10, ms(50)));
        pair.download(2_000 * MSS);
        // The first completes the handshake.
        pair.acks_from(Side::Client).count() - 1
    };
    assert_eq!(answers(QuickAck::Always), 2_000);
    assert!(answers(QuickAck::Adaptive) < 1_300, "{}", answers(QuickAck::Adaptive));
}

#[test]
fn hystart_plus_plus_spares_reno_the_losses_of_slow_start() {
    // 10 Mbit/s, 600 ms: a BDP of 750 kB and a queue of four. Plain slow start fills both and doubles once more; five
    // rounds at a quarter of that growth (RFC 9406 section 4.3) still fit.
    let retransmitted = |slow_start| {
        let sender = Config { slow_start, ..config(Algorithm::Reno) };
        let (down, up) = (Direction::rate(10, ms(300)).with_queue(3_000_000), Direction::rate(10, ms(300)));
        let mut pair = Pair::new(cubic(), sender, down, up);
        pair.keep_log = false;
        pair.download(12_000_000);
        pair.server.conn().info().retransmitted_segments
    };
    assert!(retransmitted(None) > 1_000);
    assert_eq!(retransmitted(Some(SlowStartChoice::HyStartPlusPlus)), 0);
}

#[test]
fn nagle_holds_a_small_segment_while_another_is_out() {
    let mut pair = Pair::new(
        Config { nagle: Nagle::On, ..cubic() },
        cubic(),
        Direction::delay(ms(50)),
        Direction::delay(ms(50)),
    );
    pair.open();
    for _ in 0..3 {
        pair.send(Side::Client, Payload::Length(10));
    }
    pair.run_until(at(1000));
    let sizes: Vec<_> = pair.data_from(Side::Client).map(|record| record.payload).collect();
    assert_eq!(sizes, [10, 20]);
}

#[test]
fn without_nagle_each_write_leaves_at_once() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    for _ in 0..3 {
        pair.send(Side::Client, Payload::Length(10));
    }
    let sizes: Vec<_> = pair.data_from(Side::Client).map(|record| record.payload).collect();
    assert_eq!(sizes, [10, 10, 10]);
}

#[test]
fn an_open_connection_takes_up_nagle_and_gives_it_up() {
    // tcp(7): TCP_NODELAY may be set and cleared at any time. Each small segment here waits for the one before it,
    // or does not.
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    for (nagle, lengths) in [(Nagle::On, [1, 2, 3]), (Nagle::Off, [4, 5, 6])] {
        pair.client.conn().set_nagle(nagle);
        for length in lengths {
            pair.send(Side::Client, Payload::Length(length));
        }
        pair.run_until(pair.now + ms(1000));
    }
    let sizes: Vec<_> = pair.data_from(Side::Client).map(|record| record.payload).collect();
    assert_eq!(sizes, [1, 2 + 3, 4, 5, 6]);
}

#[test]
fn an_idle_time_shrinks_the_window_and_a_short_one_does_not() {
    // RFC 2861: once per timeout halved, down to the initial window.
    let grown = |after_idle, timeouts: u64| {
        let sender = Config { after_idle, ..cubic() };
        let mut pair = Pair::new(cubic(), sender, Direction::delay(ms(50)), Direction::delay(ms(50)));
        pair.download(500 * MSS);
        pair.run_while(at(60_000), |pair| pair.server.unacknowledged() > 0);
        let info = pair.server.conn().info();
        // The last data left a round trip ago.
        pair.run_until(pair.now + info.rto * timeouts);
        pair.send(Side::Server, Payload::Length(MSS));
        (info.cwnd.get() / MSS, pair.server.conn().info().cwnd.get() / MSS)
    };
    let (before, after) = grown(AfterIdle::Restart, 0);
    assert_eq!(before, after);
    let (before, after) = grown(AfterIdle::Restart, 2);
    assert_eq!(after, before / 4);
    let (_, after) = grown(AfterIdle::Restart, 100);
    assert_eq!(after, 10);
    let (before, after) = grown(AfterIdle::Keep, 100);
    assert_eq!(before, after);
}

#[test]
fn a_window_that_the_application_does_not_fill_does_not_grow() {
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    for _ in 0..50 {
        pair.send(Side::Server, Payload::Length(2 * MSS));
        pair.run_until(pair.now + ms(150));
    }
    assert_eq!(pair.server.conn().info().cwnd.get(), 10 * MSS);
}

#[test]
fn twenty_megabytes_at_10_mbit_and_600_ms_take_the_time_of_the_wire_and_of_slow_start() {
    let rtt = ms(600);
    let mut pair = bulk(cubic(), 10, rtt, 1 << 30);
    pair.keep_log = false;
    let length: u64 = 20_000_000;
    let took = pair.download(length).since(Time::ZERO).as_secs_f64();
    // Bytes on the wire at 10 Mbit/s, the handshake's one and a half round trips, and half a round trip to arrive.
    let rate = Rate::from_bps(10_000_000);
    let wire = rate.time_for(Bytes::new(length / MSS * 1500 + 52 + length % MSS)).as_secs_f64();
    let least = wire + 2.0 * 0.6;
    // Slow start leaves the pipe idle while a window takes less time than a round trip: 10, 20, 40, 80, 160 and 320
    // segments of 1.2 ms fit into rounds of 600 ms.
    let idle: f64 = [10.0, 20.0, 40.0, 80.0, 160.0, 320.0].iter().map(|n| 0.6 - n * 0.0012).sum();
    assert!(took >= least && took <= least + idle + 0.6, "{took} s, at least {least} s, idle {idle} s");
}

#[test]
fn equal_runs_are_equal_to_the_nanosecond() {
    let run = || {
        let mut pair = bulk(cubic(), 10, ms(300), 100_000);
        pair.down.lose = [3, 77, 200, 201, 202, 900].into();
        pair.download(3_000_000);
        pair.log
    };
    assert_eq!(run(), run());
}

#[test]
fn five_gigabytes_wrap_the_sequence_numbers_without_harm() {
    let mut pair = Pair::new(cubic(), cubic(), Direction::delay(ms(1)), Direction::delay(ms(1)));
    pair.keep_log = false;
    let length = 5_000_000_000;
    pair.download(length);
    assert_eq!(pair.client.received, length);
    assert_eq!(pair.server.conn().info().retransmitted_segments, 0);
}

#[test]
fn a_host_that_only_receives_learns_nothing_of_the_path() {
    // BBR looks for a smaller round trip after 10 s without one (draft-cardwell-iccrg-bbr-congestion-control-00 section
    // 4.3.4), but the segments of a download are no answers to anything (tcp_ack: no_queue).
    let bbr = || config(Algorithm::Bbr);
    let mut pair = Pair::new(bbr(), bbr(), Direction::rate(10, ms(50)), Direction::rate(10, ms(50)));
    pair.open();
    let cwnd = pair.client.conn().info().cwnd;
    pair.send(Side::Server, Payload::Length(20_000_000));
    pair.run_while(at(60_000), |pair| pair.client.received < 20_000_000);
    assert!(pair.now > at(15_000));
    assert_eq!(pair.client.conn().info().cwnd, cwnd);
}

#[test]
fn nagle_holds_the_small_end_of_a_burst_while_another_small_segment_is_out() {
    // tcp_nagle_check with tcp_minshall_check, tcp_mss_split_point: whole segments leave without it.
    for (first, left) in [(10, 2 * MSS), (MSS, 2 * MSS + 500)] {
        let mut pair = Pair::new(
            cubic(),
            Config { nagle: Nagle::On, ..cubic() },
            Direction::delay(ms(50)),
            Direction::delay(ms(50)),
        );
        pair.open();
        pair.send(Side::Server, Payload::Length(first));
        pair.send(Side::Server, Payload::Length(2 * MSS + 500));
        let sent: u64 = pair.data_from(Side::Server).map(|record| record.payload).sum();
        assert_eq!(sent, first + left);
        pair.run_until(pair.now + ms(500));
        assert_eq!(pair.client.received, first + 2 * MSS + 500);
    }
}

#[test]
fn a_send_buffer_of_its_own_size_takes_less_and_does_not_grow() {
    // SO_SNDBUF, SOCK_SNDBUF_LOCK: tcp_sndbuf_expand is left out, which else makes room for two windows.
    let taken = |memory: Option<u64>| {
        let mut pair = Pair::symmetric(ms(100));
        pair.open();
        if let Some(memory) = memory {
            pair.server.conn().set_send_buffer(Bytes::new(memory));
        }
        pair.send(Side::Server, Payload::Length(1 << 30));
        pair.run_until(at(1_000));
        pair.server.conn().unacknowledged()
    };
    assert!(2 * taken(Some(100_000)) < taken(None));
}
