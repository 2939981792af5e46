use bentpipe_link::DropCause;
use bentpipe_link::dama::{
    BackgroundConfig, ClassConfig, ConfigError, Departure, Fate, Mix, Probe, ReturnConfig, ReturnLink,
    Signalling, SlotRate, VolumeCapacity, VolumeKind,
};
use bentpipe_link::rcs2::Layout;
use bentpipe_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use crate::configs::*;

fn new(config: &ReturnConfig) -> ReturnLink<Numbered> {
    ReturnLink::new(config, 1, Time::ZERO).expect("a link")
}

fn probes(link: &mut ReturnLink<Numbered>, now: Time) -> Vec<Probe> {
    std::iter::from_fn(|| link.poll_probe(now)).collect()
}

fn class(mix: Mix) -> ClassConfig {
    ClassConfig { mix, limit: Bytes::new(100_000) }
}

/// A terminal of 1400-byte packets at this rate.
fn neighbour(mix: Mix, load_bps: u64) -> BackgroundConfig {
    BackgroundConfig { class: class(mix), load: Rate::from_bps(load_bps), packet: Bytes::new(1400) }
}

#[test]
fn a_saturated_constant_rate_carries_its_slots_less_encapsulation() {
    let mut link = new(&alone(cra(40)));
    let mut offered = 0;
    let mut delivered = 0u64;
    let end = ms(22_680);
    let mut now = Time::ZERO;
    while now <= end {
        while link.enqueue(now, 0, Numbered { number: offered, len: 1500 }).is_ok() {
            offered += 1;
        }
        now = link.next_event().expect("a backlog");
        while let Some(departure) = link.poll(now) {
            delivered += u64::from(departure.packet.len);
        }
    }
    // 1000 superframes of 40 bursts of 96 bytes. Of each packet and its neighbours in the same bursts: 1500 of
    // 1502 bytes are its own, and each burst costs the header of a fragment, most of one of a start besides.
    let payload = 40_000.0 * 96.0;
    let fragments_per_packet = 1502.0 / (96.0 - 2.0);
    let expected = payload * 1500.0 / (1502.0 + 2.0 * fragments_per_packet + 4.0);
    assert!((delivered as f64 - expected).abs() < 2e-3 * expected, "{delivered} of {expected}");
}

#[test]
fn an_idle_terminal_with_a_constant_rate_leaves_its_slots_unused_and_asks_for_nothing() {
    let mut link = new(&alone(Mix { volume: vbdc(40).volume, rbdc: rbdc(20).rbdc, ..cra(7) }));
    for probe in probes(&mut link, ms(10_000)) {
        assert_eq!((probe.granted.cra, probe.allocated, probe.used), (7, 7, 0));
        assert_eq!((probe.requested_rate, probe.requested_slots, probe.backlog), (0.0, 0, Bytes::ZERO));
    }
}

#[test]
fn a_volume_is_granted_as_asked_and_all_packets_leave_with_it() {
    let mut link = new(&alone(vbdc(40)));
    for number in 0..100 {
        link.enqueue(ms(5), 0, Numbered { number, len: 700 }).unwrap();
    }
    let departures = drain(&mut link, ms(5_000));
    assert_eq!(departures.len(), 100);
    let probes = probes(&mut link, ms(5_000));
    let asked: u64 = probes.iter().map(|probe| probe.requested_slots).sum();
    let granted: u64 = probes.iter().map(|probe| u64::from(probe.granted.volume)).sum();
    // ceil(100 x 703 / (96 - 5)) slots, asked for at once and given at 40 a superframe.
    assert_eq!((asked, granted), (773, 773));
    assert_eq!(probes.iter().filter(|probe| probe.granted.volume == 40).count(), 773 / 40);
    let used: u32 = probes.iter().map(|probe| probe.used).sum();
    assert!((100 * 703 / 96..=773).contains(&used), "{used}");
}

