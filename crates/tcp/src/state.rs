//! The states of a connection (RFC 9293 section 3.3.2).

/// Where a connection is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A SYN is out.
    SynSent,
    /// A SYN came, a SYN-ACK is out.
    SynReceived,
    /// Open in both directions.
    Established,
    /// Our FIN is out, the peer may still send.
    FinWait1,
    /// Our FIN is acknowledged, the peer may still send.
    FinWait2,
    /// The peer has finished, we may still send.
    CloseWait,
    /// Both FINs crossed; ours is not acknowledged.
    Closing,
    /// The peer finished first; our FIN is out.
    LastAck,
    /// Both directions ended; stray segments die out.
    TimeWait,
    /// Nothing is left.
    Closed,
}

impl State {
    /// Whether the handshake is complete, as far as this end knows.
    pub const fn is_synchronized(self) -> bool {
        !matches!(self, Self::SynSent | Self::SynReceived | Self::Closed)
    }

    /// Whether the peer may still send data.
    pub const fn may_receive(self) -> bool {
        matches!(self, Self::SynReceived | Self::Established | Self::FinWait1 | Self::FinWait2)
    }

    /// Whether this end has not finished its direction.
    pub const fn may_write(self) -> bool {
        matches!(self, Self::SynSent | Self::SynReceived | Self::Established | Self::CloseWait)
    }

    /// Whether data that waits may be sent.
    pub const fn may_send(self) -> bool {
        matches!(
            self,
            Self::SynReceived
                | Self::Established
                | Self::CloseWait
                | Self::FinWait1
                | Self::Closing
                | Self::LastAck
        )
    }
}
