//! Sections 3.1 and 3.2: what is observed and saved, and whether the path is that of what is known.

use super::*;

#[test]
fn of_a_remote_endpoint_one_set_of_parameters_is_retained_at_most() {
    let memory = Memory::default();
    memory.path(SERVER).save(saved(100));
    memory.path(OTHER).save(saved(200));
    memory.path(SERVER).save(saved(300));
    assert_eq!(memory.path(SERVER).take(Time::ZERO), Some(saved(300)));
    assert_eq!(memory.path(SERVER).take(Time::ZERO), None);
    assert_eq!(memory.path(OTHER).look(Time::ZERO), Some(saved(200)));
}

#[test]
fn a_connection_that_fills_its_path_saves_the_bandwidth_delay_product_and_the_smallest_rtt() {
    // 100 Mbit/s in 100 ms: 833 packets of 1500 bytes; the RTT with one packet's transmission, 0.12 ms.
    let path = Memory::default().path(SERVER);
    let resume = Resume { path: path.clone(), max_jump: None, lifetime: LIFETIME, started: Time::ZERO };
    let cc = CarefulResume::new(build(Algorithm::Cubic, config()), &config(), resume);
    let mut flow = Flow::new(cc, Path::new(100, 100, packets(833)));
    flow.run_until(at_ms(10_000));
    let observed = path.look(at_ms(10_000)).expect("a set of parameters");
    let share = observed.cwnd.get() as f64 / packets(833).get() as f64;
    assert!((0.97..1.03).contains(&share), "{share}");
    assert_eq!(observed.rtt, Duration::from_micros(100_120));
    let left = observed.expires.since(at_ms(10_000));
    assert!(left <= LIFETIME && left > LIFETIME - Duration::from_secs(1), "{left:?}");
}

#[test]
fn what_a_scenario_says_was_saved_is_told_once_and_has_its_age() {
    let saved = SavedSpec { cwnd_bytes: packets(300), rtt_ns: RTT, age_ns: LIFETIME / 4 };
    let spec = ResumeSpec { max_jump_bytes: None, lifetime_ns: LIFETIME, saved: Some(saved) };
    let memory = Memory::default();
    let found = spec.path_of(&memory, SERVER).take(Time::ZERO).expect("what was saved");
    assert_eq!((found.cwnd, found.rtt), (packets(300), RTT));
    assert_eq!(found.expires, Time::ZERO + LIFETIME * 3 / 4);
    assert_eq!(spec.path_of(&memory, SERVER).look(Time::ZERO), None, "it was taken");
    assert!(spec.path_of(&memory, OTHER).look(Time::ZERO).is_some());
    let stale = SavedSpec { age_ns: LIFETIME, ..saved };
    let path = ResumeSpec { saved: Some(stale), ..spec }.path_of(&Memory::default(), SERVER);
    assert_eq!(path.look(Time::ZERO), None);
}

// ---- section 3.2: reconnaissance ---------------------------------------------------------------------------

#[test]
fn without_saved_parameters_an_algorithm_is_as_if_alone() {
    let path = Memory::default().path(SERVER);
    let resume = Resume { path, max_jump: None, lifetime: LIFETIME, started: Time::ZERO };
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Hybla, Algorithm::Bbr] {
        let run = |resume| {
            let cc = build_resuming(algorithm, config(), resume);
            let mut flow = Flow::new(Boxed(cc), Path::new(10, 100, packets(50)));
            flow.run_until(at_ms(20_000));
            (flow.delivered, flow.lost, flow.cc.cwnd())
        };
        assert_eq!(run(Some(resume.clone())), run(None), "{}", algorithm.name());
        resume.path.delete();
    }
}

/// A congestion control behind a pointer, as one.
#[derive(Clone, Debug)]
struct Boxed(Box<dyn CongestionControl>);

impl CongestionControl for Boxed {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn on_sent(&mut self, sent: &SentSample) {
        self.0.on_sent(sent);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.0.on_ack(ack);
    }

    fn on_event(&mut self, event: Event) {
        self.0.on_event(event);
    }

    fn cwnd(&self) -> Bytes {
        self.0.cwnd()
    }

    fn state(&self) -> bentpipe_cc::State {
        self.0.state()
    }
}

#[test]
fn the_window_is_the_initial_one_until_the_initial_data_are_acknowledged() {
    let mut sender = Sender::reno(saved(300));
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::Reconnaissance, packets(10)));
    sender.send(10);
    sender.wait(RTT);
    sender.ack(9);
    assert_eq!((sender.cc.phase(), sender.cc.cwnd()), (Phase::Reconnaissance, packets(19)));
    sender.ack(1);
    assert_eq!(sender.cc.phase(), Phase::Unvalidated);
}

