//! Superframes per second of the return link: one iteration is one superframe.

use bentpipe_link::LoadSpec;
use bentpipe_link::rcs2::dama::{
    AccountConfig, BackgroundConfig, ClassConfig, Controller, Mix, Phase, PlacementSpec, RateCapacity,
    Request, ReturnConfig, ReturnLink, SignallingSpec, SlotRate, Supply, Timing, VolumeKindSpec,
    VolumeOrderSpec, VolumeSpec,
};
use bentpipe_link::rcs2::{Encapsulation, ProtectionSpec, ProtocolField, Waveform};
use bentpipe_link::{
    AttenuationSpec, BurstSpec, CapacitySpec, DirectionSpec, EsN0Spec, FreeSpec, JitterSpec, LayoutSpec,
    LegSpec, LinkSpec, LossSpec, MixSpec, QueueSpec, Rcs2EncapsulationSpec, Rcs2Spec, SlotRateSpec,
};
use bentpipe_link::{Direction, Packet, Path};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const TERMINALS: u32 = 20;

/// Two frames of ten request slots and 104 bursts of 1616 symbols.
const LAYOUT: LayoutSpec = LayoutSpec {
    symbols_per_s: 2_000_000,
    carriers: 1,
    frames: 2,
    request_slots: 10,
    traffic_slots: 104,
    request_symbols: 536,
    burst_symbols: 1616,
    guard_symbols: 4,
    idle_symbols: 0,
};

struct Borrowed;

impl Packet for Borrowed {
    fn len_bytes(&self) -> u32 {
        1500
    }
}

fn mix() -> Mix {
    Mix {
        cra: SlotRate::fraction(10, 7),
        rbdc: Some(RateCapacity { max: SlotRate::slots(20), timeout: 16 }),
        volume: Some(VolumeSpec { kind: VolumeKindSpec::Vbdc, max_slots: LAYOUT.columns() }),
        free: true,
    }
}

fn overloaded_controller(criterion: &mut Criterion) {
    let accounts: Vec<_> =
        (0..TERMINALS).map(|terminal| AccountConfig { terminal: terminal as usize, mix: mix() }).collect();
    let supply = Supply { slots: LAYOUT.slots(), per_terminal: LAYOUT.columns() };
    let mut group = criterion.benchmark_group("controller, 20 terminals in overload");
    group.throughput(Throughput::Elements(1));
    group.bench_function("requests and plan", |bencher| {
        let mut controller =
            Controller::new(supply, VolumeOrderSpec::OldestFirst, &accounts).expect("rates that fit");
        bencher.iter(|| {
            for account in 0..accounts.len() {
                controller.request(account, Request::Rate(SlotRate::fraction(31, 3)));
                controller.request(account, Request::Volume(3));
            }
            controller.plan().len()
        });
    });
    group.finish();
}

/// All terminals saturated or nearly: each of some 200 bursts of a superframe is filled with packets.
fn loaded_link(criterion: &mut Criterion) {
    let queue = QueueSpec::Bytes { limit_bytes: Bytes::new(100_000) };
    let class = ClassConfig { mix: mix(), queue };
    let load = LoadSpec::Poisson { rate_bps: Rate::from_bps(60_000), packet_bytes: Bytes::new(700) };
    let neighbour = BackgroundConfig { class: class.clone(), load };
    let waveform = Waveform::by_id(14).expect("a waveform");
    let leg =
        LegSpec { clear_sky_db: 20.0, attenuation: AttenuationSpec { points: Vec::new(), period_ns: None } };
    let config = ReturnConfig {
        layout: LAYOUT,
        phase: Phase::Random,
        burst_payload: waveform.payload(),
        mtu: Bytes::new(1500),
        threshold: waveform.threshold(),
        es_n0: EsN0Spec { up: leg.clone(), down: leg },
        encapsulation: Encapsulation::rle(ProtocolField::Compressed, 0, ProtectionSpec::Sequence),
        timing: Timing { request_delay: Duration::from_millis(260), lead: Duration::from_millis(270) },
        signalling: SignallingSpec::RequestSlot { period: 1 },
        placement: PlacementSpec::Spread,
        order: VolumeOrderSpec::OldestFirst,
        classes: vec![class],
        background: vec![neighbour; TERMINALS as usize - 1],
    };
    let superframe = Duration::from_secs_f64(LAYOUT.seconds());
    let mut group = criterion.benchmark_group("return link, 20 terminals");
    group.throughput(Throughput::Elements(1));
    group.bench_function("superframe", |bencher| {
        let mut link = ReturnLink::new(&config, 1, Time::ZERO).expect("a link");
        let mut now = Time::ZERO;
        bencher.iter(|| {
            now += superframe;
            while link.enqueue(now, 0, Borrowed).is_ok() {}
            while link.poll(now).is_some() {}
            link.poll_probe(now)
        });
    });
    group.finish();
}

