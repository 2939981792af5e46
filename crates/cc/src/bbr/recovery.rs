//! The window around loss episodes.

use bentpipe_units::Bytes;

use crate::AckSample;
use crate::bbr_common::CongestionWindow;
use crate::round::{Boundary, Rounds};

/// Where the connection is in an episode. The algorithm acts when the next acknowledgement comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Episode {
    None,
    /// A loss was found.
    Started,
    /// The first round: send no more than is delivered.
    Conserving,
    /// Later rounds: the window grows to its target.
    Recovering,
    /// After a timeout: the window grows from one packet.
    Restarting,
    /// Recovered, or never necessary: the window is restored.
    Ended,
}

impl Episode {
    /// Whether a window from before the episode waits to be restored.
    pub const fn holds_a_window(self) -> bool {
        !matches!(self, Self::None | Self::Started)
    }

    /// Under steady loss one episode follows the other, and conserving packets anew each time would starve the flow.
    ///
    /// TCP sees that for itself: its episode ends when the retransmissions are acknowledged, and by then the next
    /// losses are known. QUIC's ends a round trip earlier (RFC 9002 section 7.3.2), so a loss in the round after
    /// the end (`recovered_in`) continues the episode.
    pub fn on_loss(&mut self, round: u64, recovered_in: Option<u64>) {
        *self = match self {
            Self::None if recovered_in.is_some_and(|end| round <= end + 1) => Self::Recovering,
            Self::None | Self::Started | Self::Restarting => Self::Started,
            Self::Conserving => Self::Conserving,
            Self::Recovering | Self::Ended => Self::Recovering,
        };
    }

    pub fn on_boundary(&mut self, boundary: Boundary) {
        if *self == Self::Conserving && boundary == Boundary::Start {
            *self = Self::Recovering;
        }
    }

    /// The window that the episode asks for.
    pub fn window(&mut self, ack: &AckSample, before: CongestionWindow, rounds: &mut Rounds) -> Window {
        let mut cwnd = before.cwnd;
        if ack.lost > Bytes::ZERO {
            cwnd = Bytes::new(cwnd.get().saturating_sub(ack.lost.get())).max(before.mss);
        }
        let arrived = ack.in_flight + ack.acked;
        match self {
            Self::Started => {
                *self = Self::Conserving;
                rounds.restart(ack.delivered);
                Window::Binding(arrived)
            }
            Self::Conserving => Window::Binding(cwnd.max(arrived)),
            Self::Ended => {
                *self = Self::None;
                Window::Base(cwnd.max(before.prior))
            }
            _ => Window::Base(cwnd),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// This and nothing else.
    Binding(Bytes),
    /// From here towards the model's target.
    Base(Bytes),
}
