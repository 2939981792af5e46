//! Hybla as an eBPF program and as the crate has it, step by step over the same acknowledgements.

use bentpipe_cc::bbr::BbrSpec;
use bentpipe_cc::hybla::Hybla;
use bentpipe_cc::slow_start::SlowStartExit;
use bentpipe_cc::usage::WindowUsage;
use bentpipe_cc::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Event, RecoverySpan,
};
use bentpipe_units::{Bytes, Duration, Time};

use crate::SEQUENCES;
use crate::dice::Dice;
use crate::twin::Script;

const MSS: u64 = 1448;
const EVENTS: u64 = 100;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Recovery,
    Timeout,
}

#[test]
fn hybla_in_c_does_as_in_rust_over_random_acknowledgements() {
    let mut script = Script::default();
    // RTT0 25 ms, exponent at most 16, window at most 65535 segments.
    script.parameters("P 25000 16 65535");
    for sequence in 0..SEQUENCES {
        run(sequence, &mut script);
    }
    script.check("hybla");
}

fn run(sequence: u64, script: &mut Script) {
    let mut dice = Dice::new(sequence);
    // In eighths of a microsecond, as the kernel keeps it.
    let mut srtt = dice.magnitude(8, 16_000_000);
    let initial = dice.between(1, 60);
    let mut hybla = Hybla::new(Config {
        now: Time::ZERO,
        mss: Bytes::new(MSS),
        initial_window: Bytes::new(initial * MSS),
        handshake_rtt: Some(span(srtt)),
        seed: 0,
        slow_start_exit: SlowStartExit::Loss,
        bbr: BbrSpec::LINUX,
        cwnd_unit: CwndUnit::Segments,
        recovery_span: RecoverySpan::UntilRepaired,
    });
    script.event(sequence, &format!("S {srtt} {initial}"), state(&hybla));
    let mut phase = Phase::Open;
    for _ in 0..EVENTS {
        let event = match phase {
            Phase::Open if dice.chance(1, 30) => {
                phase = Phase::Recovery;
                congestion(&mut hybla, CongestionKind::Loss, 0);
                "L".to_owned()
            }
            _ if dice.chance(1, 60) => {
                phase = Phase::Timeout;
                let in_flight = dice.between(0, 20);
                congestion(&mut hybla, CongestionKind::Timeout, in_flight);
                format!("T {in_flight}")
            }
            Phase::Recovery | Phase::Timeout if dice.chance(1, 8) => {
                phase = Phase::Open;
                if dice.chance(1, 3) {
                    hybla.on_event(Event::Undo { now: Time::ZERO });
                    "U".to_owned()
                } else {
                    hybla.on_event(Event::RecoveryEnd { now: Time::ZERO });
                    "E".to_owned()
                }
            }
            _ => {
                // The kernel does not ask during recovery, so no smaller RTT may be missed there.
                if phase != Phase::Recovery {
                    srtt = (srtt * dice.between(900, 1_100) / 1_000).clamp(8, 16_000_000);
                }
                acknowledge(&mut hybla, &mut dice, srtt)
            }
        };
        script.event(sequence, &event, state(&hybla));
    }
}

fn acknowledge(hybla: &mut Hybla, dice: &mut Dice, srtt: u64) -> String {
    let acked = dice.magnitude(1, 64);
    let peak = hybla.cwnd().get() / MSS * dice.between(30, 100) / 100;
    let is_cwnd_limited = dice.chance(7, 10);
    hybla.on_ack(&AckSample {
        now: Time::ZERO,
        acked: Bytes::new(acked * MSS),
        lost: Bytes::ZERO,
        marked: Bytes::ZERO,
        delivered: Bytes::ZERO,
        prior_in_flight: Bytes::ZERO,
        in_flight: Bytes::ZERO,
        rtt: Some(span(srtt)),
        is_maybe_delayed: false,
        newest_sent: None,
        srtt: Some(span(srtt)),
        rate: None,
        usage: WindowUsage { is_cwnd_limited, peak_in_flight: Bytes::new(peak * MSS) },
        is_disordered: false,
    });
    format!("A {acked} {srtt} {} {peak}", u8::from(is_cwnd_limited))
}

fn congestion(hybla: &mut Hybla, kind: CongestionKind, in_flight: u64) {
    hybla.on_event(Event::Congestion(CongestionEvent {
        now: Time::ZERO,
        kind,
        in_flight: Bytes::new(in_flight * MSS),
    }));
}

fn span(eighths_of_a_microsecond: u64) -> Duration {
    Duration::from_nanos(eighths_of_a_microsecond * 125)
}

fn state(hybla: &Hybla) -> String {
    let ssthresh = hybla.state().ssthresh.map_or(0x7fff_ffff, |ssthresh| ssthresh.get() / MSS);
    format!("{} {ssthresh}", hybla.cwnd().get() / MSS)
}