#[test]
fn what_the_constant_rate_carries_before_an_answer_could_come_is_not_asked_for() {
    // From request slot to plan 530.536 ms, 24 superframes of 22.68 ms: 23 of them and the present one have two slots
    // each, of at least 96 - 5 bytes: 4368 bytes, three packets of 1453 with their headers of 3.
    for (last, asked) in [(1453, 0), (1454, 1)] {
        let mut link = new(&alone(Mix { volume: vbdc(40).volume, ..cra(2) }));
        for (number, len) in [1453, 1453, last].into_iter().enumerate() {
            link.enqueue(Time::from_nanos(22_600_000), 0, Numbered { number, len }).unwrap();
        }
        let requested: u64 = probes(&mut link, ms(2_000)).iter().map(|probe| probe.requested_slots).sum();
        assert_eq!(requested, asked);
    }
}

#[test]
fn an_urgent_packet_overtakes_all_others_but_what_is_in_the_burst() {
    let config = ReturnConfig { classes: vec![class(cra(20)), class(cra(0))], ..alone(cra(0)) };
    let mut link = new(&config);
    for number in 0..20 {
        link.enqueue(Time::ZERO, 1, Numbered { number, len: 1000 }).unwrap();
    }
    assert!(link.poll(ms(40)).is_some(), "the first has left");
    link.enqueue(ms(40), 0, Numbered { number: 99, len: 80 }).unwrap();
    let departures = drain(&mut link, ms(5_000));
    let urgent = departures.iter().find(|departure| departure.class == 0).unwrap();
    // 20 slots of 22.68 ms, spread by gaps of at most three slots of 0.54 ms and the request slot.
    assert!(urgent.at.since(ms(40)) <= Duration::from_micros(540 * 6), "{:?}", urgent.at);
    let others: Vec<_> = departures.iter().filter(|d| d.class == 1).map(|d| d.packet.number).collect();
    assert!(others.is_sorted());
}

#[test]
fn a_packet_is_broken_when_one_of_its_bursts_is_lost() {
    let mut link = new(&alone(cra(40)));
    link.set_burst_error(Time::ZERO, 0.01);
    let mut now = Time::ZERO;
    let (mut broken, mut sent) = (0u32, 0u32);
    for number in 0..20_000 {
        // 270 + 1 + 1 bytes are three bursts: 92, 94 and 86.
        link.enqueue(now, 0, Numbered { number, len: 270 }).unwrap();
        for departure in drain(&mut link, Time::MAX) {
            now = departure.at;
            sent += 1;
            broken += u32::from(departure.fate == Fate::Broken);
        }
    }
    assert_eq!(sent, 20_000);
    let p = 1.0 - 0.99 * 0.99 * 0.99;
    let share = f64::from(broken) / f64::from(sent);
    let standard_error = (p * (1.0 - p) / f64::from(sent)).sqrt();
    assert!((share - p).abs() < 5.0 * standard_error, "{share}, {p}");
}

#[test]
fn requests_in_front_of_data_take_their_bytes_and_need_no_request_slot() {
    let mix = Mix { volume: vbdc(40).volume, ..cra(1) };
    let config = ReturnConfig { signalling: Signalling::Piggyback { period: 1, bytes: 8 }, ..alone(mix) };
    let mut link = new(&config);
    for number in 0..50 {
        link.enqueue(Time::ZERO, 0, Numbered { number, len: 700 }).unwrap();
    }
    let departures = drain(&mut link, ms(3_000));
    assert_eq!(departures.len(), 50);
    let alone_at_constant_rate = 50.0 * 703.0 / 94.0 * 0.02268;
    assert!(departures[49].at < ms((alone_at_constant_rate * 1000.0) as u64 / 4), "{:?}", departures[49].at);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut link = new(&ReturnConfig {
        classes: vec![ClassConfig { mix: cra(1), limit: Bytes::new(3_000) }],
        ..alone(cra(1))
    });
    for number in 0..2 {
        link.enqueue(ms(1), 0, Numbered { number, len: 1500 }).unwrap();
    }
    let third = Numbered { number: 2, len: 1500 };
    assert_eq!(link.enqueue(ms(1), 0, third), Err((DropCause::Queue, third)));
    let giant = Numbered { number: 3, len: 4094 };
    assert_eq!(link.enqueue(ms(1), 0, giant), Err((DropCause::Oversize, giant)));
}

