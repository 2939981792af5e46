//! The carrier of a return link, on which the tests count slots.

use bentpipe_link::LayoutSpec;

/// 1 Msym/s, two frames of a request slot and 20 bursts of 536 symbols.
pub fn layout() -> LayoutSpec {
    LayoutSpec {
        symbols_per_s: 1_000_000,
        carriers: 1,
        frames: 2,
        request_slots: 1,
        traffic_slots: 20,
        request_symbols: 536,
        burst_symbols: 536,
        guard_symbols: 4,
        idle_symbols: 0,
    }
}
