//! What holds on every carrier for every traffic.

use std::collections::BTreeSet;

use bentpipe_link::{
    AcmSpec, ClassSpec, CustomerSpec, Dvbs2EncapsulationSpec, Dvbs2Spec, FecFrameSpec, IdleSpec, LinkSpec,
    LoadSpec, LossSpec, ModulationSpec, PilotsSpec, QueueSpec, RowSpec, ScheduleSpec, StateSpec,
};
use bentpipe_link::{Direction, Event};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};
use proptest::prelude::*;

use super::rig::*;

fn any_queue() -> impl Strategy<Value = QueueSpec> {
    prop_oneof![
        (1_500..200_000u64).prop_map(|limit| QueueSpec::Bytes { limit_bytes: Bytes::new(limit) }),
        (1..100u64).prop_map(|limit_packets| QueueSpec::Packets { limit_packets }),
        (0..500u64).prop_map(|limit| QueueSpec::Time { limit_ns: Duration::from_millis(limit) }),
        (1_500..100_000u64, 0.0..=1.0f64).prop_map(|(limit, p)| QueueSpec::RandomEarlyDrop {
            limit_bytes: Bytes::new(limit),
            start_bytes: Bytes::new(limit / 3),
            p,
        }),
        (0..50u64, 0..200u64).prop_map(|(target, interval)| QueueSpec::Codel {
            limit_bytes: Bytes::new(200_000),
            target_ns: Duration::from_millis(target),
            interval_ns: Duration::from_millis(interval),
            ecn: Switch::Off,
        }),
    ]
}

fn any_classes() -> impl Strategy<Value = Vec<ClassSpec>> {
    let classes = (0..=2usize, any_queue(), any_queue());
    classes.prop_map(|(count, first, second)| {
        let mut classes = vec![
            ClassSpec { queue: first, ..class("voice", EF) },
            ClassSpec { queue: second, ..class("video", 34) },
        ];
        classes.truncate(count);
        classes
    })
}

fn any_modulation(classes: usize) -> impl Strategy<Value = ModulationSpec> {
    let modcod = || prop_oneof![Just("QPSK 1/4"), Just("8PSK 3/5"), Just("16APSK 5/6"), Just("32APSK 8/9")];
    let loop_ = (0.0..1.0f64, 0.0..1.0f64, 1..200u64, 0..600u64);
    prop_oneof![
        modcod().prop_map(|name| ModulationSpec::Constant { modcod: name.to_owned() }),
        prop::collection::vec(modcod().prop_map(str::to_owned), classes + 1)
            .prop_map(|modcods| ModulationSpec::ByClass { modcods }),
        loop_.prop_map(|(margin_db, hysteresis_db, period, delay)| ModulationSpec::Adaptive(AcmSpec {
            margin_db,
            hysteresis_db,
            report_period_ns: Duration::from_millis(period),
            report_delay_ns: Duration::from_millis(delay),
        })),
    ]
}

/// Nobody, or some with any load.
fn any_customers() -> impl Strategy<Value = Vec<CustomerSpec>> {
    let rate = (1_000..1_000_000u64).prop_map(Rate::from_bps);
    let load = (rate, 200..1_500u64, 1..200u64, 1..200u64, any::<bool>()).prop_map(
        |(rate_bps, packet, on, off, is_in_periods)| {
            let packet_bytes = Bytes::new(packet);
            let (on_ns, off_ns) = (Duration::from_millis(on), Duration::from_millis(off));
            if is_in_periods {
                LoadSpec::OnOff { rate_bps, packet_bytes, on_ns, off_ns }
            } else {
                LoadSpec::Poisson { rate_bps, packet_bytes }
            }
        },
    );
    let customer = (load, 1_500..50_000u64)
        .prop_map(|(load, limit)| CustomerSpec { limit_bytes: Bytes::new(limit), load });
    prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(customer, 1..4)]
}

