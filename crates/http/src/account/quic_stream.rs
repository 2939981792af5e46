//! The count of one direction of a QUIC stream.

use bentpipe_run::Direction;

use super::frames::{Http3, Scanner};
use super::meter::Meter;

/// Counts one direction of a QUIC stream.
#[derive(Debug)]
pub struct QuicStream {
    meter: Meter,
    direction: Direction,
    /// Where frames of requests or responses travel; HTTP/3's control streams carry no header fields.
    frames: Option<Scanner<Http3>>,
}

impl QuicStream {
    /// Of a request's stream.
    pub fn of_request(meter: &Meter, direction: Direction) -> Self {
        Self { meter: meter.clone(), direction, frames: Some(Scanner::of_server()) }
    }

    /// Of a control stream.
    pub fn of_control(meter: &Meter, direction: Direction) -> Self {
        Self { meter: meter.clone(), direction, frames: None }
    }

    /// Counts bytes that passed, in order.
    pub fn passed(&mut self, bytes: &[u8]) {
        let block = self.frames.as_mut().map_or(0, |frames| frames.header_block_bytes(bytes));
        self.meter.stream(self.direction, bytes.len());
        self.meter.plain(self.direction, bytes.len(), block);
    }
}
