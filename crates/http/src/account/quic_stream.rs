//! The count of one direction of a QUIC stream.

use super::frames::{Http3, Scanner};
use super::meter::{Meter, Way};

/// Counts one direction of a QUIC stream.
#[derive(Debug)]
pub struct QuicStream {
    meter: Meter,
    way: Way,
    /// Where frames of requests or responses travel; HTTP/3's control streams carry no header fields.
    frames: Option<Scanner<Http3>>,
}

impl QuicStream {
    /// Of a request's stream.
    pub fn of_request(meter: &Meter, way: Way) -> Self {
        Self { meter: meter.clone(), way, frames: Some(Scanner::of_server()) }
    }

    /// Of a control stream.
    pub fn of_control(meter: &Meter, way: Way) -> Self {
        Self { meter: meter.clone(), way, frames: None }
    }

    /// Counts bytes that passed, in order.
    pub fn passed(&mut self, bytes: &[u8]) {
        let block = self.frames.as_mut().map_or(0, |frames| frames.header_block_bytes(bytes));
        self.meter.stream(self.way, bytes.len());
        self.meter.plain(self.way, bytes.len(), block);
    }
}
