//! The window that we announce: kernel memory turned into sequence space (`tcp_select_window`).

use bentpipe_units::{Bytes, Time};

use crate::config::BufferLimits;

/// Fixed-point denominator of the share of memory that is payload (`TCP_RMEM_TO_WIN_SCALE`).
const RATIO_ONE: u64 = 256;
/// Before the first full segment (`TCP_DEFAULT_SCALING_RATIO`): half, since Linux 6.10.
const INITIAL_RATIO: u64 = RATIO_ONE / 2;
/// `net.core.rmem_max`, 4 MiB since Linux 6.17: what an application could ask for must be expressible too.
const RMEM_MAX: u64 = 4 << 20;
/// `TCP_MAX_WSCALE` (RFC 7323 section 2.3).
const MAX_SHIFT: u32 = 14;
/// The largest window that its field holds.
const UNSCALED_MAX: u64 = u16::MAX as u64;

/// Memory, limits and what is announced.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveWindow {
    limits: BufferLimits,
    /// `sk_rcvbuf`.
    buffer: u64,
    /// Share of memory that is payload, in 256ths (`scaling_ratio`).
    ratio: u64,
    /// Upper limit of what is announced (`window_clamp`).
    clamp: u64,
    /// What is announced at most for now: the receiver's slow start (`rcv_ssthresh`).
    threshold: u64,
    /// RCV.WND as last announced.
    size: u64,
    /// RCV.NXT at that time (`rcv_wup`).
    announced_at: u64,
    shift: Shift,
    mss: u64,
}

/// Window scaling of our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// By so many bits.
    By(u8),
    /// The peer does not scale.
    None,
}

/// Whether the window had to be announced smaller than the memory allows by half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressure {
    Low,
    High,
}

/// Whether more can be announced than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    Grown,
    None,
}

/// A window that could be announced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub size: u64,
    pub pressure: Pressure,
}

impl ReceiveWindow {
    /// `tcp_select_initial_window`: as many whole segments as the memory holds, `most` of them at most.
    pub fn new(limits: BufferLimits, most: Option<u32>, mss: u64) -> Self {
        let buffer = limits.initial.get();
        let space = buffer * INITIAL_RATIO / RATIO_ONE;
        let held = if space > mss { space - space % mss } else { space };
        let size = most.map_or(held, |segments| held.min(u64::from(segments) * mss));
        // The widest window that auto-tuning can reach must be expressible.
        let tuned = space.max(limits.max.get()).max(RMEM_MAX);
        let widest = if limits.is_fixed { space } else { tuned };
        let shift = widest.max(1).ilog2().saturating_sub(15).min(MAX_SHIFT) as u8;
        Self {
            limits,
            buffer,
            ratio: INITIAL_RATIO,
            clamp: space,
            threshold: size,
            size,
            announced_at: 0,
            shift: Shift::By(shift),
            mss,
        }
    }

    /// The shift to offer in a SYN.
    pub const fn offered_shift(&self) -> u8 {
        match self.shift {
            Shift::By(bits) => bits,
            Shift::None => 0,
        }
    }

    /// The peer does not scale: no more is kept for it than it can be told (`tcp_create_openreq_child`).
    pub fn disable_scaling(&mut self) {
        self.shift = Shift::None;
        self.clamp = self.clamp.min(UNSCALED_MAX);
    }

    /// The handshake fixed the payload of full segments, of which one is kept in reserve (`tcp_init_buffer_space`).
    pub fn establish(&mut self, mss: u64) {
        self.mss = mss;
        let space = self.payload_of(self.buffer);
        self.clamp = self.clamp.min(space);
        if self.clamp > 2 * mss && self.clamp + mss > space {
            self.clamp = (2 * mss).max(space - mss);
        }
        self.threshold = self.threshold.min(self.clamp);
    }

    pub const fn size(&self) -> u64 {
        self.size
    }

    pub const fn clamp(&self) -> u64 {
        self.clamp
    }

    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    pub const fn buffer(&self) -> u64 {
        self.buffer
    }

    /// Whether the application has set the buffer for good (`SOCK_RCVBUF_LOCK`).
    pub const fn is_fixed(&self) -> bool {
        self.limits.is_fixed
    }

    /// `__sock_set_rcvbuf`: the application sets the buffer for good.
    pub const fn set_buffer(&mut self, memory: Bytes) {
        self.limits = BufferLimits::fixed(memory);
        self.buffer = memory.get();
    }

    pub const fn announced_at(&self) -> u64 {
        self.announced_at
    }

    /// What is left of the announced window (`tcp_receive_window`).
    pub const fn remaining(&self, next: u64) -> u64 {
        (self.announced_at + self.size).saturating_sub(next)
    }

