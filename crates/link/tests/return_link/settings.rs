//! What a return link may be, and what is said where it may not.

use bentpipe_link::{
    AttenuationPoint, BackgroundSpec, BurstSpec, CapacitySpec, ClassSpec, DemandClassSpec, Dscp, FreeSpec,
    LayoutSpec, LinkSpec, LoadSpec, MixSpec, QueueSpec, RbdcSpec, Rcs2EncapsulationSpec, Rcs2Spec,
    SignallingSpec, SlotRateSpec, VolumeSpec,
};
use bentpipe_link::{check, describe, nominal_rate};
use bentpipe_units::{Bytes, Duration, Rate};

use super::specs::*;

fn refused(spec: Rcs2Spec) -> String {
    check(&geo(spec)).expect_err("a setting that cannot be").to_string()
}

#[test]
fn what_cannot_be_is_refused_by_field_expectation_and_finding() {
    let base = || alone(vbdc(40));
    let layout = |change: fn(&mut LayoutSpec)| {
        let mut spec = base();
        change(&mut spec.layout);
        refused(spec)
    };
    let mix = |change: fn(&mut MixSpec)| {
        let mut spec = base();
        change(&mut spec.mix);
        refused(spec)
    };
    assert_eq!(
        layout(|layout| layout.frames = 0),
        "return.capacity.layout.frames: expected at least 1, found 0"
    );
    assert_eq!(
        layout(|layout| layout.burst_symbols = 1616),
        "return.capacity.layout.burst_symbols: expected 536, the length of waveform 6, found 1616"
    );
    // 18 446 744 074 s, which are 2^64 ns and 0.29 s.
    assert!(
        layout(|layout| {
            (layout.symbols_per_s, layout.frames, layout.request_slots) = (1, 1, 4);
            (layout.traffic_slots, layout.guard_symbols) = (1, 0);
            (layout.request_symbols, layout.idle_symbols) = (4_000_000_000, 2_446_743_538);
        })
        .starts_with("return.capacity.layout: expected superframes of")
    );
    assert_eq!(
        layout(|layout| layout.request_slots = 0),
        "return.capacity.layout.request_slots: expected a request slot in each period for each of 1 terminals, found 0"
    );
    assert!(
        layout(|layout| layout.symbols_per_s = 1)
            .starts_with("return.capacity.layout: expected superframes of")
    );
    assert_eq!(
        refused(Rcs2Spec { burst: BurstSpec::Waveform { id: 23 }, ..base() }),
        "return.capacity.burst.id: expected a linear-modulation waveform, 3 to 22, found 23"
    );
    assert_eq!(
        refused(Rcs2Spec { encapsulation: Rcs2EncapsulationSpec::Mpe, ..base() }),
        "return.capacity.encapsulation.kind: expected rle in bursts of a waveform, found mpe"
    );
    assert_eq!(
        refused(Rcs2Spec { burst: BurstSpec::Mpeg { packets: 1, threshold_db: 5.0 }, ..base() }),
        "return.capacity.encapsulation.kind: expected mpe or ule in bursts of MPEG packets, found rle"
    );
    assert_eq!(
        refused(Rcs2Spec { signalling: SignallingSpec::RequestSlot { period: 0 }, ..base() }),
        "return.capacity.signalling.period: expected 1 to 1000000, found 0"
    );
    assert_eq!(
        refused(Rcs2Spec { signalling: SignallingSpec::Piggyback { period: 1, bytes: 8 }, ..base() }),
        "return.capacity.mix.cra: expected a constant rate of the terminal, which asks in front of its data, found none"
    );
    assert_eq!(
        mix(|mix| mix.cra.superframes = 0),
        "return.capacity.mix.cra.superframes: expected 1 to 2^40, found 0"
    );
    assert_eq!(
        mix(|mix| mix.rbdc = Some(RbdcSpec { max: cra(1).cra, timeout_superframes: 0 })),
        "return.capacity.mix.rbdc.timeout_superframes: expected 1 at least, since a request has to last until the next, \
         found 0"
    );
    assert_eq!(
        mix(|mix| mix.rbdc = rbdc(0).rbdc),
        "return.capacity.mix.rbdc.max.slots: expected at least 1, found 0"
    );
    assert_eq!(
        mix(|mix| *mix = cra(0)),
        "return.capacity.mix: expected a capacity of its own, or constant or free capacity of another class of the \
         terminal, found none"
    );
    assert_eq!(
        mix(|mix| mix.volume = mix.volume.map(|volume| VolumeSpec { max_slots: 0, ..volume })),
        "return.capacity.mix.volume.max_slots: expected at least 1, found 0"
    );
    assert_eq!(
        mix(|mix| (mix.cra.slots, mix.volume) = (41, None)),
        "return.capacity.mix.cra: expected constant and maximum rates of one terminal of at most 40 slots per superframe \
         together, found 41 slots"
    );
}

