//! Virtual time through a saturated DVB-S2 carrier: one iteration is 100 ms of it.

use std::hint::black_box;

use bentpipe_link::{
    AcmSpec, AttenuationSpec, CapacitySpec, DirectionSpec, Dvbs2EncapsulationSpec, Dvbs2Spec, EsN0Spec,
    FecFrameSpec, IdleSpec, JitterSpec, LegSpec, LinkSpec, LossSpec, ModulationSpec, PilotsSpec, QueueSpec,
};
use bentpipe_link::{Direction, Packet, Path};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

struct Borrowed;

impl Packet for Borrowed {
    fn len_bytes(&self) -> u32 {
        1500
    }
}

/// 40 Msymbol/s, 178 Mbit/s with 32APSK 9/10.
fn carrier(modulation: ModulationSpec) -> CapacitySpec {
    let leg = || LegSpec {
        clear_sky_db: 30.0,
        attenuation: AttenuationSpec { points: Vec::new(), period_ns: None },
    };
    CapacitySpec::Dvbs2(Box::new(Dvbs2Spec {
        nominal_bps: Rate::ZERO,
        symbols_per_s: 40_000_000,
        fecframe: FecFrameSpec::Normal,
        pilots: PilotsSpec::Off,
        idle: IdleSpec::DummyFrames,
        closing_timeout_ns: Duration::from_millis(1),
        scheduling_period_ns: None,
        encapsulation: Dvbs2EncapsulationSpec::Gse { label_bytes: 6 },
        modulation,
        es_n0: EsN0Spec { up: leg(), down: leg() },
        classes: Vec::new(),
        background: None,
    }))
}

fn path(forward: CapacitySpec) -> Path<Borrowed> {
    let direction = |capacity| DirectionSpec {
        capacity,
        delay_ns: Duration::from_millis(250),
        jitter: JitterSpec::None,
        queue: QueueSpec::Packets { limit_packets: 10_000 },
        loss: LossSpec::None,
        schedule: None,
    };
    let spec = LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(1500),
        forward: direction(forward),
        return_: direction(CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) }),
    };
    Path::new(&spec, 1, Time::ZERO)
}

/// Keeps some 20 packets waiting until `end`.
fn run(path: &mut Path<Borrowed>, now: &mut Time, end: Time) {
    while *now < end {
        while path.poll(*now).is_some() {
            assert!(path.enqueue(*now, Direction::Forward, Borrowed).is_ok(), "the queue has room");
        }
        *now = path.next_event().expect("packets are under way");
    }
}

fn saturated(criterion: &mut Criterion) {
    let constant = ModulationSpec::Constant { modcod: "32APSK 9/10".to_owned() };
    let adaptive = ModulationSpec::Adaptive(AcmSpec {
        margin_db: 0.5,
        hysteresis_db: 0.3,
        report_period_ns: Duration::from_millis(100),
        report_delay_ns: Duration::from_millis(250),
    });
    let mut group = criterion.benchmark_group("100 ms of saturated DVB-S2 at 40 Msymbol/s, 32APSK 9/10");
    group.throughput(Throughput::Elements(1));
    for (name, modulation) in [("CCM", constant), ("ACM", adaptive)] {
        group.bench_function(name, |bencher| {
            let mut path = path(carrier(modulation.clone()));
            let mut now = Time::ZERO;
            // 250 ms of propagation at 178 Mbit/s hold 3 700 packets; until the first report, ACM sends far less.
            for burst in 0..5 {
                now = Time::ZERO + Duration::from_millis(100) * burst;
                while path.poll(now).is_some() {}
                for _ in 0..900 {
                    assert!(path.enqueue(now, Direction::Forward, Borrowed).is_ok(), "the queue has room");
                }
            }
            bencher.iter(|| {
                let end = now + Duration::from_millis(100);
                run(black_box(&mut path), &mut now, end);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, saturated);
criterion_main!(benches);
