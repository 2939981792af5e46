//! The hot path allocates nothing once its queues have their size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bentpipe_link::{
    CapacitySpec, DirectionSpec, JitterSpec, LinkSpec, LossSpec, OutageSpec, QuantileSpec, QueueSpec,
};
use bentpipe_link::{Direction, Event, Packet, Path};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread asks of it.
struct Counting;

// SAFETY: every call is passed on to `System` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's obligations are those of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A packet whose buffer belongs to somebody else.
struct Borrowed;

impl Packet for Borrowed {
    fn len_bytes(&self) -> u32 {
        1250
    }
}

/// A lossy GEO link with jitter and a shallow queue: 1000 packets per second in each direction.
fn spec() -> LinkSpec {
    let direction = DirectionSpec {
        capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(10_000_000) },
        delay_ns: Duration::from_millis(265),
        jitter: JitterSpec::Normal { sd_ns: Duration::from_millis(1) },
        queue: QueueSpec::Packets { limit_packets: 100 },
        loss: LossSpec::GilbertElliott { p: 0.01, r: 0.2, h: 0.0, k: 1.0 },
        schedule: None,
    };
    LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(1500),
        forward: direction.clone(),
        return_: direction,
    }
}

/// As hard to live with, by the clock instead of by the packet.
fn timed_spec() -> LinkSpec {
    let mut spec = spec();
    let quantiles = [(0.0, -1_000_000), (1.0, 5_000_000)].map(|(p, offset_ns)| QuantileSpec { p, offset_ns });
    for direction in [&mut spec.forward, &mut spec.return_] {
        direction.jitter =
            JitterSpec::Empirical { quantiles: quantiles.to_vec(), hold_ns: Duration::from_millis(10) };
        direction.queue = QueueSpec::Codel {
            limit_bytes: Bytes::new(1_000_000),
            target_ns: Duration::from_millis(5),
            interval_ns: Duration::from_millis(100),
            ecn: Switch::Off,
        };
        direction.loss = LossSpec::Outages {
            period_ns: Duration::from_secs(1),
            durations: vec![OutageSpec { weight: 1, duration_ns: Duration::from_millis(50) }],
        };
    }
    spec
}

/// Overloads both directions by a tenth from `from` to `to` and returns how many events came.
fn overload(path: &mut Path<Borrowed>, from: Duration, to: Duration) -> u64 {
    let mut events = 0;
    for ns in (from.as_nanos()..to.as_nanos()).step_by(909_090) {
        let now = Time::from_nanos(ns);
        for direction in Direction::BOTH {
            let _ = path.enqueue(now, direction, Borrowed);
        }
        while let Some(Event::Delivered { .. } | Event::Lost { .. }) = path.poll(now) {
            events += 1;
        }
        assert!(path.next_event().is_some());
    }
    events
}

fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn a_running_link_allocates_nothing_per_packet() {
    for spec in [spec(), timed_spec()] {
        let mut path = Path::new(&spec, 1, Time::ZERO);
        overload(&mut path, Duration::ZERO, Duration::from_secs(10));
        let mut events = 0;
        let allocations = allocations_of(|| {
            path.mark(Time::from_nanos(10_000_000_000));
            events = overload(&mut path, Duration::from_secs(10), Duration::from_secs(400));
        });
        // 390 s at 1000 packets per second in each direction.
        assert!(events >= 779_000, "{events} events");
        assert_eq!(allocations, 0);
    }
}

#[test]
fn a_long_run_allocates_once_per_direction_in_4096_bins() {
    let mut path = Path::new(&spec(), 1, Time::ZERO);
    overload(&mut path, Duration::ZERO, Duration::from_secs(10));
    let allocations = allocations_of(|| {
        overload(&mut path, Duration::from_secs(10), Duration::from_secs(500));
    });
    // 5000 bins: the first 4096 were reserved at the start.
    assert_eq!(allocations, 2);
}
