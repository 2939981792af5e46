//! Classes at the terminal: strict priority, by code point.

use bentpipe_link::{ClassSpec, DemandClassSpec, Dscp, MixSpec, QueueSpec, Rcs2Spec};
use bentpipe_link::{Direction, DropCause, Event, Packet};
use bentpipe_units::{Bytes, Duration, Switch, Time};
use proptest::prelude::*;

use super::specs::*;

/// Expedited forwarding (RFC 3246).
const EF: u8 = 46;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Coloured {
    number: usize,
    len: u32,
    dscp: u8,
}

impl Packet for Coloured {
    fn len_bytes(&self) -> u32 {
        self.len
    }

    fn dscp(&self) -> u8 {
        self.dscp
    }
}

fn voice(mix: MixSpec) -> DemandClassSpec {
    let queue = QueueSpec::Bytes { limit_bytes: Bytes::new(100_000) };
    DemandClassSpec {
        class: ClassSpec { name: "voice".to_owned(), dscp: vec![Dscp::new(EF).unwrap()], queue },
        mix,
    }
}

/// A packet and when it comes.
type Arrival = (Time, Coloured);

/// When each packet is delivered, with its number, of one code point.
fn delivered(spec: &Rcs2Spec, arrivals: &[Arrival], dscp: u8) -> Vec<(usize, Time)> {
    let mut path = path(&geo(spec.clone()), 5);
    let mut instants = Vec::new();
    let mut take = |event: Event<Coloured>| {
        if let Event::Delivered { due, packet, .. } = event
            && packet.dscp == dscp
        {
            instants.push((packet.number, due));
        }
    };
    for (at, packet) in arrivals {
        std::iter::from_fn(|| path.poll(*at)).for_each(&mut take);
        let _ = path.enqueue(*at, Direction::Return, *packet);
    }
    while let Some(next) = path.next_event() {
        std::iter::from_fn(|| path.poll(next)).for_each(&mut take);
    }
    instants
}

/// One every 30 ms, for 20 s.
fn calls() -> Vec<Arrival> {
    (0..660).map(|i| (ms(1_000 + 30 * i as u64), Coloured { number: i, len: 80, dscp: EF })).collect()
}

/// More than the link carries, for as long.
fn bulk() -> Vec<Arrival> {
    (0..2_500).map(|i| (ms(8 * i as u64), Coloured { number: i, len: 1400, dscp: 0 })).collect()
}

#[test]
fn urgent_packets_leave_when_they_would_if_there_were_no_others() {
    let spec = Rcs2Spec { classes: vec![voice(cra(10))], ..alone(cra(20)) };
    let mut all = [calls(), bulk()].concat();
    all.sort_by_key(|(at, _)| *at);
    assert_eq!(delivered(&spec, &all, EF), delivered(&spec, &calls(), EF));
}

#[test]
fn slots_that_urgent_packets_leave_serve_the_others() {
    // All slots are the urgent class's.
    let spec = Rcs2Spec { classes: vec![voice(cra(40))], ..alone(cra(0)) };
    let alike = Rcs2Spec { classes: vec![voice(cra(0))], ..alone(cra(40)) };
    let others = delivered(&spec, &bulk(), 0);
    assert!(!others.is_empty());
    assert_eq!(others, delivered(&alike, &bulk(), 0));
}

#[test]
fn a_class_asks_for_what_its_own_mix_allows() {
    let spec = Rcs2Spec { classes: vec![voice(vbdc(40))], ..alone(cra(5)) };
    let arrivals = [(ms(1_000), Coloured { number: 0, len: 1400, dscp: EF })];
    // 5 slots of 91 bytes in each of 24 superframes carry 1403 bytes before an answer could come.
    let mut path = path(&geo(spec), 5);
    path.enqueue(arrivals[0].0, Direction::Return, arrivals[0].1).unwrap();
    let report = path.report(ms(5_000));
    let asked: f64 = report.probes["dama"].column("requested_volume_slots").iter().sum();
    assert_eq!(asked, 0.0);
    let flood: Vec<_> = (0..20).map(|number| (ms(1_000), Coloured { number, len: 1400, dscp: EF })).collect();
    let mut path = super::specs::path(&geo(Rcs2Spec { classes: vec![voice(vbdc(40))], ..alone(cra(5)) }), 5);
    for (at, packet) in &flood {
        path.enqueue(*at, Direction::Return, *packet).unwrap();
    }
    let report = path.report(ms(5_000));
    let column = |name: &str| -> f64 { report.probes["dama"].column(name).iter().sum() };
    // ceil(20 x 1403 / 91) = 309 slots, less 24 superframes with five of the constant rate, less those that passed
    // before the request, at most five.
    let asked = column("requested_volume_slots");
    assert!((309.0 - 125.0..=309.0 - 120.0).contains(&asked), "{asked}");
    assert_eq!(column("granted_volume_slots"), asked);
}

