//! The window that the peer announces.

/// The peer's window (RFC 9293 section 3.3.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendWindow {
    /// SND.WND, scaled.
    pub size: u64,
    /// SND.WL1.
    wl1: u64,
    /// The largest ever (RFC 9293 section 3.8.6.2.1).
    pub max: u64,
}

impl SendWindow {
    /// RFC 9293 section 3.10.7.4: the window of the newest segment counts (`tcp_ack_update_window`). Whether it
    /// changed.
    pub fn update(&mut self, seq: u64, size: u64, advances: bool) -> bool {
        let newer = seq > self.wl1 || (seq == self.wl1 && (size > self.size || size == 0));
        if !advances && !newer {
            return false;
        }
        self.wl1 = seq;
        let changed = size != self.size;
        self.size = size;
        self.max = self.max.max(size);
        changed
    }

    /// The window of a SYN or of the segment that completes the handshake.
    pub fn initialize(&mut self, seq: u64, size: u64) {
        *self = Self { size, wl1: seq, max: size };
    }

    /// First position that it does not allow when all below `una` is acknowledged.
    pub const fn end(&self, una: u64) -> u64 {
        una + self.size
    }
}