    /// `tcp_win_from_space`.
    const fn payload_of(&self, memory: u64) -> u64 {
        memory * self.ratio / RATIO_ONE
    }

    /// `tcp_space_from_win`.
    const fn memory_for(&self, payload: u64) -> u64 {
        payload * RATIO_ONE / self.ratio
    }

    /// A larger segment than before: learns how much memory payload takes (`tcp_measure_rcv_mss`).
    pub fn learn_ratio(&mut self, len: u64, memory: u64) {
        let ratio = len * RATIO_ONE / memory;
        if ratio == self.ratio {
            return;
        }
        self.ratio = ratio;
        // tcp_set_window_clamp
        let clamp = self.payload_of(self.buffer);
        if clamp > self.clamp {
            self.threshold = self.threshold.max(self.size.min(clamp));
        } else {
            self.threshold = self.threshold.min(clamp);
        }
        self.clamp = clamp;
    }

    /// A segment of `len` bytes in `memory` arrived, where the peer's full ones have `segment`: what is announced
    /// may grow by two segments (`tcp_grow_window`).
    pub fn grow(&mut self, len: u64, memory: u64, used: u64, segment: u64) -> Growth {
        let room = self.clamp.min(self.payload_of(self.buffer.saturating_sub(used)));
        let room = room.saturating_sub(self.threshold);
        let wanted = if self.payload_of(memory) <= len {
            2 * self.mss
        } else {
            self.slow_growth(len, memory, segment)
        };
        if room == 0 || wanted == 0 {
            return Growth::None;
        }
        self.threshold += room.min(wanted.max(2 * len));
        Growth::Grown
    }

    /// Segments that waste memory open the window only while it is small (`__tcp_grow_window`).
    fn slow_growth(&self, len: u64, memory: u64, segment: u64) -> u64 {
        let mut needed = self.payload_of(memory) / 2;
        let mut window = self.payload_of(self.limits.max.get()) / 2;
        while self.threshold <= window {
            if needed <= len {
                return 2 * segment;
            }
            needed /= 2;
            window /= 2;
        }
        0
    }

    /// Auto-tuning wants room for `window` bytes (`tcp_rcvbuf_grow`).
    pub fn enlarge(&mut self, window: u64) {
        if !self.limits.is_moderated {
            return;
        }
        let buffer = self.memory_for(window).min(self.limits.max.get());
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = self.payload_of(buffer);
        }
    }

    /// `__tcp_select_window` with `used` bytes of memory taken; `segment` is the peer's full segment.
    pub fn select(&self, used: u64, segment: u64) -> Selection {
        let allowed = self.payload_of(self.buffer);
        let full = self.clamp.min(allowed);
        let segment = segment.min(full);
        let mut free = self.payload_of(self.buffer.saturating_sub(used));
        let mut pressure = Pressure::Low;
        if free < full / 2 {
            pressure = Pressure::High;
            // RFC 9293 section 3.8.6.2.2: no silly windows.
            if let Shift::By(bits) = self.shift {
                free = free >> bits << bits;
            }
            if free < allowed / 16 || free < segment {
                return Selection { size: 0, pressure };
            }
        }
        free = free.min(self.threshold);
        let size = match self.offered_shift() {
            0 if self.size + segment <= free || self.size > free => free - free % segment.max(1),
            0 if segment == full && free > self.size + full / 2 => free,
            0 => self.size,
            bits => free.next_multiple_of(1 << bits),
        };
        Selection { size, pressure }
    }

    /// A segment leaves that announces `selected` (`tcp_select_window`); returns the window field.
    pub fn announce(&mut self, selected: u64, next: u64) -> u16 {
        let remaining = self.remaining(next);
        let bits = self.offered_shift();
        // RFC 9293 section 3.8.6: what was announced is not taken back.
        self.size = if selected < remaining { remaining.next_multiple_of(1 << bits) } else { selected };
        self.announced_at = next;
        // The field may not hold all that is remembered.
        (self.size.min(UNSCALED_MAX << bits) >> bits) as u16
    }

    /// The window of a SYN, which is not scaled.
    pub fn announce_in_syn(&mut self, next: u64) -> u16 {
        self.announced_at = next;
        self.size.min(UNSCALED_MAX) as u16
    }
}

/// A sample that ends a measurement interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub now: Time,
    /// Bytes read so far, as a position.
    pub copied: u64,
    /// Bytes in order that are not read.
    pub unread: u64,
    /// How far the data out of order reaches beyond RCV.NXT.
    pub out_of_order: u64,
}

#[cfg(test)]
mod tests;
