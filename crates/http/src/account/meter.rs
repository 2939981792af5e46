//! What one connection has carried so far.

use std::cell::Cell;
use std::rc::Rc;

use bentpipe_run::{Carried, CarriedBytes, Direction};
use bentpipe_units::Bytes;

/// What one connection has carried so far; all that count for it share it.
#[derive(Clone, Debug, Default)]
pub struct Meter(Rc<Cell<Carried>>);

impl Meter {
    /// Counts content of the transport connection.
    pub fn stream(&self, direction: Direction, bytes: usize) {
        self.add(direction, |carried| carried.stream_bytes += Bytes::new(bytes as u64));
    }

    /// Counts what HTTP was given or gave, of which `block` are header fields as sent.
    pub fn plain(&self, direction: Direction, bytes: usize, block: u64) {
        self.add(direction, |carried| {
            carried.plain_bytes += Bytes::new(bytes as u64);
            carried.header_block_bytes += Bytes::new(block);
        });
    }

    /// What was carried so far.
    pub fn read(&self) -> Carried {
        self.0.get()
    }

    fn add(&self, direction: Direction, count: impl FnOnce(&mut CarriedBytes)) {
        let mut carried = self.0.get();
        count(match direction {
            Direction::Down => &mut carried.down,
            Direction::Up => &mut carried.up,
        });
        self.0.set(carried);
    }
}