#[test]
fn packets_longer_than_the_encapsulation_takes_are_refused_as_an_mtu_or_as_a_background() {
    // RLE's total length has 12 bits (TS 103 179): 4095 bytes with a header and a trailer of one byte each.
    let with_mtu = |mtu| LinkSpec { mtu_bytes: Bytes::new(mtu), ..geo(alone(vbdc(40))) };
    assert_eq!(check(&with_mtu(4_093)), Ok(()));
    let told =
        "mtu_bytes: expected at most 4093 B, the longest packet that the encapsulation takes, found 4094 B";
    assert_eq!(check(&with_mtu(4_094)).unwrap_err().to_string(), told);
    let capacity = with_mtu(4_094).return_.capacity;
    assert_eq!(nominal_rate(&capacity, Bytes::new(4_094)).unwrap_err().to_string(), told);
    let jumbo = LoadSpec::Poisson { rate_bps: Rate::from_bps(8_000), packet_bytes: Bytes::new(4_094) };
    let background = vec![BackgroundSpec { load: jumbo, ..neighbour(vbdc(40), 8_000) }];
    assert_eq!(
        refused(Rcs2Spec { background, ..alone(vbdc(40)) }),
        "return.capacity.background: expected packets of at most 4093 bytes, as the encapsulation takes, found longer ones"
    );
}

#[test]
fn a_rate_request_that_lapses_before_the_next_can_be_sent_is_refused() {
    let asks_each =
        |period| Rcs2Spec { signalling: SignallingSpec::RequestSlot { period }, ..alone(rbdc(40)) };
    // `rbdc` counts for 16 superframes.
    assert_eq!(check(&geo(asks_each(16))), Ok(()));
    assert_eq!(
        refused(asks_each(17)),
        "return.capacity.mix.rbdc.timeout_superframes: expected 17 at least, since a request has to last until the \
         next, found 16"
    );
}

#[test]
fn times_of_the_control_loop_stay_within_a_minute_and_periods_within_a_million() {
    let minute = Duration::from_secs(60);
    let longer = minute + Duration::from_nanos(1);
    assert_eq!(
        check(&geo(Rcs2Spec { request_delay_ns: minute, lead_ns: minute, ..alone(vbdc(40)) })),
        Ok(())
    );
    assert_eq!(
        refused(Rcs2Spec { lead_ns: longer, ..alone(vbdc(40)) }),
        "return.capacity.lead_ns: expected at most 60000000000, found 60000000001"
    );
    assert_eq!(
        refused(Rcs2Spec { request_delay_ns: longer, ..alone(vbdc(40)) }),
        "return.capacity.request_delay_ns: expected at most 60000000000, found 60000000001"
    );
    let each = |period| Rcs2Spec { signalling: SignallingSpec::RequestSlot { period }, ..alone(vbdc(40)) };
    assert_eq!(check(&geo(each(1_000_000))), Ok(()));
    assert_eq!(
        refused(each(1_000_001)),
        "return.capacity.signalling.period: expected 1 to 1000000, found 1000001"
    );
}

#[test]
fn a_constant_rate_is_a_fraction_of_at_most_a_million_and_parts_of_2_to_the_40th() {
    let constant = |slots, superframes| {
        let cra = SlotRateSpec { slots, superframes };
        alone(MixSpec { cra, ..vbdc(40) })
    };
    assert_eq!(check(&geo(constant(1, 1 << 40))), Ok(()));
    assert_eq!(
        refused(constant(1, (1 << 40) + 1)),
        "return.capacity.mix.cra.superframes: expected 1 to 2^40, found 1099511627777"
    );
    assert_eq!(
        refused(constant(1_000_001, 1)),
        "return.capacity.mix.cra.slots: expected at most a million in each superframe, found 1000001"
    );
}

#[test]
fn a_packet_waits_for_its_request_and_three_superframes_at_most() {
    // The request waits for its slot, a superframe; the one in progress when it arrives and that of the slots follow.
    let wait = |period| {
        let signalling = SignallingSpec::RequestSlot { period };
        describe(&geo(Rcs2Spec { signalling, ..alone(vbdc(40)) })).unwrap().return_.longest_wait_ns
    };
    assert_eq!(wait(1), HOP + LEAD + SUPERFRAME * 4);
    assert_eq!(wait(5), HOP + LEAD + SUPERFRAME * 8);
}

