//! What the tests share: specs, packets with a class, and two ways of driving a path.

use bentpipe_link::{
    AcmSpec, AttenuationPoint, AttenuationSpec, CapacitySpec, ClassSpec, DirectionSpec, Dscp,
    Dvbs2EncapsulationSpec, Dvbs2Spec, EsN0Spec, FecFrameSpec, IdleSpec, JitterSpec, LegSpec, LinkReport,
    LinkSpec, LossSpec, ModulationSpec, PilotsSpec, QueueSpec,
};
use bentpipe_link::{Direction, Event, Packet, Path};
use bentpipe_units::{Bytes, Duration, Rate, Time};

pub const MTU: u32 = 1_500;
pub const DELAY: Duration = Duration::from_millis(250);
/// Expedited forwarding (RFC 3246).
pub const EF: u8 = 46;

/// A packet that can be told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    pub number: usize,
    pub len: u32,
    pub dscp: u8,
}

impl Packet for Marked {
    fn len_bytes(&self) -> u32 {
        self.len
    }

    fn dscp(&self) -> u8 {
        self.dscp
    }
}

/// A packet offered to the forward direction.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub at: Time,
    pub len: u32,
    pub dscp: u8,
}

/// What became of a list of offers.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub refused: Vec<usize>,
    pub events: Vec<Event<Marked>>,
}

pub const fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// CCM at a megasymbol per second on normal frames without pilots, silent when idle, in a clear sky.
pub fn ccm(modcod: &str) -> Dvbs2Spec {
    Dvbs2Spec {
        nominal_bps: Rate::ZERO,
        symbols_per_s: 1_000_000,
        fecframe: FecFrameSpec::Normal,
        pilots: PilotsSpec::Off,
        idle: IdleSpec::Silence,
        closing_timeout_ns: Duration::ZERO,
        scheduling_period_ns: None,
        encapsulation: Dvbs2EncapsulationSpec::Gse { label_bytes: 0 },
        modulation: ModulationSpec::Constant { modcod: modcod.to_owned() },
        es_n0: faded(&[]),
        classes: Vec::new(),
        background: None,
    }
}

/// Ten megasymbols per second; a report every 100 ms that takes 250 ms.
pub fn acm(points: &[(u64, f64)]) -> Dvbs2Spec {
    Dvbs2Spec {
        symbols_per_s: 10_000_000,
        modulation: ModulationSpec::Adaptive(AcmSpec {
            margin_db: 0.5,
            hysteresis_db: 0.3,
            report_period_ns: Duration::from_millis(100),
            report_delay_ns: Duration::from_millis(250),
        }),
        es_n0: faded(points),
        ..ccm("QPSK 1/4")
    }
}

/// 20 dB less an attenuation in (ms, dB); the other leg adds no noise.
pub fn faded(points: &[(u64, f64)]) -> EsN0Spec {
    let leg = |clear_sky_db, points: &[(u64, f64)]| {
        let point = |&(at_ms, db)| AttenuationPoint { at_ns: Duration::from_millis(at_ms), db };
        let points = points.iter().map(point).collect();
        LegSpec { clear_sky_db, attenuation: AttenuationSpec { points, period_ns: None } }
    };
    EsN0Spec { up: leg(1_000.0, &[]), down: leg(20.0, points) }
}

pub fn class(name: &str, dscp: u8) -> ClassSpec {
    ClassSpec { name: name.to_owned(), dscp: vec![Dscp::new(dscp).unwrap()], queue: endless() }
}

pub const fn endless() -> QueueSpec {
    QueueSpec::Bytes { limit_bytes: Bytes::new(1 << 40) }
}