#[test]
fn initial_data_that_leave_room_for_less_than_a_packet_are_all_there_is() {
    // A window of ten and a half packets lets ten out.
    let initial_window = Bytes::new(packets(10).get() + packets(1).get() / 2);
    let config = Config { initial_window, ..config() };
    let mut sender = Sender::of(config, Algorithm::Reno, knowing(saved(300)), None);
    sender.send(10);
    sender.wait(RTT);
    sender.ack(9);
    assert_eq!(sender.cc.phase(), Phase::Reconnaissance);
    sender.ack(1);
    assert_eq!(sender.cc.phase(), Phase::Unvalidated);
}

#[test]
fn a_sender_with_nothing_to_send_beyond_its_window_waits_before_it_jumps() {
    let mut sender = Sender::reno(saved(300));
    sender.is_cwnd_limited = false;
    sender.send(10);
    sender.wait(RTT);
    sender.ack(10);
    assert_eq!(sender.cc.phase(), Phase::Reconnaissance);
}

#[test]
fn congestion_before_the_path_is_confirmed_is_for_normal_congestion_control() {
    for (kind, trigger) in
        [(CongestionKind::Loss, Trigger::PacketLoss), (CongestionKind::Ecn, Trigger::EcnCe)]
    {
        let mut sender = Sender::reno(saved(300));
        sender.send(10);
        sender.wait(RTT);
        sender.ack(4);
        sender.lose(kind);
        // RFC 5681 equation 4: half of the 14 packets that the window had grown to.
        assert_eq!((sender.cc.cwnd(), sender.ssthresh()), (packets(7), Some(packets(7))));
        sender.ack(5);
        assert_eq!((sender.cc.phase(), sender.triggers().last()), (Phase::Normal, Some(&Some(trigger))));
    }
}

#[test]
fn only_one_connection_uses_what_is_saved() {
    let path = knowing(saved(300));
    let first = Sender::with(Algorithm::Reno, path.clone(), None);
    let second = Sender::with(Algorithm::Reno, path, None);
    assert_eq!(second.cc.phase(), Phase::Reconnaissance);
    assert_eq!(first.confirm().cc.phase(), Phase::Unvalidated);
    let second = second.confirm();
    assert_eq!(second.cc.phase(), Phase::Normal);
    assert!(second.cc.cwnd() < packets(30), "{:?}", second.cc.cwnd());
}

#[test]
fn what_was_saved_of_another_remote_endpoint_is_not_used() {
    let memory = Memory::default();
    memory.path(OTHER).save(saved(300));
    let sender = Sender::with(Algorithm::Reno, memory.path(SERVER), None);
    assert_eq!((sender.cc.phase(), sender.triggers().len()), (Phase::Normal, 0));
    assert_eq!(sender.confirm().cc.phase(), Phase::Normal);
}

#[test]
fn parameters_whose_lifetime_is_over_are_deleted_and_not_used() {
    let path = knowing(Saved { expires: Time::ZERO, ..saved(300) });
    let sender = Sender::with(Algorithm::Reno, path.clone(), None).confirm();
    assert_eq!((sender.cc.phase(), path.look(Time::ZERO)), (Phase::Normal, None));
    // Or it ends between the start and the end of reconnaissance.
    let sender = Sender::reno(Saved { expires: at_ms(150), ..saved(300) });
    assert_eq!(sender.cc.phase(), Phase::Reconnaissance);
    let sender = sender.confirm();
    assert_eq!(sender.cc.phase(), Phase::Normal);
    assert_eq!(sender.triggers().last(), Some(&Some(Trigger::NothingSaved)));
}

#[test]
fn an_rtt_of_half_the_saved_one_or_of_more_than_ten_is_another_paths() {
    let phase = |saved_rtt_us| {
        let rtt = Duration::from_micros(saved_rtt_us);
        Sender::reno(Saved { rtt, ..saved(300) }).confirm().cc.phase()
    };
    // "less than or equal to (saved_rtt / 2)".
    assert_eq!((phase(199_999), phase(200_000)), (Phase::Unvalidated, Phase::Normal));
    // "more than ten times the saved_rtt".
    assert_eq!((phase(10_000), phase(9_999)), (Phase::Unvalidated, Phase::Normal));
}

#[test]
fn a_path_that_is_not_confirmed_leaves_the_window_alone() {
    let alone = Sender::with(Algorithm::Reno, Memory::default().path(SERVER), None).confirm();
    let refused = Sender::reno(Saved { rtt: RTT * 2, ..saved(300) }).confirm();
    assert_eq!(refused.cc.cwnd(), alone.cc.cwnd());
    assert_eq!(refused.triggers().last(), Some(&Some(Trigger::RttNotValidated)));
}
