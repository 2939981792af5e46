//! Superframes per second of the return link: one iteration is one superframe.

use bentpipe_link::Packet;
use bentpipe_link::dama::{
    AccountConfig, BackgroundConfig, ClassConfig, Controller, Mix, Placement, RateCapacity, Request,
    ReturnConfig, ReturnLink, Signalling, SlotRate, Supply, Timing, VolumeCapacity, VolumeKind, VolumeOrder,
};
use bentpipe_link::rcs2::{Encapsulation, Layout, Protection, ProtocolField, Waveform};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const TERMINALS: u32 = 20;

/// Two frames of ten request slots and 104 bursts of 1616 symbols.
const LAYOUT: Layout = Layout {
    symbol_rate: 2_000_000,
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
        volume: Some(VolumeCapacity { kind: VolumeKind::Added, max_slots: LAYOUT.columns() }),
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
            Controller::new(supply, VolumeOrder::OldestFirst, &accounts).expect("rates that fit");
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
    let class = ClassConfig { mix: mix(), limit: Bytes::new(100_000) };
    let neighbour = BackgroundConfig { class, load: Rate::from_bps(60_000), packet: Bytes::new(700) };
    let config = ReturnConfig {
        layout: LAYOUT,
        burst_payload: Waveform::by_id(14).expect("a waveform").payload(),
        encapsulation: Encapsulation {
            protocol: ProtocolField::Compressed,
            label_bytes: 0,
            protection: Protection::Sequence,
        },
        timing: Timing { request_delay: Duration::from_millis(260), lead: Duration::from_millis(270) },
        signalling: Signalling::RequestSlot { period: 1 },
        placement: Placement::Spread,
        order: VolumeOrder::OldestFirst,
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

criterion_group!(benches, overloaded_controller, loaded_link);
criterion_main!(benches);
