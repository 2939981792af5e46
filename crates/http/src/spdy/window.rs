//! Flow control (draft 3.1, section 2.6.8).

use super::SessionError;
use super::frame::MOST_31_BITS;

/// Every window before anybody says otherwise (draft 2.6.8, "64KB").
pub(super) const INITIAL_WINDOW: u32 = 65_536;

/// What may still be sent. Negative while a reduced setting takes effect (draft 2.6.8).
#[derive(Clone, Copy, Debug)]
pub(super) struct SendWindow(i64);

impl SendWindow {
    pub(super) fn new(size: u32) -> Self {
        Self(i64::from(size))
    }

    /// Bytes that may be sent now.
    pub(super) fn available(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.0 -= bytes as i64;
    }

    /// Grows, or shrinks when `delta` is negative.
    pub(super) fn change(&mut self, delta: i64) -> Result<(), SessionError> {
        let changed = self.0 + delta;
        if changed > i64::from(MOST_31_BITS) {
            return Err(SessionError::WindowOverflow);
        }
        self.0 = changed;
        Ok(())
    }
}

/// What the peer may still send, and what of it waits for its reader.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiveWindow {
    /// The window that the peer shall have when nothing waits.
    target: i64,
    granted: i64,
    held: i64,
    /// By how much the peer may exceed it: it need not have read our settings yet.
    tolerance: i64,
}

impl ReceiveWindow {
    /// A window of `target` bytes of which the peer knows.
    pub(super) fn new(target: u32) -> Self {
        Self::started(target, target)
    }

    /// A window that shall be `target` bytes while the peer believes in `granted`.
    pub(super) fn started(target: u32, granted: u32) -> Self {
        Self { target: i64::from(target), granted: i64::from(granted), held: 0, tolerance: 0 }
    }

    /// The same, for a peer that may still believe in the window of the draft.
    pub(super) fn tolerant(self) -> Self {
        Self { tolerance: (i64::from(INITIAL_WINDOW) - self.granted).max(0), ..self }
    }

    /// Takes what arrived.
    pub(super) fn receive(&mut self, bytes: usize) -> Result<(), SessionError> {
        self.granted -= bytes as i64;
        self.held += bytes as i64;
        if self.granted < -self.tolerance { Err(SessionError::WindowExceeded) } else { Ok(()) }
    }

    /// Its reader has taken so many bytes.
    pub(super) fn release(&mut self, bytes: usize) {
        self.held -= (bytes as i64).min(self.held);
    }

    /// What to grant, once it is worth a frame: half of the window, as nghttp2 and h2 do.
    pub(super) fn due(&self) -> Option<u32> {
        let due = self.target - self.granted - self.held;
        u32::try_from(due).ok().filter(|due| *due > 0 && i64::from(*due) >= self.target / 2)
    }

    /// Notes what was granted.
    pub(super) fn grant(&mut self, delta: u32) {
        self.granted += i64::from(delta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_draft_leaves_a_negative_window() {
        // Draft 2.6.8: 60 KB sent, then the initial window becomes 16 KB: -44 KB are left.
        let mut window = SendWindow::new(INITIAL_WINDOW);
        window.spend(60 * 1024);
        window.change((16 - 64) * 1024).unwrap();
        assert_eq!(window.0, -44 * 1024);
        assert_eq!(window.available(), 0);
        window.change(45 * 1024).unwrap();
        assert_eq!(window.available(), 1024);
    }

    #[test]
    fn a_window_beyond_31_bits_is_an_error() {
        let mut window = SendWindow::new(MOST_31_BITS);
        assert_eq!(window.change(1), Err(SessionError::WindowOverflow));
    }

    #[test]
    fn a_window_is_granted_again_when_half_of_it_was_read() {
        let mut window = ReceiveWindow::new(100);
        window.receive(80).unwrap();
        assert_eq!(window.due(), None);
        window.release(49);
        assert_eq!(window.due(), None);
        window.release(1);
        assert_eq!(window.due(), Some(50));
        window.grant(50);
        assert_eq!(window.due(), None);
        // 20 were left of the first grant.
        assert_eq!(window.receive(70), Ok(()));
        assert_eq!(window.receive(1), Err(SessionError::WindowExceeded));
    }

    #[test]
    fn a_window_below_the_draft_s_is_reached_by_granting_nothing() {
        let mut window = ReceiveWindow::started(1_000, INITIAL_WINDOW);
        window.receive(65_000).unwrap();
        window.release(65_000);
        assert_eq!(window.due(), None);
        window.receive(536).unwrap();
        window.release(536);
        assert_eq!(window.due(), Some(1_000));
    }
}