/// A terminal that has all 208 slots of a superframe of its own, inside a path: 1.84 Mbit/s of packets.
fn saturated_path(criterion: &mut Criterion) {
    let leg =
        LegSpec { clear_sky_db: 20.0, attenuation: AttenuationSpec { points: Vec::new(), period_ns: None } };
    let capacity = CapacitySpec::Rcs2(Box::new(Rcs2Spec {
        nominal_bps: Rate::from_bps(1_840_000),
        layout: LayoutSpec {
            symbols_per_s: LAYOUT.symbols_per_s,
            carriers: LAYOUT.carriers,
            frames: LAYOUT.frames,
            request_slots: LAYOUT.request_slots,
            traffic_slots: LAYOUT.traffic_slots,
            request_symbols: LAYOUT.request_symbols,
            burst_symbols: LAYOUT.burst_symbols,
            guard_symbols: LAYOUT.guard_symbols,
            idle_symbols: LAYOUT.idle_symbols,
        },
        burst: BurstSpec::Waveform { id: 14 },
        encapsulation: Rcs2EncapsulationSpec::Rle {
            protocol_bytes: 1,
            label_bytes: 0,
            protection: ProtectionSpec::Sequence,
        },
        request_delay_ns: Duration::from_millis(260),
        lead_ns: Duration::from_millis(270),
        signalling: SignallingSpec::RequestSlot { period: 1 },
        placement: PlacementSpec::Spread,
        order: VolumeOrderSpec::OldestFirst,
        es_n0: EsN0Spec { up: leg.clone(), down: leg },
        mix: MixSpec {
            cra: SlotRateSpec { slots: u64::from(LAYOUT.columns()), superframes: 1 },
            rbdc: None,
            volume: None,
            free: FreeSpec::None,
        },
        classes: Vec::new(),
        background: Vec::new(),
    }));
    let forward = DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) },
        delay_ns: Duration::from_millis(260),
        jitter: JitterSpec::None,
        queue: QueueSpec::Bytes { limit_bytes: Bytes::new(1_000_000) },
        loss: LossSpec::None,
        schedule: None,
    };
    let return_ = DirectionSpec { capacity, ..forward.clone() };
    let spec = LinkSpec { name: "custom".to_owned(), mtu_bytes: Bytes::new(1500), forward, return_ };
    let mut group = criterion.benchmark_group("saturated return link in a path");
    group.throughput(Throughput::Elements(1));
    group.bench_function("packet", |bencher| {
        let mut path = Path::new(&spec, 1, Time::ZERO);
        for _ in 0..200 {
            assert!(path.enqueue(Time::ZERO, Direction::Return, Borrowed).is_ok());
        }
        bencher.iter(|| {
            let event = loop {
                let next = path.next_event().expect("the path is saturated");
                if let Some(event) = path.poll(next) {
                    break event;
                }
            };
            assert!(path.enqueue(event.at(), Direction::Return, Borrowed).is_ok());
        });
    });
    group.finish();
}

criterion_group!(benches, overloaded_controller, loaded_link, saturated_path);
criterion_main!(benches);
