//! Packets cut into bursts of whole TS packets of one PID (ISO/IEC 13818-1, clause 2.4.3).

use super::{Encapsulation, Payload, TS_PACKET_BYTES};

/// The sending side of one PID: puts packets into bursts of whole TS packets, one after the other.
///
/// A TS packet has one PID. With one for each class, an urgent packet goes between the TS packets of another.
#[derive(Clone, Debug)]
pub struct Fragmenter {
    encapsulation: Encapsulation,
    serial: u64,
    /// Length of the SNDU under way, or of the last.
    sndu: u32,
    /// Bytes of it that are still to be sent.
    rest: u32,
    /// Of the last TS packet.
    payload: Payload,
}

/// What one burst carries of an SNDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which SNDU.
    pub serial: u64,
    /// Bytes of the SNDU before it.
    pub before: u32,
    /// Its bytes.
    pub bytes: u32,
    /// Bytes of the SNDU after it.
    pub rest: u32,
    /// TS packets that start for it; the end of another one may serve it too.
    pub packets: u32,
}

impl Fragmenter {
    /// Nothing is under way.
    pub const fn new(encapsulation: Encapsulation) -> Self {
        Self { encapsulation, serial: 0, sndu: 0, rest: 0, payload: Payload::CLOSED }
    }

    /// What is still to be sent of the SNDU under way; zero when none is.
    pub const fn pending_bytes(&self) -> u32 {
        self.rest
    }

    /// Another burst: what the last TS packet of the one before has left is padding.
    pub const fn start_burst(&mut self) {
        self.payload = Payload::CLOSED;
    }

    /// Puts the next packet, whole or its start, into the TS packet in hand and those that what is left of the
    /// burst has room for. None when too little is left.
    ///
    /// # Panics
    /// When another packet is under way, or the packet is longer than [`Encapsulation::largest_packet`].
    pub fn start(&mut self, packet_bytes: u32, space_bytes: u32) -> Option<Part> {
        assert!(self.rest == 0, "the packet before has been sent");
        assert!(packet_bytes <= self.encapsulation.largest_packet(), "the length field is too short");
        let mut packets = 0;
        if !self.payload.takes_start(self.encapsulation) {
            packets = (space_bytes >= TS_PACKET_BYTES).then_some(1)?;
            self.payload = Payload::EMPTY;
        }
        self.serial += 1;
        self.sndu = self.encapsulation.sndu_bytes(packet_bytes);
        self.rest = self.sndu - self.payload.start(self.sndu);
        packets += self.spread(space_bytes - packets * TS_PACKET_BYTES);
        Some(self.part(0, packets))
    }

    /// Goes on with the packet under way. None when there is none, or too little is left.
    pub fn resume(&mut self, space_bytes: u32) -> Option<Part> {
        let before = self.sndu - self.rest;
        let packets = self.spread(space_bytes);
        (packets > 0).then(|| self.part(before, packets))
    }

    /// Puts what it can of the rest into new TS packets; returns how many.
    fn spread(&mut self, space_bytes: u32) -> u32 {
        let most = space_bytes / TS_PACKET_BYTES;
        let mut packets = 0;
        while self.rest > 0 && packets < most {
            packets += 1;
            self.payload = Payload::EMPTY;
            self.rest -= self.payload.go_on(self.rest);
        }
        packets
    }

    const fn part(&self, before: u32, packets: u32) -> Part {
        let bytes = self.sndu - before - self.rest;
        Part { serial: self.serial, before, bytes, rest: self.rest, packets }
    }
}

impl Part {
    /// Bytes that it takes of what the burst has left.
    pub const fn burst_bytes(&self) -> u32 {
        self.packets * TS_PACKET_BYTES
    }

    /// Whether nothing of the SNDU is left after it.
    pub const fn is_last(&self) -> bool {
        self.rest == 0
    }
}