fn any_carrier() -> impl Strategy<Value = Dvbs2Spec> {
    let idle = prop_oneof![Just(IdleSpec::Silence), Just(IdleSpec::DummyFrames)];
    let fecframe = prop_oneof![Just(FecFrameSpec::Normal), Just(FecFrameSpec::Short)];
    let pilots = prop_oneof![Just(PilotsSpec::Off), Just(PilotsSpec::On)];
    let encapsulation = prop_oneof![
        2 => Just(Dvbs2EncapsulationSpec::Gse { label_bytes: 6 }),
        1 => Just(Dvbs2EncapsulationSpec::Mpe),
        1 => Just(Dvbs2EncapsulationSpec::Ule),
    ];
    let timeout = prop_oneof![Just(0), 0..50u64].prop_map(Duration::from_millis);
    let scheduling = prop::option::of((1_000..50_000_000u64).prop_map(Duration::from_nanos));
    // Steps between a clear sky and an outage.
    let fade = prop::collection::vec((0..4_000u64, 0.0..25.0f64), 0..8).prop_map(|mut points| {
        points.sort_by_key(|point| point.0);
        faded(&points)
    });
    let rate = 200_000..20_000_000u64;
    let air = (rate, idle, fecframe, pilots, encapsulation, timeout, scheduling, fade);
    (air, any_classes(), any_customers()).prop_flat_map(|(air, classes, background)| {
        let (
            symbols_per_s,
            idle,
            fecframe,
            pilots,
            encapsulation,
            closing_timeout_ns,
            scheduling_period_ns,
            es_n0,
        ) = air;
        any_modulation(classes.len()).prop_map(move |modulation| Dvbs2Spec {
            symbols_per_s,
            idle,
            fecframe,
            pilots,
            encapsulation,
            closing_timeout_ns,
            scheduling_period_ns,
            es_n0: es_n0.clone(),
            classes: classes.clone(),
            background: Some(background.clone()),
            modulation,
            ..ccm("QPSK 1/4")
        })
    })
}

fn any_link() -> impl Strategy<Value = LinkSpec> {
    let loss = prop_oneof![Just(LossSpec::None), (0.0..1.0f64).prop_map(|p| LossSpec::Bernoulli { p })];
    let schedule = prop_oneof![2 => Just(None), 1 => any_parts().prop_map(Some)];
    (any_carrier(), any_queue(), loss, schedule).prop_map(|(mut carrier, queue, loss, schedule)| {
        // Something that the rates of a schedule are a part of.
        carrier.nominal_bps = Rate::from_bps(20_000_000);
        let mut spec = link(carrier, queue);
        spec.forward.loss = loss;
        spec.forward.schedule = schedule;
        spec
    })
}

/// What is left of the carrier over time: nothing for some time, all of it at last.
fn any_parts() -> impl Strategy<Value = ScheduleSpec> {
    let rate = prop_oneof![Just(Some(0)), Just(None), (10_000..50_000_000u64).prop_map(Some)];
    let rows = prop::collection::btree_map(1..2_000_000_000u64, rate, 1..8);
    (rows, any_state()).prop_map(|(rows, state)| {
        let row = |(at, rate): (u64, Option<u64>)| RowSpec {
            at_ns: Duration::from_nanos(at),
            rate_bps: rate.map(Rate::from_bps),
            delay_ns: None,
            loss: 0.0,
            state,
        };
        let mut rows: Vec<_> = std::iter::once((0, None)).chain(rows).map(row).collect();
        let last = rows.len() - 1;
        rows[last] = RowSpec { rate_bps: None, state: StateSpec::Open, ..rows[last] };
        ScheduleSpec::Table { rows, period_ns: None, offset_ns: Duration::ZERO }
    })
}

fn any_state() -> impl Strategy<Value = StateSpec> {
    prop::sample::select(vec![StateSpec::Open, StateSpec::Silence, StateSpec::Outage])
}

/// Bursts and pauses, with some packets of each class and some that are too long.
fn any_offers() -> impl Strategy<Value = Vec<Offer>> {
    let gap = prop_oneof![3 => Just(0), 2 => 0..3_000_000u64, 1 => 0..300_000_000u64];
    let dscp = prop_oneof![Just(0), Just(EF), Just(34)];
    prop::collection::vec((gap, 20..MTU + 5, dscp), 1..150).prop_map(|steps| {
        let mut at = Time::ZERO;
        let mut offer = |(gap, len, dscp)| {
            at += Duration::from_nanos(gap);
            Offer { at, len, dscp }
        };
        steps.into_iter().map(&mut offer).collect()
    })
}

const END: Time = ms(120_000);

