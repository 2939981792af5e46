//! What one end of a connection has sent and received.

use bentpipe_units::Bytes;

/// What one end of a connection has sent and received, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// What it has sent.
    pub sent: Carried,
    /// What it has received.
    pub received: Carried,
}

/// Bytes of one direction; what is on the wire is the sum of all but `header_bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Header blocks as compressed.
    pub header_block_bytes: Bytes,
    /// Header blocks before compression.
    pub header_bytes: Bytes,
    /// Frame headers, and control frames but for their header blocks.
    pub frame_bytes: Bytes,
    /// Payload of data frames.
    pub data_bytes: Bytes,
}

impl Carried {
    /// Bytes on the wire, below which TLS or TCP comes.
    pub fn wire_bytes(&self) -> Bytes {
        self.header_block_bytes + self.frame_bytes + self.data_bytes
    }

    pub(super) fn count_block(&mut self, compressed: usize, block: usize) {
        self.header_block_bytes += Bytes::new(compressed as u64);
        self.header_bytes += Bytes::new(block as u64);
    }

    pub(super) fn count_frame(&mut self, bytes: usize) {
        self.frame_bytes += Bytes::new(bytes as u64);
    }

    pub(super) fn count_data(&mut self, bytes: usize) {
        self.data_bytes += Bytes::new(bytes as u64);
    }
}
