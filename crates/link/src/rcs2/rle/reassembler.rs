//! SDUs put together from the PPDUs of one fragment id; one of which a fragment is missing is given up (TS 103 179).

use super::encapsulation::{Ppdu, Rle};

/// The receiving side of one fragment id.
#[derive(Clone, Debug)]
pub struct Reassembler {
    encapsulation: Rle,
    partial: Option<Partial>,
}

#[derive(Clone, Copy, Debug)]
struct Partial {
    serial: u64,
    total: u32,
    received: u32,
}

impl Reassembler {
    /// Nothing has been received.
    pub const fn new(encapsulation: Rle) -> Self {
        Self { encapsulation, partial: None }
    }

    /// Takes what a burst brought; returns the length of the SDU that it completes.
    ///
    /// An SDU of which a fragment is missing is given up when the next one starts, or at its own end.
    pub fn accept(&mut self, ppdu: Ppdu) -> Option<u32> {
        match ppdu {
            Ppdu::Complete { bytes } => Some(bytes - self.encapsulation.header_bytes()),
            Ppdu::Start { serial, total, bytes } => {
                self.partial = Some(Partial { serial, total, received: bytes });
                None
            }
            Ppdu::Continuation { serial, bytes } => {
                self.partial = self.partial.and_then(|partial| partial.joined(serial, bytes));
                None
            }
            Ppdu::End { serial, bytes } => {
                let partial = self.partial.take()?.joined(serial, bytes)?;
                let added = self.encapsulation.header_bytes() + self.encapsulation.trailer_bytes();
                (partial.received == partial.total).then(|| partial.total - added)
            }
        }
    }
}

impl Partial {
    fn joined(self, serial: u64, bytes: u32) -> Option<Self> {
        (self.serial == serial).then(|| Self { received: self.received + bytes, ..self })
    }
}
