//! What both ends' SYNs said, and how far the handshake is (RFC 9293 section 3.5, RFC 7413).

use bentpipe_units::{Switch, Time};

use crate::config::Extensions;
use crate::cookie::Cookie;
use crate::options::{FastOpenOption, SackPermitted, TIMESTAMPS_LEN};
use crate::segment::Segment;

/// What a peer that announces no MSS takes (RFC 9293 section 3.7.1).
const DEFAULT_MSS: u16 = 536;
/// `TCP_MIN_MSS`.
const MIN_MSS: u16 = 88;

/// The handshake's own state.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshake {
    /// When the first SYN or SYN-ACK left.
    pub sent_at: Option<Time>,
    /// Timeouts (`num_timeout`).
    pub timeouts: u32,
    /// SYNs or SYN-ACKs that left again, after timeouts or as the peer repeated its SYN (`num_retrans`).
    pub retransmissions: u32,
    pub timer: Option<Time>,
    /// Bytes that travelled with the SYN.
    pub syn_payload: u64,
    /// Whether the server took data of it (`syn_data_acked`).
    pub syn_data_taken: bool,
    /// Whether the application waits to write (`sk_write_pending`).
    pub expects_write: bool,
    /// Whether an acknowledgement without data has come that opened nothing (`acked`).
    pub is_deferred: bool,
    /// The answer to the client's Fast Open option.
    pub grant: Option<FastOpenOption>,
    /// The server's answer to ours.
    pub granted: Option<Cookie>,
}

/// What the peer's SYN said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peer {
    mss: Option<u16>,
    pub shift: Option<u8>,
    pub sack: Option<SackPermitted>,
    /// Its last timestamp to echo (TS.Recent), where both ends use timestamps.
    pub timestamp: Option<u32>,
}

impl Peer {
    /// Takes in a SYN. Of its options those count that we have, too.
    pub fn learn(&mut self, segment: &Segment, timestamps: Switch, extensions: Extensions) {
        if let Some(syn) = segment.options.syn {
            // RFC 7323 section 2.3: at most 14.
            let shift = syn.window_scale.filter(|_| extensions.window_scaling.is_on());
            self.shift = shift.map(|shift| shift.min(14));
            self.mss = Some(syn.mss);
            self.sack = Some(if extensions.sack.is_on() { syn.sack } else { SackPermitted::No });
        }
        let theirs = segment.options.timestamps.filter(|_| timestamps.is_on());
        self.timestamp = theirs.map(|timestamps| timestamps.value);
    }

    /// The segment size that it announced.
    pub const fn announced_mss(&self) -> Option<u16> {
        self.mss
    }

    /// The peer's window in bytes.
    pub fn scale(&self, window: u16) -> u64 {
        u64::from(window) << self.shift.unwrap_or(0)
    }

    /// Payload of the segments that we take, less the timestamps that each carries (`advmss`).
    pub fn announced_payload(&self, announced: u16) -> u64 {
        let timestamps = self.timestamp.map_or(0, |_| u64::from(TIMESTAMPS_LEN));
        u64::from(announced).saturating_sub(timestamps).max(1)
    }

    /// Payload of a full segment: the smaller MSS less the timestamps that each segment carries.
    pub fn effective_mss(&self, announced: u16) -> u64 {
        let theirs = self.mss.unwrap_or(DEFAULT_MSS).max(MIN_MSS);
        let timestamps = self.timestamp.map_or(0, |_| u64::from(TIMESTAMPS_LEN));
        u64::from(theirs.min(announced)).saturating_sub(timestamps).max(1)
    }
}
