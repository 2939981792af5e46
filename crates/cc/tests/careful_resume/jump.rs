//! Sections 3.3 and 3.4: the jump, and its validation.

use super::*;

#[test]
fn the_jump_is_to_half_of_what_is_saved_and_no_further_than_max_jump() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Hybla] {
        let window = |max_jump| Sender::with(algorithm, knowing(saved(300)), max_jump).confirm().cc.cwnd();
        assert_eq!(window(None), packets(150));
        assert_eq!(window(Some(packets(200))), packets(150));
        assert_eq!(window(Some(packets(100))), packets(100));
    }
}

#[test]
fn unvalidated_packets_are_paced_over_the_current_round_trip() {
    // Section 4.3.2: ITT = (current RTT x MPS) / jump_cwnd, whatever the saved RTT.
    let sender = Sender::reno(Saved { rtt: RTT / 2, ..saved(300) }).confirm();
    assert_eq!(sender.cc.state().pacing_rate, Some(Rate::of(packets(150), RTT)));
    // And not before or after.
    assert_eq!(Sender::reno(saved(300)).cc.state().pacing_rate, None);
    assert_eq!(Sender::jump(saved(300)).cc.state().pacing_rate, None);
}

#[test]
fn the_window_does_not_grow_while_unvalidated_packets_leave() {
    let mut sender = Sender::reno(saved(300)).confirm();
    sender.send_apart(5);
    sender.ack(20);
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::Unvalidated, packets(150)));
}

#[test]
fn an_rtt_that_falls_to_half_the_saved_one_meanwhile_is_a_change_of_path_and_a_retreat() {
    let mut sender = Sender::reno(saved(300)).confirm();
    sender.send_apart(5);
    let sent = sender.outstanding.pop_front().unwrap();
    sender.receive(1, sent, Some(RTT / 2));
    assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::PathChanged)));
}

#[test]
fn congestion_while_unvalidated_packets_leave_is_a_retreat() {
    for (kind, trigger) in
        [(CongestionKind::Loss, Trigger::PacketLoss), (CongestionKind::Ecn, Trigger::EcnCe)]
    {
        let mut sender = Sender::reno(saved(300)).confirm();
        sender.send_apart(5);
        sender.lose(kind);
        assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
        assert_eq!(sender.triggers().last(), Some(&Some(trigger)));
        // PipeSize is the flight before the jump, 29 packets.
        assert_eq!(sender.cc.cwnd(), Bytes::new(packets(29).get() / 2));
    }
}

#[test]
fn a_full_window_ends_the_phase() {
    let sender = Sender::jump(saved(300));
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::LastUnvalidatedPacketSent)));
    assert_eq!(sender.cc.cwnd(), packets(150));
}

#[test]
fn the_first_unvalidated_packet_acknowledged_ends_the_phase_with_the_flight_for_a_window() {
    let mut sender = Sender::reno(saved(300)).confirm();
    sender.send_apart(100);
    sender.wait(RTT - Duration::from_millis(1));
    sender.ack(29);
    assert_eq!(sender.cc.phase(), Phase::Unvalidated);
    sender.ack(1);
    assert_eq!(sender.cc.phase(), Phase::Validating);
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::FirstUnvalidatedPacketAcknowledged)));
    assert_eq!(sender.cc.cwnd(), packets(99));
}

#[test]
fn a_round_trip_ends_the_phase_with_the_flight_for_a_window() {
    let mut sender = Sender::reno(saved(300)).confirm();
    sender.send_apart(50);
    sender.wait(RTT);
    sender.send(1);
    assert_eq!(sender.cc.phase(), Phase::Validating);
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::RttExceeded)));
    assert_eq!(sender.cc.cwnd(), packets(80));
}

#[test]
fn a_jump_that_is_not_used_is_taken_back_to_what_was_validated() {
    let mut sender = Sender::reno(saved(300)).confirm();
    sender.send_apart(20);
    sender.wait(RTT - Duration::from_millis(1));
    sender.ack(29);
    sender.wait(Duration::from_millis(1));
    sender.ack(1);
    // 19 packets in flight are no more than the 29 and the one that have arrived.
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::Normal, packets(30)));
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::RateLimited)));
    // Nothing speaks against what is saved.
    assert_eq!(sender.path.look(sender.now), Some(saved(300)));
}

// ---- section 3.4: validating -------------------------------------------------------------------------------

#[test]
fn the_window_grows_as_usual_while_it_is_validated() {
    let mut sender = Sender::jump(saved(300));
    sender.wait(RTT);
    sender.ack(29 + 40);
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::Validating, packets(150 + 69)));
}

#[test]
fn the_last_unvalidated_packet_acknowledged_ends_the_attempt() {
    let mut sender = Sender::jump(saved(300));
    sender.wait(RTT);
    sender.ack(29 + 120);
    assert_eq!(sender.cc.phase(), Phase::Validating);
    sender.ack(1);
    // Whether the last acknowledgement brings a loss to light is known by the next packet.
    sender.send(1);
    assert_eq!(sender.cc.phase(), Phase::Normal);
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::LastUnvalidatedPacketAcknowledged)));
    assert_eq!((sender.cc.cwnd(), sender.ssthresh()), (packets(300), None));
    assert!(sender.path.look(sender.now).is_some());
}

#[test]
fn a_loss_that_the_last_acknowledgement_brings_to_light_is_a_retreat() {
    let mut sender = Sender::jump(saved(300));
    sender.wait(RTT);
    sender.ack(29 + 119);
    let lost = sender.outstanding.pop_front().unwrap();
    sender.ack(1);
    sender.outstanding.push_front(lost);
    sender.lose(CongestionKind::Loss);
    assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
}
