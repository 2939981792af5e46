//! SDUs cut into PPDUs, one burst after the other, for one fragment id (TS 103 179).

use super::encapsulation::{HEADER_BYTES, MAX_PPDU_BYTES, Ppdu, Rle, START_HEADER_BYTES};

/// The sending side of one fragment id: puts SDUs into bursts, one after the other.
///
/// RLE has eight fragment ids, so that as many SDUs can be under way at once: one fragmenter for each class lets an
/// urgent packet go between the fragments of another.
#[derive(Clone, Debug)]
pub struct Fragmenter {
    encapsulation: Rle,
    serial: u64,
    /// Bytes of the present ALPDU and its trailer that are still to be sent.
    rest: u32,
}

impl Fragmenter {
    /// Nothing is under way.
    pub const fn new(encapsulation: Rle) -> Self {
        Self { encapsulation, serial: 0, rest: 0 }
    }

    /// What an SDU under way still needs in a burst that takes all of it; zero when none is.
    pub const fn pending_bytes(&self) -> u32 {
        if self.rest == 0 { 0 } else { HEADER_BYTES + self.rest }
    }

    /// Puts the next SDU, whole or its start, into what a burst has left. None when too little is left.
    ///
    /// # Panics
    /// When another SDU is under way, or the SDU is longer than [`Rle::max_sdu_bytes`].
    pub fn start(&mut self, sdu_bytes: u32, space_bytes: u32) -> Option<Ppdu> {
        assert!(self.rest == 0, "the SDU before has been sent");
        assert!(sdu_bytes <= self.encapsulation.max_sdu_bytes(), "the total length has twelve bits");
        let alpdu = self.encapsulation.header_bytes() + sdu_bytes;
        // An ALPDU of no bytes needs its header all the same.
        if space_bytes >= HEADER_BYTES && alpdu <= room(space_bytes, HEADER_BYTES) {
            return Some(Ppdu::Complete { bytes: alpdu });
        }
        // The ALPDU header is not cut, and a fragment has something besides.
        let bytes = room(space_bytes, START_HEADER_BYTES);
        if bytes <= self.encapsulation.header_bytes() {
            return None;
        }
        let total = alpdu + self.encapsulation.trailer_bytes();
        self.serial += 1;
        self.rest = total - bytes;
        Some(Ppdu::Start { serial: self.serial, total, bytes })
    }

    /// Goes on with the SDU under way. None when there is none, or too little is left.
    pub fn resume(&mut self, space_bytes: u32) -> Option<Ppdu> {
        let bytes = room(space_bytes, HEADER_BYTES).min(self.rest);
        if bytes == 0 {
            return None;
        }
        self.rest -= bytes;
        let serial = self.serial;
        Some(if self.rest == 0 { Ppdu::End { serial, bytes } } else { Ppdu::Continuation { serial, bytes } })
    }
}

/// What fits behind a header.
fn room(space_bytes: u32, header_bytes: u32) -> u32 {
    space_bytes.saturating_sub(header_bytes).min(MAX_PPDU_BYTES)
}