#[test]
fn impossible_links_are_refused() {
    let refused = |config: &ReturnConfig| ReturnLink::<Numbered>::new(config, 0, Time::ZERO).err();
    let good = alone(vbdc(40));
    assert_eq!(refused(&good), None);
    let crowd = vec![neighbour(vbdc(40), 0); 2];
    assert_eq!(
        refused(&ReturnConfig { background: crowd, ..good.clone() }),
        Some(ConfigError::TooFewRequestSlots)
    );
    let piggyback = Signalling::Piggyback { period: 1, bytes: 8 };
    assert_eq!(
        refused(&ReturnConfig { signalling: piggyback, ..good.clone() }),
        Some(ConfigError::CannotAsk)
    );
    let never = Signalling::RequestSlot { period: 0 };
    assert_eq!(refused(&ReturnConfig { signalling: never, ..good.clone() }), Some(ConfigError::Empty));
    assert_eq!(
        refused(&ReturnConfig { burst_payload: Bytes::new(5), ..good }),
        Some(ConfigError::BurstTooShort)
    );
    assert_eq!(refused(&alone(cra(41))), Some(ConfigError::Overbooked));
}

#[test]
fn neighbours_take_what_they_load_and_slow_the_others_down() {
    let background = vec![neighbour(vbdc(40), 400_000); 7];
    let signalling = Signalling::RequestSlot { period: 4 };
    let mut link = new(&ReturnConfig { background, signalling, ..alone(vbdc(40)) });
    let all = probes(&mut link, ms(100_000));
    let slots: u64 = all.iter().map(|probe| u64::from(probe.allocated)).sum();
    assert!(all.iter().all(|probe| probe.allocated <= 40));
    // 2.8 Mbit/s are more than 40 slots of 96 bytes in 22.68 ms carry, 1.35 Mbit/s.
    let used = slots as f64 / (all.len() as f64 * 40.0);
    assert!(used > 0.95, "{used}");
    link.enqueue(ms(100_000), 0, Numbered { number: 0, len: 500 }).unwrap();
    let departure = drain(&mut link, Time::MAX).remove(0);
    assert!(departure.at.since(departure.since) > Duration::from_secs(1), "waits behind older requests");
}

#[test]
fn light_neighbours_are_given_what_they_load() {
    let background = vec![neighbour(vbdc(40), 50_000); 7];
    let signalling = Signalling::RequestSlot { period: 4 };
    let mut link = new(&ReturnConfig { background, signalling, ..alone(vbdc(40)) });
    let all = probes(&mut link, ms(2_000_000));
    let slots: u64 = all.iter().map(|probe| u64::from(probe.allocated)).sum();
    let packets: f64 = 7.0 * 50_000.0 / (1400.0 * 8.0) * 2_000.0;
    // A packet alone is ceil(1403 / 91) slots; packets that are asked for together share the last one.
    let (least, most) = (packets * 1403.0 / 91.0, packets * 16.0);
    let margin = 5.0 * packets.sqrt() / packets;
    let slots = slots as f64;
    assert!(slots > least * (1.0 - margin) && slots < most * (1.0 + margin), "{least} {slots} {most}");
}

fn any_link() -> impl Strategy<Value = ReturnConfig> {
    let mix = (0..4u128, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(cra, rate, volume, added, free)| Mix {
            cra: SlotRate::fraction(cra, 3),
            rbdc: rbdc(8).rbdc.filter(|_| rate),
            volume: volume.then_some(VolumeCapacity {
                kind: if added { VolumeKind::Added } else { VolumeKind::Replaced },
                max_slots: 30,
            }),
            free,
        },
    );
    let classes = prop::collection::vec(mix.clone(), 1..4);
    let background = prop::collection::vec((mix, 1..300_000u64), 0..4);
    (classes, background, 3..6u32, 1..4u32, any::<bool>()).prop_map(
        |(classes, background, period, carriers, piggyback)| {
            let bytes = 8;
            let slot = Signalling::RequestSlot { period };
            let signalling = if piggyback { Signalling::Piggyback { period, bytes } } else { slot };
            let mut config = ReturnConfig {
                layout: Layout { carriers, ..layout() },
                classes: classes.into_iter().map(class).collect(),
                background: background.into_iter().map(|(mix, load)| neighbour(mix, load)).collect(),
                signalling,
                ..alone(cra(0))
            };
            if config_error(&config) == Some(ConfigError::CannotAsk) {
                config.signalling = slot;
            }
            config
        },
    )
}

