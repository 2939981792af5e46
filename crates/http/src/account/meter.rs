//! What one connection has carried so far.

use std::cell::Cell;
use std::rc::Rc;

use bentpipe_run::{Carried, CarriedBytes};
use bentpipe_units::Bytes;

/// What one connection has carried so far; all that count for it share it.
#[derive(Clone, Debug, Default)]
pub struct Meter(Rc<Cell<Carried>>);

/// A direction, seen from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Down,
    Up,
}

impl Meter {
    /// Counts content of the transport connection.
    pub fn stream(&self, way: Way, bytes: usize) {
        self.add(way, |carried| carried.stream_bytes += Bytes::new(bytes as u64));
    }

    /// Counts what HTTP was given or gave, of which `block` are header fields as sent.
    pub fn plain(&self, way: Way, bytes: usize, block: u64) {
        self.add(way, |carried| {
            carried.plain_bytes += Bytes::new(bytes as u64);
            carried.header_block_bytes += Bytes::new(block);
        });
    }

    /// What was carried so far.
    pub fn read(&self) -> Carried {
        self.0.get()
    }

    fn add(&self, way: Way, count: impl FnOnce(&mut CarriedBytes)) {
        let mut carried = self.0.get();
        count(match way {
            Way::Down => &mut carried.down,
            Way::Up => &mut carried.up,
        });
        self.0.set(carried);
    }
}
