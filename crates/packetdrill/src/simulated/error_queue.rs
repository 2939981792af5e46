//! A socket's queue of errors (`sk_error_queue`): when what it sent left and was acknowledged (`SO_TIMESTAMPING`), and
//! that memory which was sent without a copy is free again (`MSG_ZEROCOPY`).

use std::collections::VecDeque;

use bentpipe_tcp::{Connection, Flags, Segment};
use libc::{
    SOF_TIMESTAMPING_OPT_ID, SOF_TIMESTAMPING_TX_ACK, SOF_TIMESTAMPING_TX_HARDWARE,
    SOF_TIMESTAMPING_TX_SCHED, SOF_TIMESTAMPING_TX_SOFTWARE,
};

use crate::symbols::{
    SCM_TSTAMP_ACK, SCM_TSTAMP_SCHED, SCM_TSTAMP_SND, SO_EE_CODE_ZEROCOPY_COPIED, SO_EE_ORIGIN_TIMESTAMPING,
    SO_EE_ORIGIN_ZEROCOPY,
};

/// The times that a call may ask for by itself (`SOF_TIMESTAMPING_TX_RECORD_MASK`).
pub(super) const TX_RECORDED: u32 = SOF_TIMESTAMPING_TX_HARDWARE
    | SOF_TIMESTAMPING_TX_SOFTWARE
    | SOF_TIMESTAMPING_TX_SCHED
    | SOF_TIMESTAMPING_TX_ACK;

/// Calls without a copy that follow each other in one buffer share its notice up to so many bytes
/// (`msg_zerocopy_realloc`).
const MOST_BYTES_OF_NOTICE: u64 = 1 << 19;

/// A message of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// These calls' memory is free: the first, the last.
    Freed(u32, u32),
    /// `SCM_TSTAMP_SND` and the like, and the byte that it is about.
    Stamped(i32, u32),
}

impl Notice {
    /// Errno, origin, type, code, info and data of `struct sock_extended_err`. The device of a script has copied
    /// everything (`skb_orphan_frags`).
    pub fn error(self) -> [i64; 6] {
        let (errno, origin, code, info, data) = match self {
            Self::Freed(from, to) => (0, SO_EE_ORIGIN_ZEROCOPY, SO_EE_CODE_ZEROCOPY_COPIED, from.into(), to),
            Self::Stamped(what, byte) => (libc::ENOMSG, SO_EE_ORIGIN_TIMESTAMPING, 0, what.into(), byte),
        };
        [errno.into(), origin.into(), 0, code.into(), info, data.into()]
    }
}

/// The queue of a connection, and what is going to be told in it.
#[derive(Debug, Default)]
pub(super) struct ErrorQueue {
    notices: VecDeque<Notice>,
    /// Bytes that the connection has taken.
    taken: u64,
    /// The sequence number of the first of them, once our SYN has left.
    first: Option<u32>,
    /// Where the buffer starts that the last call wrote to, if it did not begin one.
    tail: u64,
    /// Calls without a copy (`sk_zckey`).
    calls: u32,
    pinned: VecDeque<Pinned>,
    stamps: VecDeque<Stamp>,
    /// The byte from which bytes are counted (`sk_tskey`), where they are.
    counted_from: Option<u64>,
}

/// Memory that was sent without a copy: by these calls, the end and the number of their bytes.
#[derive(Debug)]
struct Pinned {
    calls: (u32, u32),
    end: u64,
    bytes: u64,
}

/// A byte that is asked about, and what.
#[derive(Debug)]
struct Stamp {
    byte: u64,
    flags: u32,
}

/// What a call has written so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// Bytes that were taken just now.
    pub bytes: u64,
    /// Bytes that waited before them.
    pub unsent_before: u64,
    pub sending: Sending,
}

/// How a call writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// Whether it is the call that wrote last, which goes on.
    pub goes_on: bool,
    pub is_without_copy: bool,
}

impl ErrorQueue {
    /// The oldest message.
    pub fn pop(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        self.notices.is_empty()
    }

    /// Bytes are counted from this one on (`SOF_TIMESTAMPING_OPT_ID`).
    pub const fn count_from(&mut self, unacknowledged: u64) {
        self.counted_from = Some(self.taken - unacknowledged);
    }

    /// The same, from the next that is written (`SOF_TIMESTAMPING_OPT_ID_TCP`).
    pub const fn count_from_next(&mut self) {
        self.counted_from = Some(self.taken);
    }

