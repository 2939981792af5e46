//! A return link as a whole: when packets leave, and what their delay was spent on.

use bentpipe_link::rcs2::LayoutSpec;
use bentpipe_link::rcs2::dama::{
    AccessDelay, BackgroundConfig, ConfigError, Departure, Fate, Mix, Phase, Probe, ReturnConfig, ReturnLink,
    SignallingSpec, SlotRate, VolumeKindSpec, VolumeSpec,
};
use bentpipe_link::{DropCause, LoadError, LoadSpec, TracePacketSpec};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use super::configs::*;

fn new(config: &ReturnConfig) -> ReturnLink<Numbered> {
    ReturnLink::new(config, 1, Time::ZERO).expect("a link")
}

fn probes(link: &mut ReturnLink<Numbered>, now: Time) -> Vec<Probe> {
    std::iter::from_fn(|| link.poll_probe(now)).collect()
}

/// A terminal of 1400-byte packets at this rate.
fn neighbour(mix: Mix, load_bps: u64) -> BackgroundConfig {
    let load = LoadSpec::Poisson { rate_bps: Rate::from_bps(load_bps), packet_bytes: Bytes::new(1400) };
    BackgroundConfig { class: class(mix, 100_000), load }
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
        assert_eq!((probe.requested_rate, probe.requested_volume, probe.backlog), (0.0, 0, Bytes::ZERO));
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
    let asked: u64 = probes.iter().map(|probe| probe.requested_volume).sum();
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
        let requested: u64 = probes(&mut link, ms(2_000)).iter().map(|probe| probe.requested_volume).sum();
        assert_eq!(requested, asked);
    }
}

