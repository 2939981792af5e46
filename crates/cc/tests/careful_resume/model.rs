//! Appendix B: around BBR, which has a model of the path.

use super::*;

#[test]
fn bbr_sends_at_half_of_what_was_saved_until_that_is_validated() {
    let rate = Rate::of(packets(150), RTT);
    let mut sender = Sender::with(Algorithm::Bbr, knowing(saved(300)), None).confirm();
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::Unvalidated, packets(150)));
    assert_eq!(sender.cc.state().pacing_rate, Some(rate));
    sender.send_apart(121);
    assert_eq!(sender.cc.state().pacing_rate, Some(rate));
    sender.wait(RTT);
    sender.ack(150);
    sender.send(1);
    assert_eq!(sender.cc.phase(), Phase::Normal);
    assert!(sender.cc.state().pacing_rate > Some(rate), "it goes on from what is validated");
}

#[test]
fn congestion_lets_bbr_drain_and_rates_measured_meanwhile_are_discarded() {
    let mut sender = retreating(Algorithm::Bbr);
    assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
    assert!(sender.cc.cwnd() <= packets(33));
    let before = sender.cc.state();
    let sent = sender.outstanding[0];
    // A thousand packets in a round trip, as if others had made room.
    sender.receive(1_000, sent, None);
    assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
    assert_eq!(sender.cc.state().bandwidth, before.bandwidth);
    assert_eq!(sender.cc.state().pacing_rate, before.pacing_rate);
}

#[test]
fn bbr_that_has_left_startup_does_not_jump() {
    let resume = |path: &PathMemory| Resume {
        path: path.clone(),
        max_jump: None,
        lifetime: LIFETIME,
        started: Time::ZERO,
    };
    // A pipe that ten packets fill.
    let path = knowing(saved(300));
    let cc = CarefulResume::new(build(Algorithm::Bbr, config()), &config(), resume(&path));
    let mut flow = Flow::new(cc, Path::new(1, 100, packets(100)));
    flow.supply = packets(9);
    flow.run_until(at_ms(5_000));
    assert_eq!(flow.cc.phase(), Phase::Reconnaissance);
}
