//! PLFRAMEs per second through a saturated transmitter: one iteration is one frame built and reassembled.

use std::hint::black_box;

use bentpipe_link::Packet;
use bentpipe_link::dvbs2::{
    Backlog, Carrier, Encapsulation, Fate, FecFrameSpec, IdleSpec, Label, Modcod, PilotsSpec, PlFrame,
    Reassembly, Source, SymbolRate, Transmitter,
};
use bentpipe_units::{Bytes, Duration, Time};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

struct Borrowed;

impl Packet for Borrowed {
    fn len_bytes(&self) -> u32 {
        1500
    }
}

/// A queue that never empties.
struct Endless;

impl Source for Endless {
    type Packet = Borrowed;

    fn backlog(&self, _: usize) -> Backlog {
        Backlog { packets: 1_000, bytes: Bytes::new(1_500_000), oldest: Some(Time::ZERO) }
    }

    fn pop(&mut self, _: usize, _: Time) -> Option<(Time, Borrowed)> {
        Some((Time::ZERO, Borrowed))
    }
}

fn saturated(modcod: &str, encapsulation: Encapsulation) -> Transmitter<Borrowed> {
    let modcod = Modcod::named(modcod).expect("a MODCOD of the standard");
    let carrier = Carrier {
        symbol_rate: SymbolRate::new(40_000_000).expect("a rate"),
        idle: IdleSpec::DummyFrames,
        encapsulation,
        closing_timeout: Duration::from_millis(1),
        scheduling: None,
        streams: vec![
            PlFrame::new(modcod, FecFrameSpec::Normal, PilotsSpec::Off).expect("there is such a frame"),
        ],
    };
    Transmitter::new(&carrier, Time::ZERO)
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("saturated DVB-S2 at 40 Msymbol/s");
    group.throughput(Throughput::Elements(1));
    let gse = Encapsulation::gse(Label::Six);
    for (name, modcod, encapsulation) in [
        ("QPSK 1/4", "QPSK 1/4", gse),
        ("32APSK 9/10", "32APSK 9/10", gse),
        ("32APSK 9/10, MPE", "32APSK 9/10", Encapsulation::mpe()),
    ] {
        group.bench_function(name, |bencher| {
            let mut transmitter = saturated(modcod, encapsulation);
            let mut reassembly = Reassembly::new(1);
            bencher.iter(|| {
                let frame = transmitter.poll(Time::MAX, &mut Endless, |packet| {
                    black_box(packet);
                });
                reassembly.receive(&frame.expect("the transmitter is saturated"), Fate::Received)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
