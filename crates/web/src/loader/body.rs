//! A body as it arrives.

use bentpipe_units::Bytes;
use ring::digest::{Context, Digest, SHA256};

/// A body as it arrives: its length and digest; the bytes themselves are not kept.
#[derive(Clone)]
pub(crate) struct Received {
    length: u64,
    context: Context,
}

impl Received {
    pub(crate) fn new() -> Self {
        Self { length: 0, context: Context::new(&SHA256) }
    }

    pub(crate) fn add(&mut self, chunk: &[u8]) {
        self.length += chunk.len() as u64;
        self.context.update(chunk);
    }

    pub(crate) fn length(&self) -> Bytes {
        Bytes::new(self.length)
    }

    pub(crate) fn digest(&self) -> Digest {
        self.context.clone().finish()
    }
}

impl std::fmt::Debug for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Received({} bytes)", self.length)
    }
}