pub fn link(carrier: Dvbs2Spec, queue: QueueSpec) -> LinkSpec {
    let direction = |capacity, queue| DirectionSpec {
        capacity,
        delay_ns: DELAY,
        jitter: JitterSpec::None,
        queue,
        loss: LossSpec::None,
        schedule: None,
    };
    LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(u64::from(MTU)),
        forward: direction(CapacitySpec::Dvbs2(Box::new(carrier)), queue),
        return_: direction(CapacitySpec::Constant { rate_bps: Rate::from_bps(1_000_000) }, endless()),
    }
}

/// A path that starts, and whose workload starts, at time zero.
pub fn path(spec: &LinkSpec, seed: u64) -> Path<Marked> {
    let mut path = Path::new(spec, seed, Time::ZERO);
    path.mark(Time::ZERO);
    path
}

/// Full packets of no class, all at one instant.
pub fn burst(at: Time, count: usize) -> Vec<Offer> {
    vec![Offer { at, len: MTU, dscp: 0 }; count]
}

/// Drives a path as an event queue does: it comes back when it was told to.
pub fn punctually(path: &mut Path<Marked>, offers: &[Offer]) -> Outcome {
    drive(path, offers, |path, until, outcome| {
        while let Some(next) = path.next_event().filter(|next| until.is_none_or(|until| *next < until)) {
            drain(path, next, outcome);
        }
    })
}

/// Drives a path as a machine under load does: nothing is polled before the last offer.
pub fn belatedly(path: &mut Path<Marked>, offers: &[Offer]) -> Outcome {
    drive(path, offers, |path, until, outcome| {
        if until.is_none() {
            while let Some(next) = path.next_event() {
                drain(path, next.saturating_add(Duration::from_secs(1)), outcome);
            }
        }
    })
}

fn drive(
    path: &mut Path<Marked>,
    offers: &[Offer],
    go_on: impl Fn(&mut Path<Marked>, Option<Time>, &mut Outcome),
) -> Outcome {
    let mut outcome = Outcome { refused: Vec::new(), events: Vec::new() };
    for (number, offer) in offers.iter().enumerate() {
        go_on(path, Some(offer.at), &mut outcome);
        let packet = Marked { number, len: offer.len, dscp: offer.dscp };
        if let Err((_, packet)) = path.enqueue(offer.at, Direction::Forward, packet) {
            outcome.refused.push(packet.number);
        }
    }
    go_on(path, None, &mut outcome);
    outcome
}

fn drain(path: &mut Path<Marked>, now: Time, outcome: &mut Outcome) {
    outcome.events.extend(std::iter::from_fn(|| path.poll(now)));
}

impl Outcome {
    /// Numbers of the packets that arrived, in the order in which they did, and when.
    pub fn delivered(&self) -> Vec<(usize, Time)> {
        let delivered = |event: &Event<Marked>| match event {
            Event::Delivered { due, packet, .. } => Some((packet.number, *due)),
            Event::Lost { .. } => None,
        };
        self.events.iter().filter_map(delivered).collect()
    }

    /// Numbers of the packets that were admitted and did not arrive, and when they were lost.
    pub fn lost(&self) -> Vec<(usize, Time)> {
        let lost = |event: &Event<Marked>| match event {
            Event::Lost { at, packet, .. } => Some((packet.number, *at)),
            Event::Delivered { .. } => None,
        };
        self.events.iter().filter_map(lost).collect()
    }
}

/// A carrier that always has 64 packets to send, until `end`.
pub fn saturated(carrier: Dvbs2Spec, end: Time) -> (Outcome, LinkReport) {
    let mut path = path(&link(carrier, QueueSpec::Packets { limit_packets: 64 }), 1);
    let mut outcome = Outcome { refused: Vec::new(), events: Vec::new() };
    let mut now = Time::ZERO;
    for number in 0.. {
        while path.enqueue(now, Direction::Forward, Marked { number, len: MTU, dscp: 0 }).is_err() {
            drain(&mut path, now, &mut outcome);
            now = path.next_event().expect("packets wait");
            if now > end {
                return (outcome, path.report(end));
            }
        }
    }
    unreachable!("the queue fills up")
}
