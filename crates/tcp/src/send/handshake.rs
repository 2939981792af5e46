//! What the handshake says to the sender, and what the sender makes of it.

use bentpipe_units::{Duration, Time};

use crate::options::SackPermitted;
use crate::send::Sender;
use crate::send::congestion::{Congestion, Start};
use crate::send::recovery::View;
use crate::send::rtt::{RoundView, RttReading};

/// How the handshake went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    /// RTT of the SYN or SYN-ACK; `None` when it is ambiguous.
    pub rtt: Option<Duration>,
    /// Segments of the first window.
    pub window: InitialWindow,
    /// Payload of a full segment.
    pub mss: u64,
    /// Whether the peer acknowledges selectively.
    pub sack_permitted: SackPermitted,
}

/// Segments of the first window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialWindow {
    /// As configured.
    Configured,
    /// One, because the SYN or SYN-ACK was lost more than once (RFC 6928 section 2).
    One,
}

impl Sender {
    /// The peer announces a window with the handshake.
    pub fn initialize_window(&mut self, seq: u64, size: u64) {
        self.transmit.window_mut().initialize(seq, size);
    }

    /// The handshake is complete: data may leave.
    pub fn establish(&mut self, now: Time, handshake: Handshake) {
        self.mss = handshake.mss;
        self.recovery.establish(handshake.sack_permitted);
        match handshake.rtt {
            Some(rtt) => self.on_handshake_rtt(now, rtt),
            None => self.rtt.fall_back(),
        }
        let window = match handshake.window {
            InitialWindow::Configured => self.config.initial_window,
            InitialWindow::One => 1,
        };
        let start = Start { now, mss: self.mss, window, rtt: self.rtt.min() };
        self.cc = Some(Congestion::new(&self.config, start));
        self.update_pacing_rate();
        if let Some((_, mut parts)) = self.parts(now) {
            parts.expand_buffer();
        }
    }

    fn on_handshake_rtt(&mut self, now: Time, rtt: Duration) {
        let view = RoundView { una: self.recovery.una(), next: self.transmit.position() };
        let reading = RttReading { sample: Some(rtt), newest: Some(rtt), is_maybe_delayed: false };
        self.rtt.on_ack(now, reading, view);
    }

    /// The SYN-ACK is acknowledged of a connection that was established when the SYN came. `rtt`: its round trip, which counts
    /// where data have not given one (`tcp_rcv_state_process`).
    pub fn on_fast_open_acked(&mut self, now: Time, rtt: Option<Duration>) {
        if let Some(rtt) = rtt.filter(|_| self.rtt.srtt().is_none()) {
            self.on_handshake_rtt(now, rtt);
        }
        self.recovery.on_fast_open_acked(View { now, next: self.transmit.position(), rtt: &self.rtt });
    }

    /// The bytes from [`FIRST`] to `end` travelled with the SYN, and those below `position` were accepted (RFC 7413
    /// section 4.2.1). The others are lost, and leave again at once (`tcp_rcv_fastopen_synack`).
    pub fn on_syn_data_answered(&mut self, now: Time, position: u64, end: u64) {
        self.recovery.start_at(position);
        self.transmit.start_at(end);
        self.buffer.on_gso_sent(end);
        self.buffer.release(position);
        if position == end && self.buffer.sequence_end() <= end {
            self.chrono.rest(now);
        }
        let mss = self.mss;
        let Some((transmit, mut parts)) = self.parts(now) else { return };
        let mut start = position;
        while start < end {
            start = transmit.count_as_sent(&mut parts, start, end.min(start + mss), position..end);
        }
        if position < end {
            self.recovery.on_syn_data_lost(end);
        }
    }
}
