//! Senders that are paced whatever their congestion control; `tests/packetdrill` has the kernel do the same.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::Config;
use bentpipe_units::{Duration, Rate, Time};

use crate::common::{Direction, MSS, Pair, Side, at, config, ms};

/// A sender that no rate but its own bounds.
fn paced(cc: Algorithm) -> Config {
    Config { max_pacing_rate: Some(Rate::MAX), ..config(cc) }
}

fn download(sender: Config, down: Direction, up: Direction, bytes: u64) -> Pair {
    let mut pair = Pair::new(config(Algorithm::Reno), sender, down, up);
    pair.download(bytes);
    pair
}

fn departures(pair: &Pair) -> Vec<Time> {
    pair.data_from(Side::Server).map(|record| record.at).collect()
}

/// From the first departure of the second round trip of 100 ms to its last.
fn second_round(sender: Config) -> Duration {
    let pair = download(sender, Direction::delay(ms(50)), Direction::delay(ms(50)), 200 * MSS);
    let times = departures(&pair);
    let start = times[0] + ms(100);
    let round: Vec<_> = times.into_iter().filter(|time| (start..start + ms(100)).contains(time)).collect();
    assert_eq!(round.len(), 20, "slow start doubles ten segments");
    round[19].since(round[0])
}

#[test]
fn slow_start_spreads_a_window_over_half_a_round_trip() {
    // tcp_update_pacing_rate, 200 %: of ten bursts of two segments the second is due 4.5 ms after the first, which is late by
    // half of what two take at a window of eleven, and each other 5 ms after the one before it, at a window of twenty.
    assert_eq!(second_round(config(Algorithm::Reno)), Duration::ZERO);
    let span = second_round(paced(Algorithm::Reno)).as_secs_f64();
    assert!((span - 0.0445).abs() < 0.0005, "{span} s");
}

#[test]
fn no_sender_is_faster_than_its_socket_allows_whichever_its_algorithm() {
    // socket(7), SO_MAX_PACING_RATE: a tenth of what the link carries.
    for cc in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr] {
        let sender = Config { max_pacing_rate: Some(Rate::from_bps(1_000_000)), ..config(cc) };
        let pair = download(sender, Direction::rate(10, ms(20)), Direction::rate(10, ms(20)), 1_000_000);
        let times = departures(&pair);
        // The first ten segments are not paced.
        let (first, last) = (times[10], times[times.len() - 1]);
        let sent_bits = (times.len() as u64 - 11) * MSS * 8;
        let mbit_s = sent_bits as f64 / last.since(first).as_secs_f64() / 1e6;
        assert!((0.98..1.01).contains(&mbit_s), "{cc:?}: {mbit_s} Mbit/s");
    }
}

#[test]
fn an_open_connection_is_paced_from_then_on() {
    let mut pair = Pair::symmetric(ms(20));
    pair.open();
    pair.server.conn().set_max_pacing_rate(Rate::from_bps(1_000_000));
    pair.download(100 * MSS);
    let times = departures(&pair);
    // 90 segments of 1448 bytes, each 11.6 ms.
    let span = times[99].since(times[10]).as_secs_f64();
    assert!((span - 89.0 * 0.011_584).abs() < 0.02, "{span} s");
}

#[test]
fn hystart_takes_a_train_of_a_whole_round_trip_for_full_where_pacing_spreads_it() {
    // hystart_update: threshold >>= 1 where sk_pacing_status is SK_PACING_NONE. At 50 Mbit/s and 400 ms a BDP are 1727
    // segments, and windows 1280 and then 2560. Half a round trip of the former acknowledges 863 segments, a whole one of
    // the latter 1727; each lets one more out.
    let threshold = |sender| {
        let (down, up) = (Direction::rate(50, ms(200)), Direction::rate(50, ms(200)));
        let mut pair = Pair::new(config(Algorithm::Reno), sender, down, up);
        pair.keep_log = false;
        pair.download(10_000_000);
        pair.run_until(at(60_000));
        pair.server.conn().info().ssthresh.expect("slow start has ended").get() as f64
    };
    let unpaced = threshold(config(Algorithm::Cubic)) / MSS as f64;
    let spread = threshold(paced(Algorithm::Cubic)) / MSS as f64;
    assert!((unpaced / (1280.0 + 863.0) - 1.0).abs() < 0.03, "{unpaced} segments");
    assert!((spread / (2560.0 + 1727.0) - 1.0).abs() < 0.03, "{spread} segments");
}