#[test]
fn mpeg_bursts_have_a_threshold_and_symbols_enough() {
    let base = alone(vbdc(40));
    let mpeg = |burst_symbols, threshold_db| Rcs2Spec {
        burst: BurstSpec::Mpeg { packets: 1, threshold_db },
        encapsulation: Rcs2EncapsulationSpec::Mpe,
        layout: LayoutSpec { burst_symbols, ..base.layout },
        ..base.clone()
    };
    // 188 bytes are 1504 bits, of which a symbol of 16QAM has four.
    assert_eq!(check(&geo(mpeg(376, 5.0))), Ok(()));
    assert_eq!(
        refused(mpeg(375, 5.0)),
        "return.capacity.layout.burst_symbols: expected 376 at least, for 1 MPEG packets at four bits a symbol, \
         found 375"
    );
    assert_eq!(
        refused(mpeg(376, f64::INFINITY)),
        "return.capacity.burst.threshold_db: expected a number, found inf"
    );
}

#[test]
fn a_waiting_room_without_room_for_the_longest_packet_is_refused() {
    let with = |queue| {
        let mut spec = geo(alone(vbdc(40)));
        spec.return_.queue = queue;
        check(&spec).map_err(|error| error.to_string())
    };
    let bytes = |limit| QueueSpec::Bytes { limit_bytes: Bytes::new(limit) };
    assert_eq!(with(bytes(1_500)), Ok(()));
    let told =
        "limit_bytes: expected 1500 at least, the longest packet: each has to wait for its turn, found 1499";
    assert_eq!(with(bytes(1_499)), Err(format!("return.queue.{told}")));
    assert_eq!(
        with(QueueSpec::Packets { limit_packets: 0 }),
        Err("return.queue.limit_packets: expected 1 at least, found 0".to_owned())
    );
    let class = ClassSpec { name: "voice".to_owned(), dscp: vec![Dscp::DEFAULT], queue: bytes(1_499) };
    let classes = vec![DemandClassSpec { class, mix: cra(1) }];
    assert_eq!(
        refused(Rcs2Spec { classes, ..alone(vbdc(40)) }),
        format!("return.capacity.classes[0].queue.{told}")
    );
    let small = BackgroundSpec { limit_bytes: Bytes::new(1_399), ..neighbour(vbdc(40), 1_000) };
    assert_eq!(
        refused(Rcs2Spec { background: vec![small], ..alone(vbdc(40)) }),
        "return.capacity.background[0].limit_bytes: expected 1400 at least, the longest packet: each has to wait for \
         its turn, found 1399"
    );
}

#[test]
fn attenuation_goes_forward_in_time() {
    let mut spec = alone(cra(1));
    let point = |s| AttenuationPoint { at_ns: Duration::from_secs(s), db: 0.0 };
    spec.es_n0.up.attenuation.points = vec![point(2), point(1)];
    assert!(refused(spec).starts_with("return.capacity.es_n0.up.attenuation.points[1].at_ns: expected"));
}

fn nominal_bps(mix: MixSpec) -> u64 {
    let capacity = CapacitySpec::Rcs2(Box::new(alone(mix)));
    nominal_rate(&capacity, Bytes::new(1500)).expect("a link").as_bps()
}

#[test]
fn the_nominal_rate_is_that_of_the_most_slots_that_the_mix_allows() {
    // One slot in a superframe of 22.68 ms; packets of 1500 bytes in bursts of 96.
    let slot = nominal_bps(cra(1)) as f64;
    assert!(slot < 96.0 * 8.0 / 0.02268 && slot > 91.0 * 8.0 / 0.02268 * 1500.0 / 1503.0, "{slot}");
    for (mix, slots) in [
        (cra(40), 40.0),
        (rbdc(30), 30.0),
        (vbdc(20), 20.0),
        (MixSpec { rbdc: rbdc(5).rbdc, volume: vbdc(10).volume, ..cra(3) }, 18.0),
        // At most what one carrier has.
        (MixSpec { rbdc: rbdc(30).rbdc, volume: vbdc(30).volume, ..cra(3) }, 40.0),
        (MixSpec { free: FreeSpec::Fca, ..cra(3) }, 40.0),
        (MixSpec { cra: SlotRateSpec { slots: 5, superframes: 2 }, ..cra(0) }, 2.5),
    ] {
        let rate = nominal_bps(mix) as f64;
        assert!((rate / slot - slots).abs() < 1e-2, "{rate} for {slots}");
    }
}
