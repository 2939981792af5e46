use std::io;

use bentpipe_run::{BulkSpec, Direction};
use bentpipe_units::{Bytes, Duration, Time};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// What the client asks of the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) direction: Direction,
    pub(super) limit: Limit,
}

/// When a flow ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// After so much payload.
    Bytes(Bytes),
    /// After so long.
    Duration(Duration),
}

/// Bytes of an order on the wire: direction, kind of limit, six bytes of zero, the limit's value.
const LENGTH: usize = 16;

impl Order {
    /// The order of a scenario. A flow without any limit is one of no bytes.
    pub(super) fn of(bulk: &BulkSpec) -> Self {
        let limit = match (bulk.bytes, bulk.duration_ns) {
            (None, Some(duration)) => Limit::Duration(duration),
            (bytes, _) => Limit::Bytes(bytes.unwrap_or(Bytes::ZERO)),
        };
        Self { direction: bulk.direction, limit }
    }

    pub(super) async fn write(self, stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let mut order = [0; LENGTH];
        order[0] = u8::from(self.direction == Direction::Up);
        let (kind, value) = match self.limit {
            Limit::Bytes(bytes) => (0, bytes.get()),
            Limit::Duration(duration) => (1, duration.as_nanos()),
        };
        order[1] = kind;
        order[8..].copy_from_slice(&value.to_be_bytes());
        stream.write_all(&order).await?;
        stream.flush().await
    }

    pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let mut order = [0; LENGTH];
        stream.read_exact(&mut order).await?;
        let value = u64::from_be_bytes(order[8..].try_into().expect("eight bytes"));
        let malformed = || io::Error::new(io::ErrorKind::InvalidData, "malformed bulk order");
        let direction = match order[0] {
            0 => Direction::Down,
            1 => Direction::Up,
            _ => return Err(malformed()),
        };
        let limit = match order[1] {
            0 => Limit::Bytes(Bytes::new(value)),
            1 => Limit::Duration(Duration::from_nanos(value)),
            _ => return Err(malformed()),
        };
        Ok(Self { direction, limit })
    }
}

impl Limit {
    /// Whether a flow that began at `started` and has carried `bytes` is over at `now`.
    pub(super) fn reached(self, started: Time, now: Time, bytes: Bytes) -> bool {
        match self {
            Self::Bytes(limit) => bytes >= limit,
            Self::Duration(limit) => now.since(started) >= limit,
        }
    }
}
