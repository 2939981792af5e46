//! What the client asks of the origin, in bytes.

use std::io;

use bentpipe_run::Direction;
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
        if order[2..8] != [0; 6] {
            return Err(malformed());
        }
        Ok(Self { direction, limit })
    }
}

impl Limit {
    /// Whether a flow that started at `started` and has carried `bytes` is over at `now`.
    pub(super) fn reached(self, started: Time, now: Time, bytes: Bytes) -> bool {
        match self {
            Self::Bytes(limit) => bytes >= limit,
            Self::Duration(limit) => now.since(started) >= limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    fn written(order: Order) -> Vec<u8> {
        let mut wire = Vec::new();
        block_on(order.write(&mut wire)).unwrap();
        wire
    }

    fn read(mut wire: &[u8]) -> io::Result<Order> {
        block_on(Order::read(&mut wire))
    }

    fn orders() -> impl Strategy<Value = Order> {
        let direction = prop::sample::select(vec![Direction::Down, Direction::Up]);
        let bytes = any::<u64>().prop_map(|n| Limit::Bytes(Bytes::new(n)));
        let duration = any::<u64>().prop_map(|ns| Limit::Duration(Duration::from_nanos(ns)));
        (direction, prop_oneof![bytes, duration]).prop_map(|(direction, limit)| Order { direction, limit })
    }

    #[test]
    fn an_order_is_sixteen_bytes_of_direction_kind_and_big_endian_value() {
        let order = Order { direction: Direction::Up, limit: Limit::Bytes(Bytes::new(0x0102)) };
        assert_eq!(written(order), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        let order = Order { direction: Direction::Down, limit: Limit::Duration(Duration::from_nanos(7)) };
        assert_eq!(written(order), [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
    }

    #[test]
    fn an_order_of_another_direction_or_kind_is_malformed() {
        for (place, value) in [(0, 2), (0, 255), (1, 2), (1, 255)] {
            let mut wire = [0; LENGTH];
            wire[place] = value;
            assert_eq!(read(&wire).unwrap_err().kind(), io::ErrorKind::InvalidData, "byte {place} = {value}");
        }
    }

    #[test]
    fn a_reserved_byte_that_is_not_zero_is_malformed() {
        for place in 2..8 {
            let mut wire = [0; LENGTH];
            wire[place] = 1;
            assert_eq!(read(&wire).unwrap_err().kind(), io::ErrorKind::InvalidData, "byte {place}");
        }
    }

    #[test]
    fn an_order_that_breaks_off_is_an_early_end() {
        for length in 0..LENGTH {
            assert_eq!(read(&[0; LENGTH][..length]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn a_limit_is_reached_at_its_value_and_not_before() {
        let (start, second) = (Time::from_nanos(5), Duration::from_secs(1));
        let bytes = Limit::Bytes(Bytes::new(10));
        assert!(!bytes.reached(start, Time::MAX, Bytes::new(9)));
        assert!(bytes.reached(start, start, Bytes::new(10)));
        let span = Limit::Duration(second);
        assert!(!span.reached(start, Time::from_nanos(1_000_000_004), Bytes::new(u64::MAX)));
        assert!(span.reached(start, start + second, Bytes::ZERO));
    }

    proptest! {
        #[test]
        fn any_order_is_read_as_it_was_written(order in orders()) {
            prop_assert_eq!(read(&written(order)).unwrap(), order);
        }

        #[test]
        fn any_sixteen_bytes_are_an_order_that_writes_them_again_or_malformed(
            head in [0..3u8, 0..3u8],
            reserved in prop_oneof![3 => Just([0; 6]), 1 => any::<[u8; 6]>()],
            value: [u8; 8],
        ) {
            let wire = [&head[..], &reserved, &value].concat();
            match read(&wire) {
                Ok(order) => prop_assert_eq!(written(order), wire),
                Err(error) => prop_assert_eq!(error.kind(), io::ErrorKind::InvalidData),
            }
        }
    }
}
