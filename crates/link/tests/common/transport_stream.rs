//! A transport stream byte by byte, as the standards have it.

use bentpipe_link::mpeg_ts::{Address, Encapsulation};

/// Sync byte, flags and PID, then the payload.
pub type TsPacket = [u8; 188];

/// Byte 1 of a TS packet in which a section or SNDU starts: payload_unit_start_indicator, and a PID of zeros.
pub const UNIT_STARTS: u8 = 0x40;
pub const PADDING: u8 = 0xFF;

/// The SNDU of a packet, whose bytes are all `filler`; the CRC-32 is left zero.
fn sndu(encapsulation: Encapsulation, len: u32, filler: u8) -> Vec<u8> {
    let len = len as usize;
    let mut bytes = match encapsulation {
        // table_id, section_length of what follows it: 9 bytes of header, the packet, CRC-32 (EN 301 192, Table 3).
        Encapsulation::Mpe => {
            let length = 9 + len + 4;
            let mut header = vec![0x3E, 0xB0 | (length >> 8) as u8, length as u8];
            header.extend([0; 9]);
            header
        }
        // D = 1, Length of what follows Type; Type: IPv4 (RFC 4326, section 4).
        Encapsulation::Ule(Address::Absent) => {
            let length = 0x8000 | (len + 4);
            vec![(length >> 8) as u8, length as u8, 0x08, 0x00]
        }
        // D = 0, and the address after Type.
        Encapsulation::Ule(Address::Present) => {
            let length = 6 + len + 4;
            vec![(length >> 8) as u8, length as u8, 0x08, 0x00, 1, 2, 3, 4, 5, 6]
        }
    };
    bytes.resize(bytes.len() + len, filler);
    bytes.extend([0; 4]);
    bytes
}

/// All these packets one behind the other, in as few TS packets as can be.
pub fn write(encapsulation: Encapsulation, lens: &[u32]) -> Vec<TsPacket> {
    // Neither is Length of ULE split nor is there a section of no bytes.
    let least_start = if encapsulation == Encapsulation::Mpe { 1 } else { 2 };
    let sndus = lens.iter().enumerate().map(|(number, len)| sndu(encapsulation, *len, number as u8));
    let mut waiting: Vec<Vec<u8>> = sndus.collect();
    waiting.reverse();
    let mut rest: Vec<u8> = Vec::new();
    let mut stream = Vec::new();
    while !rest.is_empty() || !waiting.is_empty() {
        let starts = !waiting.is_empty() && rest.len() + 1 + least_start <= 184;
        let mut packet = vec![0x47, if starts { UNIT_STARTS } else { 0 }, 0, 0x10];
        if starts {
            packet.push(rest.len() as u8);
        }
        packet.extend(rest.drain(..rest.len().min(188 - packet.len())));
        while starts
            && packet.len() + least_start <= 188
            && let Some(mut next) = waiting.pop()
        {
            packet.extend(next.drain(..next.len().min(188 - packet.len())));
            rest = next;
        }
        packet.resize(188, PADDING);
        stream.push(packet.try_into().expect("188 bytes"));
    }
    stream
}
