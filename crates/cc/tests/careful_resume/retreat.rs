//! Sections 3.5 and 3.6: safe retreat, and persistent congestion.

use super::*;

#[test]
fn congestion_leaves_half_of_what_was_validated_as_in_the_example() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Hybla] {
        let sender = retreating(algorithm);
        assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
        // Appendix A.4: "Max(10,PS/2) = Max(10,66/2) = 33 packets".
        assert_eq!(sender.cc.cwnd(), packets(33), "{}", algorithm.name());
        assert_eq!(sender.path.look(sender.now), None, "what was saved is deleted");
    }
}

#[test]
fn a_reduction_in_a_retreat_is_not_spread_over_a_round_trip() {
    // Section 4.5: proportional rate reduction is not appropriate.
    assert_eq!(retreating(Algorithm::Reno).cc.state().recovery_window, RecoveryWindow::Algorithm);
}

#[test]
fn the_window_does_not_grow_in_a_retreat() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Hybla, Algorithm::Bbr] {
        let mut sender = retreating(algorithm);
        let mut window = sender.cc.cwnd();
        sender.cc.on_event(Event::RecoveryEnd { now: sender.now });
        for _ in 0..80 {
            sender.ack(1);
            assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
            assert!(sender.cc.cwnd() <= window, "{}", algorithm.name());
            window = sender.cc.cwnd();
        }
        // Not even when the loss was none.
        sender.cc.on_event(Event::Undo { now: sender.now });
        assert!(sender.cc.cwnd() <= window, "{}", algorithm.name());
    }
}

#[test]
fn more_congestion_in_a_retreat_makes_the_window_no_larger() {
    let mut sender = retreating(Algorithm::Reno);
    sender.lose(CongestionKind::Loss);
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::SafeRetreat, packets(16)));
}

#[test]
fn the_threshold_after_a_retreat_is_beta_of_what_has_arrived() {
    // 29 packets before the jump and 120 of 121 unvalidated ones; RFC 5681: 0.5; Linux's CUBIC: 717/1024.
    for (algorithm, beta) in [(Algorithm::Reno, 0.5), (Algorithm::Cubic, 717.0 / 1024.0)] {
        let mut sender = retreating(algorithm);
        sender.ack(82);
        assert_eq!(sender.cc.phase(), Phase::SafeRetreat);
        sender.ack(1);
        assert_eq!(sender.cc.phase(), Phase::Normal);
        assert_eq!(sender.triggers().last(), Some(&Some(Trigger::ExitRecovery)));
        let ssthresh = sender.ssthresh().unwrap().get() as f64;
        let most = packets(149).get() as f64 * beta;
        assert!(ssthresh <= most && ssthresh > most - 1_500.0, "{}: {ssthresh}", algorithm.name());
        assert_eq!(sender.cc.cwnd(), packets(33));
        // Slow start goes on towards it when the losses are repaired.
        sender.cc.on_event(Event::RecoveryEnd { now: sender.now });
        sender.send(20);
        sender.wait(RTT);
        sender.ack(10);
        assert_eq!(sender.cc.cwnd(), packets(43));
    }
}

// ---- section 3.6: persistent congestion --------------------------------------------------------------------

#[test]
fn persistent_congestion_ends_the_attempt_in_each_phase() {
    for kind in [CongestionKind::Timeout, CongestionKind::Persistent] {
        let unvalidated = Sender::reno(saved(300)).confirm();
        for mut sender in [unvalidated, Sender::jump(saved(300)), retreating(Algorithm::Reno)] {
            sender.lose(kind);
            assert_eq!(sender.cc.phase(), Phase::Normal);
            assert_eq!(sender.triggers().last(), Some(&Some(Trigger::PersistentCongestion)));
            assert_eq!(sender.path.look(sender.now), None);
        }
    }
}

#[test]
fn a_timeout_out_of_a_retreat_leaves_no_larger_threshold() {
    let mut sender = retreating(Algorithm::Reno);
    sender.lose(CongestionKind::Timeout);
    assert_eq!(sender.ssthresh(), Some(packets(33)));
}
