//! What holds on every return link for every traffic.

use bentpipe_link::{
    BackgroundSpec, ClassSpec, DemandClassSpec, Dscp, FreeSpec, LayoutSpec, LinkSpec, LoadSpec, LossSpec,
    MixSpec, PlacementSpec, Rcs2Spec, SignallingSpec, SlotRateSpec, TracePacketSpec, VolumeKindSpec,
    VolumeOrderSpec, VolumeSpec,
};
use bentpipe_link::{Direction, DropCause, Event};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use super::specs::*;
use crate::common::*;

fn any_mix() -> impl Strategy<Value = MixSpec> {
    let volume = (any::<bool>(), 1..50u32).prop_map(|(added, max_slots)| {
        let kind = if added { VolumeKindSpec::Vbdc } else { VolumeKindSpec::Avbdc };
        VolumeSpec { kind, max_slots }
    });
    (1..5u64, prop::option::of(1..8u64), prop::option::of(volume), any::<bool>()).prop_map(
        |(thirds, rate, volume, free)| MixSpec {
            cra: SlotRateSpec { slots: thirds, superframes: 3 },
            rbdc: rate.and_then(|slots| rbdc(slots).rbdc),
            volume,
            free: if free { FreeSpec::Fca } else { FreeSpec::None },
        },
    )
}

fn any_load() -> impl Strategy<Value = BackgroundSpec> {
    let gaps = prop::collection::vec((0..100u64, 1..1500u64), 0..10);
    let trace = gaps.prop_map(|gaps| {
        let mut at_ns = Duration::ZERO;
        let packet = |(gap, bytes)| {
            at_ns += Duration::from_millis(gap);
            TracePacketSpec { at_ns, bytes: Bytes::new(bytes) }
        };
        let packets: Vec<_> = gaps.into_iter().map(packet).collect();
        LoadSpec::Trace { packets, period_ns: Some(Duration::from_secs(2)) }
    });
    let poisson = (0..300_000u64).prop_map(|rate| neighbour(cra(0), rate).load);
    (any_mix(), prop_oneof![poisson, trace])
        .prop_map(|(mix, load)| BackgroundSpec { load, ..neighbour(mix, 0) })
}

/// Any return link on which every packet leaves sooner or later.
fn any_spec() -> impl Strategy<Value = Rcs2Spec> {
    let class = (any_mix(), any_queue_for(1));
    let parts = (prop::option::of(class), any_mix(), prop::collection::vec(any_load(), 0..4));
    let network = (4..7u32, 1..4u32, any::<[bool; 3]>(), prop_oneof![Just(20.0), 4.5..5.5f64]);
    (parts, network).prop_map(
        |((class, mix, background), (period, carriers, [piggyback, spread, largest], es_n0_db))| {
            let signalling = match piggyback {
                true => SignallingSpec::Piggyback { period, bytes: 8 },
                false => SignallingSpec::RequestSlot { period },
            };
            let classes = class.into_iter().map(|(mix, queue)| DemandClassSpec {
                // The packets of the shared offers have code point 0.
                class: ClassSpec { name: "all".to_owned(), dscp: vec![Dscp::DEFAULT], queue },
                mix,
            });
            let base = alone(mix);
            Rcs2Spec {
                layout: LayoutSpec { carriers, ..base.layout },
                signalling,
                placement: if spread { PlacementSpec::Spread } else { PlacementSpec::Contiguous },
                order: if largest { VolumeOrderSpec::LargestFirst } else { VolumeOrderSpec::OldestFirst },
                es_n0: es_n0(es_n0_db, &[]),
                classes: classes.collect(),
                background,
                ..base
            }
        },
    )
}

fn any_link() -> impl Strategy<Value = LinkSpec> {
    (any_spec(), any_queue_for(1), any_direction()).prop_map(|(spec, queue, forward)| {
        let loss = LossSpec::Bernoulli { p: 0.1 };
        let mut return_ = terminal(spec);
        (return_.queue, return_.loss) = (queue, loss);
        link(forward, return_)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn packets_in_are_packets_out_plus_dropped_plus_held_at_any_time(
        spec in any_link(), offers in any_offers(), seed: u64,
    ) {
        holds_what_went_in_and_did_not_come_out(&mut path(&spec, seed), &offers)?;
    }

    #[test]
    fn polling_late_changes_no_event_and_no_table(spec in any_link(), offers in any_offers(), seed: u64) {
        let (mut first, mut second) = (path(&spec, seed), path(&spec, seed));
        prop_assert_eq!(punctually(&mut first, &offers), belatedly(&mut second, &offers));
        let end = Time::ZERO + Duration::from_secs(100);
        let reports = [&mut first, &mut second].map(|path| format!("{:?}", path.report(end)));
        prop_assert_eq!(&reports[0], &reports[1]);
    }

    #[test]
    fn equal_seeds_give_equal_events_and_tables(spec in any_link(), offers in any_offers(), seed: u64) {
        let run = || {
            let mut path = path(&spec, seed);
            let outcome = punctually(&mut path, &offers);
            (outcome, format!("{:?}", path.report(Time::ZERO + Duration::from_secs(100))))
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn events_come_in_order_and_packets_keep_theirs(spec in any_link(), offers in any_offers(), seed: u64) {
        let outcome = punctually(&mut path(&spec, seed), &offers);
        prop_assert!(outcome.events.iter().map(Event::at).is_sorted());
        prop_assert!(deliveries(&outcome, Direction::Return).is_sorted(), "numbers and instants both ascend");
    }

    #[test]
    fn nothing_happens_before_next_event(spec in any_link(), offers in any_offers(), seed: u64) {
        nothing_happens_but_at_next_event(&mut path(&spec, seed), &offers, false)?;
    }

    #[test]
    fn nothing_exceeds_the_slots_and_the_counters_agree(spec in any_link(), offers in any_offers(), seed: u64) {
        let mut path = path(&spec, seed);
        let outcome = punctually(&mut path, &offers);
        let end = outcome.events.last().map_or(Time::ZERO, Event::at).max(offers[offers.len() - 1].at);
        let report = path.report(end);
        let dama = &report.probes["dama"];
        let column = |name: &str| dama.column(name).to_vec();
        let granted = ["granted_cra_slots", "granted_rbdc_slots", "granted_volume_slots", "granted_free_slots"];
        for row in 0..dama.len() {
            let own: f64 = granted.iter().map(|name| column(name)[row]).sum();
            prop_assert!(column("allocated_slots")[row] <= column("capacity_slots")[row]);
            prop_assert!(own <= f64::from(SLOTS) && own <= column("allocated_slots")[row]);
            prop_assert!(column("used_slots")[row] <= own);
        }
        let counted = &report.return_;
        prop_assert_eq!(counted.offered_packets, counted.delivered_packets + counted.drops.total());
        prop_assert_eq!(counted.delivered_packets, deliveries(&outcome, Direction::Return).len() as u64);
        let dropped = losses(&outcome, Direction::Return, DropCause::Queue).len();
        prop_assert!(counted.drops.queue >= dropped as u64);
    }
}