fn config_error(config: &ReturnConfig) -> Option<ConfigError> {
    ReturnLink::<Numbered>::new(config, 0, Time::ZERO).err()
}

/// Up to 60 packets with the gap before each in ns and its class.
fn any_packets() -> impl Strategy<Value = Vec<(u64, usize, u32)>> {
    let gap = prop_oneof![Just(0), 0..1_000_000u64, 0..300_000_000u64];
    prop::collection::vec((gap, 0..3usize, 1..1500u32), 1..60)
}

type Offer = (Time, usize, Numbered);

fn offers(packets: &[(u64, usize, u32)], classes: usize) -> Vec<Offer> {
    let mut at = Time::ZERO;
    let offer = |(number, (gap, class, len)): (usize, &(u64, usize, u32))| {
        at += Duration::from_nanos(*gap);
        (at, class % classes, Numbered { number, len: *len })
    };
    packets.iter().enumerate().map(offer).collect()
}

/// Long enough for every packet to leave where anybody gives anything.
const END: Time = Time::from_nanos(200_000_000_000);

fn run(config: &ReturnConfig, offers: &[Offer], punctual: bool) -> (Vec<Departure<Numbered>>, Vec<Probe>) {
    let mut link = new(config);
    let mut departures = Vec::new();
    for (at, class, packet) in offers {
        if punctual {
            departures.extend(drain(&mut link, *at));
        }
        let _ = link.enqueue(*at, *class, *packet);
    }
    if punctual {
        departures.extend(drain(&mut link, END));
    }
    departures.extend(std::iter::from_fn(|| link.poll(END)));
    let probes = probes(&mut link, END);
    (departures, probes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn polling_late_changes_nothing(config in any_link(), packets in any_packets()) {
        let offers = offers(&packets, config.classes.len());
        prop_assert_eq!(run(&config, &offers, true), run(&config, &offers, false));
    }

    #[test]
    fn packets_of_one_class_keep_their_order_and_none_is_lost(config in any_link(), packets in any_packets()) {
        let offers = offers(&packets, config.classes.len());
        let (departures, probes) = run(&config, &offers, true);
        for class in 0..config.classes.len() {
            let numbers: Vec<_> =
                departures.iter().filter(|d| d.class == class).map(|d| d.packet.number).collect();
            prop_assert!(numbers.is_sorted());
        }
        prop_assert!(departures.iter().map(|d| d.at).is_sorted());
        let some = |mix: Mix| !mix.cra.is_zero() || mix.rbdc.is_some() || mix.volume.is_some() || mix.free;
        if config.classes.iter().all(|class| some(class.mix)) {
            prop_assert_eq!(departures.len(), offers.len());
        }
        prop_assert!(probes.iter().all(|probe| probe.granted.total() <= 40
            && probe.allocated <= config.layout.slots()
            && probe.used <= probe.granted.total()));
    }

    #[test]
    fn nothing_happens_before_next_event(config in any_link(), packets in any_packets()) {
        let mut link = new(&config);
        for (at, class, packet) in offers(&packets, config.classes.len()) {
            let _ = link.enqueue(at, class, packet);
            while link.poll(at).is_some() {}
        }
        while let Some(next) = link.next_event().filter(|next| *next <= END) {
            prop_assert_eq!(link.poll(Time::from_nanos(next.as_nanos() - 1)), None);
            prop_assert!(link.next_event().is_some_and(|again| again >= next));
            let departure = link.poll(next);
            prop_assert!(departure.is_none_or(|departure| departure.at == next));
            while link.poll(next).is_some() {}
            prop_assert!(link.next_event().is_none_or(|later| later > next));
        }
    }
}