#[test]
fn what_the_queue_of_a_class_drops_in_a_burst_comes_before_what_that_burst_carried_of_another() {
    let mut spec = geo(Rcs2Spec { classes: vec![voice(cra(1))], es_n0: es_n0(5.0, &[]), ..alone(cra(4)) });
    spec.return_.queue = QueueSpec::Codel {
        limit_bytes: Bytes::new(1_000_000),
        target_ns: Duration::from_millis(5),
        interval_ns: Duration::from_millis(20),
        ecn: Switch::Off,
    };
    let mut path = path(&spec, 1);
    let mut instants = Vec::new();
    let (mut dropped, mut broken) = (0, 0);
    for number in 0..5_000 {
        // One burst has room for one of each.
        let at = ms(2 * number as u64);
        let _ = path.enqueue(at, Direction::Return, Coloured { number, len: 40, dscp: 0 });
        if number % 3 == 0 {
            let _ = path.enqueue(at, Direction::Return, Coloured { number, len: 30, dscp: EF });
        }
        while let Some(event) = path.poll(at) {
            instants.push(event.at());
            if let Event::Lost { cause, .. } = event {
                match cause {
                    DropCause::Queue => dropped += 1,
                    _ => broken += 1,
                }
            }
        }
    }
    assert!(dropped > 100 && broken > 10, "{dropped} {broken}");
    assert!(instants.is_sorted());
}

#[test]
fn the_record_has_the_queue_of_each_class() {
    let spec = Rcs2Spec { classes: vec![voice(cra(0))], ..alone(cra(1)) };
    let mut path = path(&geo(spec), 5);
    for (number, dscp) in [(0, EF), (1, EF), (2, 0)] {
        path.enqueue(ms(50), Direction::Return, Coloured { number, len: 1000, dscp }).unwrap();
    }
    let classes = path.report(ms(30_000)).probes["classes"].clone();
    let column = |name: &str| classes.column(name).to_vec();
    // At 100 ms, after up to three slots, the first urgent packet is under way and no longer waits.
    assert_eq!(
        (column("return_voice_queue_bytes")[0], column("return_other_queue_bytes")[0]),
        (1000.0, 1000.0)
    );
    for name in ["return_voice_queue_bytes", "return_other_queue_bytes"] {
        assert_eq!(column(name).last(), Some(&0.0), "{name}");
    }
    assert!(column("forward_voice_queue_bytes").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn urgent_packets_are_no_slower_for_whatever_else_is_sent(
        gaps in prop::collection::vec((0..40_000_000u64, 20..1500u32, any::<bool>()), 1..80),
        voice_slots in 0..20u64, other_slots in 1..20u64,
    ) {
        let spec = Rcs2Spec { classes: vec![voice(cra(voice_slots))], ..alone(cra(other_slots)) };
        let mut at = Time::ZERO;
        let mut arrival = |(number, (gap, len, urgent)): (usize, &(u64, u32, bool))| {
            at += Duration::from_nanos(*gap);
            (at, Coloured { number, len: *len, dscp: if *urgent { EF } else { 0 } })
        };
        let all: Vec<_> = gaps.iter().enumerate().map(&mut arrival).collect();
        let urgent: Vec<_> = all.iter().copied().filter(|(_, packet)| packet.dscp == EF).collect();
        prop_assert_eq!(delivered(&spec, &all, EF), delivered(&spec, &urgent, EF));
    }
}