proptest! {
    #[test]
    fn coming_back_late_changes_nothing(spec in any_link(), offers in any_offers(), seed: u64) {
        let (mut punctual, mut belated) = (path(&spec, seed), path(&spec, seed));
        prop_assert_eq!(punctually(&mut punctual, &offers), belatedly(&mut belated, &offers));
        let (mut first, mut second) = (punctual.report(END), belated.report(END));
        // NaN is no number, not even the same.
        for (name, table) in &first.probes {
            prop_assert_eq!(format!("{table:?}"), format!("{:?}", second.probes[name]));
        }
        first.probes.clear();
        second.probes.clear();
        prop_assert_eq!(first, second);
    }

    #[test]
    fn whoever_comes_back_when_told_to_is_never_late(spec in any_link(), offers in any_offers(), seed: u64) {
        let mut path = path(&spec, seed);
        for (number, offer) in offers.iter().enumerate() {
            while let Some(next) = path.next_event().filter(|next| *next < offer.at) {
                while let Some(event) = path.poll(next) {
                    prop_assert_eq!(event.at(), next);
                }
                prop_assert!(path.next_event().is_none_or(|later| later > next));
            }
            // What happens at the instant of an offer is told before or after it.
            while let Some(event) = path.poll(offer.at) {
                prop_assert_eq!(event.at(), offer.at);
            }
            let _ = path.enqueue(offer.at, Direction::Forward, Marked { number, len: offer.len, dscp: offer.dscp });
        }
        while let Some(next) = path.next_event() {
            while let Some(event) = path.poll(next) {
                prop_assert_eq!(event.at(), next);
            }
            prop_assert!(path.next_event().is_none_or(|later| later > next));
        }
    }

    #[test]
    fn every_packet_ends_once_and_is_held_until_then(spec in any_link(), offers in any_offers(), seed: u64) {
        let mut path = path(&spec, seed);
        let mut ended = BTreeSet::new();
        for (number, offer) in offers.iter().enumerate() {
            let packet = Marked { number, len: offer.len, dscp: offer.dscp };
            if path.enqueue(offer.at, Direction::Forward, packet).is_err() {
                prop_assert!(ended.insert(number));
            }
            while number % 3 == 0 && let Some(event) = path.poll(offer.at) {
                prop_assert!(ended.insert(event.into_packet().number));
            }
            prop_assert_eq!(path.held_packets(Direction::Forward) + ended.len(), number + 1);
        }
        while let Some(next) = path.next_event() {
            while let Some(event) = path.poll(next) {
                prop_assert!(ended.insert(event.into_packet().number));
            }
        }
        prop_assert_eq!((path.held_packets(Direction::Forward), ended.len()), (0, offers.len()));
        let report = path.report(END).forward;
        prop_assert_eq!(report.offered_packets, report.delivered_packets + report.drops.total());
    }

    #[test]
    fn packets_of_a_class_keep_their_order(spec in any_link(), offers in any_offers(), seed: u64) {
        let outcome = punctually(&mut path(&spec, seed), &offers);
        for dscp in [0, EF, 34] {
            let of_class = |(number, _): &(usize, Time)| (offers[*number].dscp == dscp).then_some(*number);
            prop_assert!(outcome.delivered().iter().filter_map(of_class).is_sorted());
        }
    }

    #[test]
    fn equal_seeds_give_equal_events(spec in any_link(), offers in any_offers(), seed: u64) {
        let run = || punctually(&mut path(&spec, seed), &offers);
        prop_assert_eq!(run(), run());
    }
}

#[test]
fn another_seed_loses_other_frames() {
    // QPSK 1/4 at -3.05 dB: half of the frames.
    let carrier = Dvbs2Spec { es_n0: faded(&[(0, 23.05)]), ..ccm("QPSK 1/4") };
    let spec = link(carrier, endless());
    let lost = |seed| punctually(&mut path(&spec, seed), &burst(Time::ZERO, 200)).lost();
    assert_ne!(lost(1), lost(2));
    assert!((50..195).contains(&lost(1).len()), "{}", lost(1).len());
}

#[test]
fn a_lost_frame_loses_its_packets_where_it_ends() {
    let carrier = Dvbs2Spec { es_n0: faded(&[(0, 30.0)]), ..ccm("QPSK 1/4") };
    let outcome = punctually(&mut path(&link(carrier, endless()), 1), &burst(Time::ZERO, 2));
    let end = |frames: u64| Time::ZERO + Duration::from_micros(32_490) * frames;
    assert_eq!(outcome.lost(), [(0, end(1)), (1, end(2))]);
    assert!(outcome.events.iter().all(|event| matches!(event, Event::Lost { .. })));
}
