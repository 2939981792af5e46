//! Bursts of MPEG packets, as in DVB-RCS.

use bentpipe_link::rcs2::Encapsulation;
use bentpipe_link::rcs2::dama::{ConfigError, Fate, Mix, Probe, ReturnConfig, ReturnLink, SignallingSpec};
use bentpipe_units::{Bytes, Time};
use proptest::prelude::*;

use super::configs::*;

/// A terminal alone, with a class for each mix, whose bursts have so many MPEG packets.
fn mpeg(encapsulation: Encapsulation, packets: u64, mixes: &[Mix]) -> ReturnConfig {
    ReturnConfig {
        encapsulation,
        burst_payload: Bytes::new(188 * packets),
        classes: mixes.iter().flat_map(|mix| alone(*mix).classes).collect(),
        ..alone(cra(0))
    }
}

fn new(config: &ReturnConfig) -> ReturnLink<Numbered> {
    ReturnLink::new(config, 1, Time::ZERO).expect("a link")
}

fn probes(link: &mut ReturnLink<Numbered>, now: Time) -> Vec<Probe> {
    std::iter::from_fn(|| link.poll_probe(now)).collect()
}

fn any_encapsulation() -> impl Strategy<Value = Encapsulation> {
    prop_oneof![Just(Encapsulation::mpe()), Just(Encapsulation::ule())]
}

#[test]
fn a_saturated_constant_rate_carries_its_slots_less_headers_and_pointer_fields() {
    for (encapsulation, added) in [(Encapsulation::mpe(), 16.0), (Encapsulation::ule(), 8.0)] {
        for packets in [1, 4] {
            let mut link = new(&mpeg(encapsulation, packets, &[cra(40)]));
            let (mut offered, mut delivered, mut now) = (0, 0u64, Time::ZERO);
            while now <= ms(22_680) {
                while link.enqueue(now, 0, Numbered { number: offered, len: 1500 }).is_ok() {
                    offered += 1;
                }
                now = link.next_event().expect("a backlog");
                while let Some(departure) = link.poll(now) {
                    delivered += u64::from(departure.packet.len);
                }
            }
            // 1000 superframes of 40 bursts, with 184 bytes for SNDUs and a pointer field each.
            let payload = 40_000.0 * 184.0 * packets as f64;
            let expected = payload * 1500.0 / (1500.0 + added + 1.0);
            assert!((delivered as f64 / expected - 1.0).abs() < 5e-4, "{delivered} of {expected}");
        }
    }
}

#[test]
fn a_small_packet_alone_takes_one_burst_and_1500_bytes_nine_mpeg_packets() {
    for encapsulation in [Encapsulation::mpe(), Encapsulation::ule()] {
        for (packets, len, bursts) in [(1, 40, 1), (1, 1500, 9), (2, 1500, 5), (8, 1500, 2), (9, 1500, 1)] {
            let mut link = new(&mpeg(encapsulation, packets, &[vbdc(40)]));
            link.enqueue(ms(5), 0, Numbered { number: 0, len }).expect("room");
            assert_eq!(drain(&mut link, ms(5_000)).len(), 1);
            let used: u32 = probes(&mut link, ms(5_000)).iter().map(|probe| probe.used).sum();
            assert_eq!(used, bursts, "{len} bytes, {packets} packets a burst");
        }
    }
}

#[test]
fn an_urgent_packet_takes_the_next_mpeg_packet_of_its_own() {
    // All slots of two MPEG packets: 1508 bytes of an SNDU are 183 + 184 in the first burst, and 1141 are left.
    let mut link = new(&mpeg(Encapsulation::ule(), 2, &[cra(20), cra(20)]));
    link.enqueue(Time::ZERO, 1, Numbered { number: 0, len: 1500 }).expect("room");
    let first = link.next_event().expect("a burst");
    assert_eq!(link.poll(first), None);
    for number in 1..4 {
        link.enqueue(first, 0, Numbered { number, len: 40 }).expect("room");
    }
    let departures = drain(&mut link, ms(1_000));
    // One MPEG packet for three of 48 bytes, the other for 184 of the 1141; what is left takes three more bursts.
    let order: Vec<_> = departures.iter().map(|departure| departure.packet.number).collect();
    assert_eq!(order, [1, 2, 3, 0]);
    assert!(departures.iter().all(|departure| departure.fate == Fate::Whole));
    let used: u32 = probes(&mut link, ms(1_000)).iter().map(|probe| probe.used).sum();
    assert_eq!(used, 1 + 1 + 3);
}

#[test]
fn a_burst_without_room_for_an_mpeg_packet_is_refused() {
    let config = ReturnConfig {
        signalling: SignallingSpec::Piggyback { period: 1, bytes: 8 },
        ..mpeg(Encapsulation::mpe(), 1, &[cra(1)])
    };
    assert_eq!(ReturnLink::<Numbered>::new(&config, 1, Time::ZERO).err(), Some(ConfigError::BurstTooShort));
    let with_prefix = ReturnConfig { burst_payload: Bytes::new(188 + 8), ..config };
    assert!(ReturnLink::<Numbered>::new(&with_prefix, 1, Time::ZERO).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_asked_for_first_is_enough_for_all_classes(
        encapsulation in any_encapsulation(), size in 1..9u64,
        packets in prop::collection::vec((0..3usize, 1..1500u32), 1..80),
    ) {
        let config = mpeg(encapsulation, size, &[vbdc(40); 3]);
        let mut link = new(&config);
        let mut waiting = [0u64; 3];
        for (number, (class, len)) in packets.iter().enumerate() {
            link.enqueue(ms(5), *class, Numbered { number, len: *len }).expect("room");
            waiting[*class] += u64::from(encapsulation.whole_bytes(*len));
        }
        prop_assert_eq!(drain(&mut link, ms(60_000)).len(), packets.len());
        let probes = probes(&mut link, ms(60_000));
        let slot = u64::from(encapsulation.least_burst_bytes(188 * size as u32));
        let once: u64 = waiting.iter().map(|bytes| bytes.div_ceil(slot)).sum();
        let first = probes.iter().map(|probe| probe.requested_volume).find(|slots| *slots > 0);
        prop_assert_eq!(first, Some(once));
        let used: u64 = probes.iter().map(|probe| u64::from(probe.used)).sum();
        prop_assert!(used <= once, "{used} of {once}");
    }

    #[test]
    fn a_rate_on_demand_sends_all_and_polling_late_changes_nothing(
        encapsulation in any_encapsulation(), size in 1..5u64,
        packets in prop::collection::vec((0..100_000_000u64, 0..2usize, 1..1500u32), 1..40),
    ) {
        let config = mpeg(encapsulation, size, &[rbdc(20), Mix { cra: cra(1).cra, ..vbdc(20) }]);
        let run = |punctual: bool| {
            let (mut link, mut at, mut departures) = (new(&config), 0, Vec::new());
            for (number, (gap, class, len)) in packets.iter().enumerate() {
                at += gap;
                if punctual {
                    departures.extend(drain(&mut link, Time::from_nanos(at)));
                }
                link.enqueue(Time::from_nanos(at), *class, Numbered { number, len: *len }).expect("room");
            }
            departures.extend(drain(&mut link, ms(60_000)));
            departures
        };
        let departures = run(true);
        prop_assert_eq!(departures.len(), packets.len());
        prop_assert!(departures.iter().all(|departure| departure.fate == Fate::Whole));
        prop_assert_eq!(departures, run(false));
    }
}
