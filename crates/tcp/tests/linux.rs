//! What Linux 6.18 does on the emulated link (10 Mbit/s, `tcp_rmem` up to 6 MiB): the receiver's acknowledgements, number
//! and window, one by one as packet captures have them, and how much of each write is taken.

use crate::common::{Direction, Pair, Side, at, cubic, ms};
use bentpipe_tcp::{Config, Event, Flags, Offload, Payload};
use bentpipe_units::{Bytes, Duration};

/// A limit of 6 MiB makes windows multiples of 2^7.
const SHIFT: u8 = 7;

fn pair(rtt: Duration) -> Pair {
    let mut config: Config = cubic();
    config.receive_buffer.max = Bytes::new(6 << 20);
    config.send_buffer.max = Bytes::new(6 << 20);
    let direction = || Direction::rate(10, rtt / 2);
    let mut pair = Pair::new(config.clone(), config, direction(), direction());
    pair.open();
    pair
}

/// Acknowledgement numbers, counted from the SYN, and windows in bytes that the client announced.
fn announced(pair: &Pair) -> Vec<(u32, u64)> {
    let log =
        pair.log.iter().filter(|record| record.from == Side::Client && !record.flags.contains(Flags::SYN));
    let first = log.clone().next().expect("the handshake").ack - 1;
    let mut seen: Vec<_> =
        log.map(|record| (record.ack - first, u64::from(record.window) << SHIFT)).collect();
    // An acknowledgement and a request right behind it say the same.
    seen.dedup();
    seen
}

/// Every `step` bytes from `first` to `last` with these windows; the last window stays.
fn steps(first: u32, last: u32, step: usize, windows: &[u64]) -> Vec<(u32, u64)> {
    let last_window = *windows.last().expect("some");
    let windows = windows.iter().copied().chain(std::iter::repeat(last_window));
    (first..=last).step_by(step).zip(windows).collect()
}

#[test]
fn a_receiver_of_bulk_acknowledges_singly_while_its_window_opens_and_then_every_second() {
    let mut pair = pair(ms(100));
    pair.send(Side::Client, Payload::Length(16));
    pair.run_while(at(60_000), |pair| pair.server.received < 16);
    pair.send(Side::Server, Payload::Length(4_000_000));
    pair.run_until(at(500));
    let mut expected = vec![(1, 64_256)];
    // tcp_incr_quickack: 16, and six more for the six times that the window opened (tcp_grow_window).
    expected.extend(steps(1_449, 31_857, 1_448, &[67_200, 70_144, 72_960, 75_904, 78_848, 80_512]));
    expected.extend(steps(34_753, 43_441, 2_896, &[80_512]));
    let seen = announced(&pair);
    assert_eq!(seen[..expected.len()], expected);
    // tcp_rcvbuf_grow: a round trip has brought more than the ten segments of the one before. The capture has 83456 in
    // the acknowledgement of 47785; which one it is depends on the phase of the clock of timestamps.
    let then: Vec<_> = seen[expected.len()..].iter().map(|(_, window)| *window).collect();
    assert!(then.windows(5).any(|five| five == [83_456, 86_272, 89_216, 92_160, 94_976]), "{then:?}");
}

#[test]
fn a_browser_acknowledges_every_second_segment_and_opens_its_window_by_four() {
    let mut pair = pair(ms(530));
    for (request, answer) in [(274, 501), (286, 62_611), (286, 62_611)] {
        let requests = pair.server.received + request;
        let answers = pair.client.received + answer;
        pair.send(Side::Client, Payload::Length(request));
        pair.run_while(at(60_000), |pair| pair.server.received < requests);
        pair.send(Side::Server, Payload::Length(answer));
        pair.run_while(at(60_000), |pair| pair.client.received < answers);
    }
    let mut expected = vec![(1, 64_256), (502, 64_128)];
    expected.extend(steps(3_398, 43_942, 2_896, &[70_016, 75_776, 80_512]));
    let opening = [83_456, 89_216, 94_976, 100_864, 106_624, 112_384];
    expected.extend(steps(46_838, 61_318, 2_896, &opening));
    expected.push((63_113, 118_144));
    let opening = [124_032, 129_792, 135_552, 141_312, 147_200, 152_960, 158_720, 164_480, 170_368, 172_416];
    expected.extend(steps(66_009, 123_929, 2_896, &opening));
    assert_eq!(announced(&pair)[..expected.len()], expected);
}

#[test]
fn each_burst_that_is_out_takes_a_buffer_of_its_own() {
    // `strace` and `ss -m` on Linux 6.18, two answers of 62611 bytes over 10 Mbit/s and 530 ms: during the first the
    // send buffer grows to 73728 (16 segments in the window when a third of it is free), so that 60816 bytes of
    // the second are taken: 42 segments in 21 bursts, each with a head of 832 bytes.
    let mut pair = pair(ms(530));
    let mut taken = Vec::new();
    for answer in [501, 62_611, 62_611] {
        // A request at once after the answer before: the exchange is interactive, every second segment acknowledged.
        let requests = pair.server.received + 286;
        pair.send(Side::Client, Payload::Length(286));
        pair.run_while(at(60_000), |pair| pair.server.received < requests);
        let answers = pair.client.received + answer;
        taken.push(pair.server.conn().write(pair.now, &Payload::Length(answer)).expect("open"));
        pair.turn(Side::Server);
        pair.run_while(at(60_000), |pair| {
            pair.server.time_of(Event::Writable).is_none() && pair.client.received < answers
        });
        pair.server.events.clear();
        let rest = answer - taken[taken.len() - 1];
        if rest > 0 {
            pair.send(Side::Server, Payload::Length(rest));
        }
        pair.run_while(at(60_000), |pair| pair.client.received < answers);
    }
    assert_eq!(taken, [501, 46_336, 60_816]);
}

#[test]
fn what_a_scenario_does_not_decide_is_as_linux_has_it() {
    // tcp_init: sysctl_tcp_wmem[1], sysctl_tcp_rmem[1]; tcp_sk_init: sysctl_tcp_min_tso_segs, sysctl_tcp_tso_win_divisor.
    let config = cubic();
    assert_eq!(config.send_buffer.initial, Bytes::new(16 * 1024));
    assert_eq!(config.receive_buffer.initial, Bytes::new(131_072));
    assert_eq!(config.offload, Offload { min_segments: 2, window_divisor: 3 });
}
