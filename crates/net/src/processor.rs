//! The processor of a host, where a run says how fast that is.

use std::fmt::Debug;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use bentpipe_run::HostSpec;
use bentpipe_units::Duration;

/// Plaintext of a full TLS record (RFC 8446 section 5.1).
const RECORD_BYTES: f64 = 16_384.0;

/// One core, which does one thing at a time, as an engine has time pass on it.
pub trait Core: Debug + Send + Sync {
    /// Ready when all that it was given is done; wakes the task then.
    fn poll_idle(&self, cx: &mut Context<'_>) -> Poll<()>;

    /// Gives it work of this length, for when what it was given before is done.
    fn work(&self, span: Duration);
}

/// A host's processor and what it takes for things. Clones share the core.
///
/// Whoever sends or receives waits until it is [idle](Self::poll_idle), does so, and says what that was.
#[derive(Clone, Debug)]
pub struct Processor {
    costs: HostSpec,
    core: Arc<dyn Core>,
}

impl Processor {
    /// One that takes as long for things as a run says.
    pub fn new(costs: HostSpec, core: Arc<dyn Core>) -> Self {
        Self { costs, core }
    }

    /// Ready when all work is done; wakes the task then.
    pub fn poll_idle(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.core.poll_idle(cx)
    }

    /// Returns when all work is done.
    pub async fn idle(&self) {
        poll_fn(|cx| self.poll_idle(cx)).await;
    }

    /// A handshake of TLS.
    pub fn handle_handshake(&self) {
        self.core.work(self.costs.tls_handshake_ns);
    }

    /// So many bytes of TLS records.
    pub fn handle_records(&self, bytes: usize) {
        self.core.work(self.costs.tls_record_ns.mul_f64(bytes as f64 / RECORD_BYTES));
    }

    /// So many datagrams of QUIC.
    pub fn handle_datagrams(&self, count: u64) {
        self.core.work(self.costs.quic_packet_ns * count);
    }
}
