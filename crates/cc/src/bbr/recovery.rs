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

    /// A loss follows what went before as `succession` says.
    pub fn on_loss(&mut self, succession: Succession) {
        *self = match self {
            Self::None if succession == Succession::Continues => Self::Recovering,
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

/// How an episode stands to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Succession {
    /// It is one of its own.
    New,
    /// It goes on.
    Continues,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// This and nothing else.
    Binding(Bytes),
    /// From here towards the model's target.
    Base(Bytes),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_conserved_until_the_round_ends() {
        // Linux, bbr_update_bw: packet_conservation = 0 where round_start.
        let after = |mut episode: Episode, boundary| {
            episode.on_boundary(boundary);
            episode
        };
        assert_eq!(after(Episode::Conserving, Boundary::Inside), Episode::Conserving);
        assert_eq!(after(Episode::Conserving, Boundary::Start), Episode::Recovering);
        assert_eq!(after(Episode::Restarting, Boundary::Start), Episode::Restarting);
    }
}
