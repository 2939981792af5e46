//! A packet of the transport stream (ISO/IEC 13818-1).

/// Its length.
pub const TS_PACKET_BYTES: u32 = 188;
/// Sync byte, flags, PID, continuity counter.
const HEADER: u32 = 4;
/// What the header leaves.
pub(super) const PAYLOAD_BYTES: u32 = TS_PACKET_BYTES - HEADER;
