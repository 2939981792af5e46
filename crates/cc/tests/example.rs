//! The worked example of docs/guide/add-a-congestion-control.md against the equations of Kelly 2003.

use self::scalable::Scalable;
use crate::common::{Flow, Path, ack, at_ms, config, event, geo, packets};
use bentpipe_cc::reno::Reno;
use bentpipe_cc::{Config, CongestionControl, CongestionKind, Event};
use bentpipe_units::{Bytes, Duration, Time};

#[path = "../../../docs/examples/scalable.rs"]
mod scalable;

/// In congestion avoidance after a reduction of this window.
fn reduced(segments: u64) -> Scalable {
    let mut cc = Scalable::new(Config { initial_window: packets(segments), ..config() });
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    cc.on_event(Event::RecoveryEnd { now: Time::ZERO });
    cc
}

/// A window of acknowledgements, of a segment each.
fn round(cc: &mut Scalable, segments: u64) {
    (0..segments).for_each(|_| cc.on_ack(&ack(at_ms(1_000), packets(1), Duration::from_millis(500))));
}

#[test]
fn a_loss_takes_an_eighth_of_the_window_and_an_undo_gives_it_back() {
    let mut cc = reduced(800);
    assert_eq!(cc.cwnd(), packets(700));
    cc.on_event(Event::Undo { now: at_ms(1) });
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(800), None));
}

#[test]
fn a_round_trip_adds_a_hundredth_of_a_large_window_and_a_segment_to_a_small_one() {
    let mut large = reduced(800);
    round(&mut large, 700);
    assert_eq!(large.cwnd(), packets(707));
    let mut small = reduced(64);
    round(&mut small, 56);
    // A segment less what the window has grown by meanwhile: 56 / 57.
    assert!(small.cwnd() > packets(57) - Bytes::new(50) && small.cwnd() <= packets(57), "{}", small.cwnd());
}

#[test]
fn the_time_to_recover_does_not_depend_on_the_window() {
    // ln(8/7) / ln(1.01) = 13.4 round trips.
    for segments in [800, 8_000] {
        let mut cc = reduced(segments);
        let mut rounds = 0;
        while cc.cwnd() < packets(segments) {
            let window = cc.cwnd().get() / packets(1).get();
            round(&mut cc, window);
            rounds += 1;
        }
        assert!((13..=15).contains(&rounds), "{segments} segments: {rounds} round trips");
    }
}

#[test]
fn over_geo_with_losses_it_delivers_more_than_twice_as_much_as_reno() {
    // A loss every 2000 packets: Reno's window is about 1.2 * sqrt(2000) = 55, Scalable's where 0.01 * W equals
    // W / 8 * W / 2000, which is at 160.
    fn delivered(cc: impl CongestionControl) -> u64 {
        let mut flow = Flow::new(cc, Path { lose_every: Some(2_000), ..geo() });
        flow.run_until(at_ms(600_000));
        flow.delivered.get()
    }
    let (scalable, reno) = (delivered(Scalable::new(config())), delivered(Reno::new(config())));
    assert!(scalable > 2 * reno, "{scalable} against {reno} bytes");
}