#[test]
fn an_urgent_packet_overtakes_all_others_but_what_is_in_the_burst() {
    let config =
        ReturnConfig { classes: vec![class(cra(20), 100_000), class(cra(0), 100_000)], ..alone(cra(0)) };
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
    // 0.01 = 1 / (1 + 99 999 * 10^(x / 0.1 dB)) for x = -0.3004 dB from the threshold, 5.36 dB.
    let above_db = 0.1 * libm::log10(99.0 / 99_999.0);
    let config = ReturnConfig { es_n0: clear_sky(5.36 + above_db), ..alone(cra(40)) };
    let mut link = new(&config);
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
fn a_request_in_front_of_data_takes_its_bytes() {
    let request_slot = SignallingSpec::RequestSlot { period: 1 };
    let piggyback = |period| SignallingSpec::Piggyback { period, bytes: 8 };
    // 2 + 1 + 93 bytes are one burst of 96, and two with a request of 8 in front: the constant rate has one in each
    // superframe. In superframe 1, which the packet meets, it is nobody's turn of a period of two.
    for (signalling, bursts) in [(request_slot, 1), (piggyback(1), 2), (piggyback(2), 1)] {
        let mix = Mix { rbdc: rbdc(20).rbdc, ..cra(1) };
        let mut link = new(&ReturnConfig { signalling, ..alone(mix) });
        link.enqueue(ms(10), 0, Numbered { number: 0, len: 93 }).unwrap();
        let probes = probes(&mut link, ms(500));
        assert_eq!(probes[1].used, 1);
        assert_eq!(probes.iter().map(|probe| probe.used).sum::<u32>(), bursts, "{signalling:?}");
    }
}

#[test]
fn a_turn_to_ask_in_front_of_data_stays_until_there_is_a_burst() {
    // A slot in superframes 2, 5, 8 and so on; a turn in 0, 3, 6.
    let mix = Mix { volume: vbdc(40).volume, ..Mix::constant(SlotRate::fraction(1, 3)) };
    let mut link =
        new(&ReturnConfig { signalling: SignallingSpec::Piggyback { period: 3, bytes: 8 }, ..alone(mix) });
    for number in 0..50 {
        link.enqueue(Time::ZERO, 0, Numbered { number, len: 700 }).unwrap();
    }
    let at_constant_rate = Duration::from_secs_f64(50.0 * 703.0 / 94.0 * 3.0 * 0.02268);
    let departures = drain(&mut link, Time::ZERO + at_constant_rate.mul_f64(0.25));
    assert_eq!(departures.len(), 50);
}

#[test]
fn requests_in_front_of_data_need_no_request_slot() {
    let mix = Mix { volume: vbdc(40).volume, ..cra(1) };
    let config = ReturnConfig { signalling: SignallingSpec::Piggyback { period: 1, bytes: 8 }, ..alone(mix) };
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
    let mut link = new(&ReturnConfig { classes: vec![class(cra(1), 3_000)], ..alone(cra(1)) });
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
    let piggyback = SignallingSpec::Piggyback { period: 1, bytes: 8 };
    assert_eq!(
        refused(&ReturnConfig { signalling: piggyback, ..good.clone() }),
        Some(ConfigError::CannotAsk)
    );
    let never = SignallingSpec::RequestSlot { period: 0 };
    assert_eq!(refused(&ReturnConfig { signalling: never, ..good.clone() }), Some(ConfigError::Empty));
    assert_eq!(
        refused(&ReturnConfig { burst_payload: Bytes::new(5), ..good }),
        Some(ConfigError::BurstTooShort)
    );
    assert_eq!(refused(&alone(cra(41))), Some(ConfigError::Overbooked));
    let jumbo = ReturnConfig { mtu: Bytes::new(4095), ..alone(cra(1)) };
    assert_eq!(refused(&jumbo), Some(ConfigError::PacketTooLong));
    let packet = |at_ns, bytes| TracePacketSpec { at_ns, bytes: Bytes::new(bytes) };
    let trace = |packets: &[u64], period| LoadSpec::Trace {
        packets: packets.iter().map(|s| packet(Duration::from_secs(*s), 100)).collect(),
        period_ns: Some(Duration::from_secs(period)),
    };
    let loaded = |load| {
        let signalling = SignallingSpec::RequestSlot { period: 4 };
        let background = vec![BackgroundConfig { class: class(cra(1), 1_000), load }];
        refused(&ReturnConfig { background, signalling, ..alone(cra(1)) })
    };
    for load in [trace(&[1, 0], 9), trace(&[0, 9], 9), trace(&[0], 0)] {
        assert_eq!(loaded(load), Some(ConfigError::Load(LoadError::TraceOutOfOrder)));
    }
    let poisson =
        |bps, bytes| LoadSpec::Poisson { rate_bps: Rate::from_bps(bps), packet_bytes: Bytes::new(bytes) };
    // RLE takes 4093 bytes at most; a packet of a byte at 8 Mbit/s is one in a microsecond.
    assert_eq!(loaded(poisson(1_000, 4_093)), None);
    assert_eq!(loaded(poisson(1_000, 4_094)), Some(ConfigError::PacketTooLong));
    assert_eq!(loaded(poisson(1_000, 0)), Some(ConfigError::Load(LoadError::EmptyPacket)));
    assert_eq!(loaded(poisson(8_000_000, 1)), None);
    assert_eq!(loaded(poisson(8_010_000, 1)), Some(ConfigError::Load(LoadError::TooManyPackets)));
    let dense = |nanos| LoadSpec::Trace {
        packets: vec![packet(Duration::ZERO, 100); 2],
        period_ns: Some(Duration::from_nanos(nanos)),
    };
    assert_eq!(
        (loaded(dense(2_000)), loaded(dense(1_999))),
        (None, Some(ConfigError::Load(LoadError::TooManyPackets)))
    );
}

#[test]
fn a_class_that_is_never_given_anything_is_refused() {
    let refused = |mixes: &[Mix]| {
        let classes = mixes.iter().map(|mix| class(*mix, 10_000)).collect();
        ReturnLink::<Numbered>::new(&ReturnConfig { classes, ..alone(cra(0)) }, 0, Time::ZERO).err()
    };
    let free = Mix { free: true, ..cra(0) };
    for served in [&[cra(1), cra(0)][..], &[cra(0), free], &[vbdc(1), rbdc(1)]] {
        assert_eq!(refused(served), None);
    }
    // Slots that somebody has asked for are there only as long as there is something to ask for.
    for starving in [&[cra(0)][..], &[vbdc(40), cra(0)], &[vbdc(0)], &[rbdc(0)]] {
        assert_eq!(refused(starving), Some(ConfigError::NeverServed));
    }
}

#[test]
fn neighbours_take_what_they_load_and_slow_the_others_down() {
    let background = vec![neighbour(vbdc(40), 400_000); 7];
    let signalling = SignallingSpec::RequestSlot { period: 4 };
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
fn a_trace_of_a_neighbour_is_given_what_it_needs_each_time() {
    let packets = [(0, 1400), (3, 60), (3, 60)];
    let packets = packets
        .map(|(s, bytes)| TracePacketSpec { at_ns: Duration::from_secs(s), bytes: Bytes::new(bytes) })
        .to_vec();
    let load = LoadSpec::Trace { packets, period_ns: Some(Duration::from_secs(10)) };
    let background = vec![BackgroundConfig { class: class(vbdc(40), 100_000), load }];
    let mut link = new(&ReturnConfig { background, ..alone(vbdc(40)) });
    let slots: u64 = probes(&mut link, ms(99_900)).iter().map(|probe| u64::from(probe.allocated)).sum();
    // Ten times ceil(1403 / 91) and ceil(2 x 63 / 91): what comes together is asked for together.
    assert_eq!(slots, 10 * (16 + 2));
}

#[test]
fn the_parts_of_a_packet_s_delay_follow_each_other() {
    let mut link = new(&alone(vbdc(40)));
    let mut departures = Vec::new();
    for (number, at) in [5, 5, 600].into_iter().enumerate() {
        departures.extend(drain(&mut link, ms(at)));
        link.enqueue(ms(at), 0, Numbered { number, len: 300 }).unwrap();
    }
    departures.extend(drain(&mut link, ms(5_000)));
    for departure in &departures {
        let AccessDelay { queue, request, slot, bursts } = departure.delay;
        assert_eq!(queue + request + slot + bursts, departure.at.since(departure.since));
    }
    let [first, second, third] = &departures[..] else { panic!("three packets") };
    // Superframes of 22.68 ms. Asked for from 22.68 to 23.216 ms, there at 283.216 ms, planned 270 ms ahead of the
    // superframe at 567 ms, whose first slot starts after a request slot of 0.54 ms.
    assert_eq!(first.delay.queue, Duration::ZERO);
    assert_eq!(first.delay.request, Duration::from_micros(567_000 - 5_000));
    assert_eq!(first.delay.slot, Duration::from_micros(540));
    assert_eq!(second.delay.request, Duration::ZERO, "its first slot is in the same superframe");
    assert_eq!(second.delay.slot, Duration::ZERO, "it starts in the burst in which the one before it ends");
    assert_eq!(second.since + second.delay.queue, first.at - Duration::from_micros(536));
    // Nothing is before the third; from 612.36 ms on the same takes until superframe 51 at 1156.68 ms.
    let third = (third.delay.queue, third.delay.request);
    assert_eq!(third, (Duration::ZERO, Duration::from_micros(1_156_680 - 600_000)));
}

#[test]
fn superframes_start_at_an_instant_of_their_own_for_each_seed() {
    let superframe = Duration::from_micros(22_680);
    let config = ReturnConfig { phase: Phase::Random, ..alone(cra(40)) };
    let second = |seed| {
        let mut link = ReturnLink::<Numbered>::new(&config, seed, ms(1_000)).expect("a link");
        let all = probes(&mut link, ms(1_100));
        assert_eq!(
            (all[0].superframe, all[0].start),
            (0, ms(1_000)),
            "what was before the start is not told"
        );
        assert!(all.windows(2).skip(1).all(|pair| pair[1].start == pair[0].start + superframe));
        all[1].start.since(ms(1_000))
    };
    let mut phases: Vec<_> = (0..1_000).map(second).collect();
    phases.sort_unstable();
    // Kolmogorov and Smirnov: 1.63 / sqrt(n) is passed by one uniform sample in a hundred.
    let distance = phases.iter().zip(1..).map(|(phase, rank)| {
        (phase.as_secs_f64() / superframe.as_secs_f64() - f64::from(rank) / 1_000.0).abs()
    });
    assert!(distance.fold(0.0, f64::max) < 1.63 / 1_000f64.sqrt() + 1e-3);
    assert_eq!(second(7), second(7));
}

#[test]
fn of_a_constant_rate_any_part_of_a_slot_is_due_at_the_start() {
    // A slot in every fourth superframe: in the first one for a quarter of the seeds.
    let config = ReturnConfig { phase: Phase::Random, ..alone(Mix::constant(SlotRate::fraction(1, 4))) };
    let granted_first = |seed: &u64| {
        let mut link = ReturnLink::<Numbered>::new(&config, *seed, ms(0)).expect("a link");
        let all = probes(&mut link, ms(1_000));
        let total: u32 = all.iter().map(|probe| probe.granted.cra).sum();
        assert!(total.abs_diff(all.len() as u32 / 4) <= 1, "whatever was due, the rate is kept");
        all[0].granted.cra > 0
    };
    let first = (0..1_000).filter(granted_first).count();
    // 250, sd 13.7: five of them.
    assert!((182..=318).contains(&first), "{first}");
}

#[test]
fn light_neighbours_are_given_what_they_load() {
    let background = vec![neighbour(vbdc(40), 50_000); 7];
    let signalling = SignallingSpec::RequestSlot { period: 4 };
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
            volume: volume.then_some(VolumeSpec {
                kind: if added { VolumeKindSpec::Vbdc } else { VolumeKindSpec::Avbdc },
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
            let slot = SignallingSpec::RequestSlot { period };
            let signalling = if piggyback { SignallingSpec::Piggyback { period, bytes } } else { slot };
            let mut config = ReturnConfig {
                layout: LayoutSpec { carriers, ..layout() },
                classes: classes.into_iter().map(|mix| class(mix, 100_000)).collect(),
                background: background.into_iter().map(|(mix, load)| neighbour(mix, load)).collect(),
                signalling,
                ..alone(cra(0))
            };
            if config_error(&config) == Some(ConfigError::NeverServed) {
                let background = config.background.iter_mut().map(|terminal| &mut terminal.class);
                config.classes.iter_mut().chain(background).for_each(|class| class.mix.free = true);
            }
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
        prop_assert_eq!(departures.len(), offers.len());
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