    /// A connection has taken bytes.
    pub fn on_written(&mut self, written: Written) {
        let before = self.taken;
        self.taken += written.bytes;
        if !written.sending.goes_on {
            self.tail = before - written.unsent_before;
        }
        if written.sending.is_without_copy {
            self.pin(before, written);
        }
    }

    /// `msg_zerocopy_realloc`.
    fn pin(&mut self, before: u64, written: Written) {
        let (end, next) = (self.taken, self.calls);
        let bytes = written.bytes;
        match self.pinned.back_mut() {
            Some(last) if written.sending.goes_on => {
                last.end = end;
                last.bytes += bytes;
                return;
            }
            // They are in the buffer that is written to.
            Some(last)
                if last.end == before && self.tail < before && last.bytes + bytes <= MOST_BYTES_OF_NOTICE =>
            {
                (last.calls.1, last.end) = (next, end);
                last.bytes += bytes;
            }
            _ => self.pinned.push_back(Pinned { calls: (next, next), end, bytes }),
        }
        self.calls = next.wrapping_add(1);
    }

    /// A call is over that had written something: its last byte is asked about (`tcp_tx_timestamp`).
    pub fn on_call_ended(&mut self, flags: u32) {
        let Some(byte) = self.taken.checked_sub(1) else { return };
        if flags & TX_RECORDED == 0 {
            return;
        }
        // A buffer has one such byte.
        if self.stamps.back().is_some_and(|stamp| stamp.byte >= self.tail) {
            self.stamps.pop_back();
        }
        self.stamps.push_back(Stamp { byte, flags });
    }

    /// What the peer has acknowledged, and what the end of a connection frees; returns whether there is news.
    pub fn on_acknowledged(&mut self, connection: &Connection) -> bool {
        let before = self.notices.len();
        let acknowledged = self.taken.saturating_sub(connection.unacknowledged());
        while let Some(stamp) = self.stamps.front().filter(|stamp| stamp.byte < acknowledged) {
            if stamp.flags & SOF_TIMESTAMPING_TX_ACK != 0 {
                self.tell_time(SCM_TSTAMP_ACK, stamp.byte, stamp.flags);
            }
            self.stamps.pop_front();
        }
        let mut is_extended = false;
        while let Some(freed) =
            self.pinned.front().filter(|pinned| pinned.end <= acknowledged || connection.is_closed())
        {
            is_extended |= self.tell_freed(freed.calls);
            self.pinned.pop_front();
        }
        is_extended || self.notices.len() > before
    }

    /// A segment leaves; returns whether there is news.
    pub fn on_sent(&mut self, segment: &Segment) -> bool {
        if segment.flags.contains(Flags::SYN) {
            self.first = Some(segment.seq.0.wrapping_add(1));
        }
        let Some(first) = self.first.filter(|_| !self.stamps.is_empty()) else { return false };
        let (before, length) = (self.notices.len(), segment.payload.len());
        // Positions are of 32 bits here: no script sends more.
        let start = u64::from(segment.seq.0.wrapping_sub(first));
        let leaving: Vec<(u64, u32)> = self
            .stamps
            .iter()
            .filter(|stamp| (start..start + length).contains(&stamp.byte))
            .map(|stamp| (stamp.byte, stamp.flags))
            .collect();
        for (byte, flags) in leaving {
            for (flag, what) in [
                (SOF_TIMESTAMPING_TX_SCHED, SCM_TSTAMP_SCHED),
                (SOF_TIMESTAMPING_TX_SOFTWARE, SCM_TSTAMP_SND),
            ] {
                if flags & flag != 0 {
                    self.tell_time(what, byte, flags);
                }
            }
        }
        self.notices.len() > before
    }

    /// `__skb_complete_tx_timestamp`.
    fn tell_time(&mut self, what: i32, byte: u64, flags: u32) {
        let counted = self.counted_from.filter(|_| flags & SOF_TIMESTAMPING_OPT_ID != 0);
        let number = counted.map_or(0, |from| byte.wrapping_sub(from) as u32);
        self.notices.push_back(Notice::Stamped(what, number));
    }

    /// Adds to the last message where that goes on with these calls (`skb_zerocopy_notify_extend`); returns true then.
    fn tell_freed(&mut self, (from, to): (u32, u32)) -> bool {
        if let Some(Notice::Freed(_, last)) = self.notices.back_mut()
            && from == last.wrapping_add(1)
        {
            *last = to;
            return true;
        }
        self.notices.push_back(Notice::Freed(from, to));
        false
    }
}
