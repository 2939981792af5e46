//! Reno (RFC 5681, RFC 6582) with the behaviour of Linux (`tcp_cong.c`), or with HyStart++ (RFC 9406) or SEARCH.

use bentpipe_units::Bytes;

use crate::aimd_window::AimdWindow;
use crate::control::EventHandlers;
use crate::phase::Phase;
use crate::slow_start::{HyStartPlusPlus, Search, SlowStartExit, Step, Verdict};
use crate::{AckSample, Config, CongestionControl, Event, Resumable, SentSample, State};

/// Reno's state.
#[derive(Clone, Debug)]
pub struct Reno {
    window: AimdWindow,
    /// Watches the initial slow start; Linux's HyStart is CUBIC's alone.
    detector: Option<HyStartPlusPlus>,
    search: Option<Box<Search>>,
}

impl Reno {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        let detector = match config.slow_start_exit {
            SlowStartExit::HyStartPlusPlus(pacing) => Some(HyStartPlusPlus::new(pacing)),
            SlowStartExit::Loss
            | SlowStartExit::HyStart(_)
            | SlowStartExit::HyStartLinux4_15
            | SlowStartExit::Search => None,
        };
        let search = config.slow_start_exit.search(config.initial_window.max(config.mss));
        Self { window: AimdWindow::new(config.mss, config.initial_window), detector, search }
    }

    fn watch_delay(&mut self, ack: &AckSample) {
        let Some((detector, rtt)) = self.detector.as_mut().zip(ack.rtt) else { return };
        if detector.on_ack(ack, rtt) == Verdict::Exit {
            self.window.leave_slow_start();
            self.detector = None;
        }
    }

    /// Whether SEARCH sets the window of the first slow start for now, in place of its growth.
    fn watch_delivery(&mut self, ack: &AckSample) -> bool {
        let Some(search) = &mut self.search else { return false };
        search.on_delivered(ack.acked);
        if self.window.ssthresh().is_some() {
            return false;
        }
        match search.on_ack(ack, self.window.cwnd(), self.window.mss()) {
            Step::Grow => return false,
            Step::Drain(cwnd) => self.window.set(cwnd.get()),
            Step::Leave(cwnd) => {
                self.window.set(cwnd.get());
                self.window.leave_slow_start();
            }
        }
        true
    }

    /// Bytes by which the window may grow for those acknowledged.
    fn increase(&self, acked: Bytes) -> Bytes {
        match &self.detector {
            Some(detector) => Bytes::new(detector.increase(acked, self.window.mss()) as u64),
            None => acked,
        }
    }
}

impl CongestionControl for Reno {
    fn name(&self) -> &'static str {
        "reno"
    }

    fn on_sent(&mut self, sent: &SentSample) {
        if let Some(search) = &mut self.search {
            search.on_sent(sent.bytes);
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.watch_delay(ack);
        if self.watch_delivery(ack) {
            return;
        }
        let permitted = ack.usage.permits_growth(self.window.cwnd(), self.window.in_slow_start());
        if permitted && self.window.phase() != Phase::Recovery {
            self.window.grow(self.increase(ack.acked));
        }
    }

    fn on_event(&mut self, event: Event) {
        if matches!(event, Event::Congestion(_)) {
            // RFC 9406 section 4.3: for the initial slow start.
            self.detector = None;
        }
        self.window.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        self.window.cwnd()
    }

    fn state(&self) -> State {
        self.window.state()
    }

    fn resumable(&mut self) -> Option<Resumable<'_>> {
        Some(Resumable::Window(&mut self.window))
    }
}
