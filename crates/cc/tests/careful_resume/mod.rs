//! Careful Resume (RFC 9959): each MUST, and the examples of appendix A.

mod flows;
mod jump;
mod model;
mod reconnaissance;
mod retreat;

use std::collections::VecDeque;
use std::net::IpAddr;

use bentpipe_cc::careful_resume::{
    CarefulResume, Memory, PathMemory, Phase, Resume, ResumeSpec, Saved, SavedSpec, Trigger,
};
use bentpipe_cc::rate::RateSample;
use bentpipe_cc::slow_start::{Pacing, SlowStartExit};
use bentpipe_cc::usage::WindowUsage;
use bentpipe_cc::{
    AckSample, Algorithm, Config, CongestionControl, CongestionEvent, CongestionKind, Demand, Event,
    RecoveryWindow, SentSample, build, build_resuming,
};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::common::{Flow, Path, at_ms, config, packets};

const RTT: Duration = Duration::from_millis(100);
const LIFETIME: Duration = Duration::from_secs(3_600);
const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

fn saved(window: u64) -> Saved {
    Saved { cwnd: packets(window), rtt: RTT, expires: Time::ZERO + LIFETIME }
}

fn knowing(saved: Saved) -> PathMemory {
    let path = Memory::default().path(SERVER);
    path.save(saved);
    path
}

/// A sender driven by hand: what leaves, and when an acknowledgement of it arrives.
struct Sender {
    cc: CarefulResume,
    path: PathMemory,
    now: Time,
    /// When each packet left, and what was delivered then.
    outstanding: VecDeque<(Time, Bytes)>,
    delivered: Bytes,
    is_cwnd_limited: bool,
}

impl Sender {
    fn with(algorithm: Algorithm, path: PathMemory, max_jump: Option<Bytes>) -> Self {
        Self::of(config(), algorithm, path, max_jump)
    }

    fn of(config: Config, algorithm: Algorithm, path: PathMemory, max_jump: Option<Bytes>) -> Self {
        let resume = Resume { path: path.clone(), max_jump, lifetime: LIFETIME, started: Time::ZERO };
        let cc = CarefulResume::new(build(algorithm, config), &config, resume);
        let (now, outstanding, delivered) = (Time::ZERO, VecDeque::new(), Bytes::ZERO);
        Self { cc, path, now, outstanding, delivered, is_cwnd_limited: true }
    }

    /// One that knows its path, with Reno.
    fn reno(saved: Saved) -> Self {
        Self::with(Algorithm::Reno, knowing(saved), None)
    }

    fn in_flight(&self) -> Bytes {
        packets(self.outstanding.len() as u64)
    }

    fn wait(&mut self, span: Duration) {
        self.now += span;
    }

    fn send(&mut self, count: u64) {
        for _ in 0..count {
            self.cc.on_sent(&SentSample {
                now: self.now,
                bytes: packets(1),
                prior_in_flight: self.in_flight(),
                demand: Demand::Backlogged,
            });
            self.outstanding.push_back((self.now, self.delivered));
        }
    }

    /// Sends `count` packets, a hundredth of a millisecond apart.
    fn send_apart(&mut self, count: u64) {
        for _ in 0..count {
            self.wait(Duration::from_micros(10));
            self.send(1);
        }
    }

    /// As many acknowledgements of the oldest packets, one each.
    fn ack(&mut self, count: u64) {
        for _ in 0..count {
            let sent = self.outstanding.pop_front().expect("a packet is out");
            self.receive(1, sent, Some(RTT));
        }
    }

    fn receive(&mut self, count: u64, newest: (Time, Bytes), rtt: Option<Duration>) {
        let (newest_sent, prior_delivered) = newest;
        self.delivered += packets(count);
        self.cc.on_ack(&AckSample {
            now: self.now,
            acked: packets(count),
            lost: Bytes::ZERO,
            marked: Bytes::ZERO,
            delivered: self.delivered,
            prior_in_flight: self.in_flight() + packets(count),
            in_flight: self.in_flight(),
            rtt,
            is_maybe_delayed: false,
            newest_sent: Some(newest_sent),
            srtt: rtt,
            rate: Some(RateSample {
                delivered: self.delivered - prior_delivered,
                interval: RTT,
                prior_delivered,
                demand: Demand::Backlogged,
            }),
            usage: WindowUsage { is_cwnd_limited: self.is_cwnd_limited, peak_in_flight: self.in_flight() },
            is_disordered: false,
        });
    }

    /// The oldest packet is lost.
    fn lose(&mut self, kind: CongestionKind) {
        self.outstanding.pop_front().expect("a packet is out");
        let event = CongestionEvent { now: self.now, kind, in_flight: self.in_flight() };
        self.cc.on_event(Event::Congestion(event));
    }

    /// Appendix A.1: the window lets no more than 29 packets out when the path is confirmed. Ten were acknowledged.
    fn confirm(mut self) -> Self {
        self.is_cwnd_limited = false;
        self.send(10);
        self.wait(RTT);
        self.ack(10);
        self.send(30);
        self.wait(RTT);
        self.is_cwnd_limited = true;
        self.ack(1);
        self
    }

    /// Appendix A.1: all that the jump lets out has left.
    fn jump(saved: Saved) -> Self {
        Self::reno(saved).confirm().and_jump()
    }

    fn and_jump(mut self) -> Self {
        assert_eq!(self.cc.phase(), Phase::Unvalidated);
        self.send_apart(121);
        assert_eq!(self.cc.phase(), Phase::Validating);
        self
    }

    fn triggers(&self) -> Vec<Option<Trigger>> {
        self.cc.resumption().iter().map(|transition| transition.trigger).collect()
    }

    fn ssthresh(&self) -> Option<Bytes> {
        self.cc.state().ssthresh
    }
}

/// Appendix A.4: the 35th unvalidated packet is lost, which three later acknowledgements tell.
fn retreating(algorithm: Algorithm) -> Sender {
    let mut sender = Sender::with(algorithm, knowing(saved(300)), None).confirm().and_jump();
    sender.wait(RTT);
    sender.ack(29 + 34);
    let lost = sender.outstanding.pop_front().unwrap();
    sender.ack(3);
    sender.outstanding.push_front(lost);
    sender.lose(CongestionKind::Loss);
    sender
}
