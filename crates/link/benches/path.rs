//! Packets per second through a saturated path: one iteration is one packet offered and one event polled.

use bentpipe_link::{CapacitySpec, DirectionSpec, JitterSpec, LinkSpec, LossSpec, QueueSpec};
use bentpipe_link::{Direction, Packet, Path};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

struct Borrowed;

impl Packet for Borrowed {
    fn len_bytes(&self) -> u32 {
        1500
    }
}

/// A GEO direction at 1 Gbit/s, whose propagation alone holds some 21 000 packets.
fn geo(jitter: JitterSpec, loss: LossSpec) -> DirectionSpec {
    DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(1_000_000_000) },
        delay_ns: Duration::from_millis(250),
        jitter,
        queue: QueueSpec::Bytes { limit_bytes: Bytes::new(1_000_000_000) },
        loss,
        schedule: None,
    }
}

/// A path with enough packets inside that its transmitters never pause.
fn saturated(direction: DirectionSpec) -> Path<Borrowed> {
    let spec = LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(1500),
        forward: direction.clone(),
        return_: direction,
    };
    let mut path = Path::new(&spec, 1, Time::ZERO);
    for direction in Direction::BOTH {
        for _ in 0..30_000 {
            offer(&mut path, Time::ZERO, direction);
        }
    }
    path
}

fn offer(path: &mut Path<Borrowed>, now: Time, direction: Direction) {
    assert!(path.enqueue(now, direction, Borrowed).is_ok(), "the queue has room");
}

fn pass_one(path: &mut Path<Borrowed>) {
    loop {
        let next = path.next_event().expect("the path is saturated");
        if let Some(event) = path.poll(next) {
            return offer(path, event.at(), event.direction());
        }
    }
}

fn packets(criterion: &mut Criterion) {
    let clean = geo(JitterSpec::None, LossSpec::None);
    let jitter = JitterSpec::Normal { sd_ns: Duration::from_millis(1) };
    let impaired = geo(jitter, LossSpec::BitError { ber: 1e-6 });
    let mut group = criterion.benchmark_group("saturated path, both directions");
    group.throughput(Throughput::Elements(1));
    for (name, direction) in [("clean", clean), ("bit errors and jitter", impaired)] {
        group.bench_function(name, |bencher| {
            let mut path = saturated(direction.clone());
            bencher.iter(|| pass_one(&mut path));
        });
    }
    group.finish();
}

criterion_group!(benches, packets);
criterion_main!(benches);
