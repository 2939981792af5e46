//! A receiver by the standards.

use bentpipe_link::mpeg_ts::{Address, Encapsulation};

use crate::common::transport_stream::{PADDING, TsPacket, UNIT_STARTS};

/// Lengths of the packets that a receiver finds in a transport stream of which nothing is missing.
pub fn read(encapsulation: Encapsulation, stream: &[TsPacket]) -> Vec<u32> {
    let (header, overhead) = match encapsulation {
        Encapsulation::Mpe => (3, 9 + 4),
        Encapsulation::Ule(Address::Absent) => (4, 4),
        Encapsulation::Ule(Address::Present) => (4, 6 + 4),
    };
    let mut found = Vec::new();
    let mut unit: Vec<u8> = Vec::new();
    for packet in stream {
        let mut payload = &packet[4..];
        let starts = packet[1] & UNIT_STARTS != 0;
        if starts {
            let (pointer, behind) = payload.split_first().expect("a pointer field");
            assert_eq!(unit.is_empty(), *pointer == 0, "it points behind the rest of a unit");
            payload = behind;
        }
        // What follows a unit where none may start is padding.
        while !payload.is_empty() && (starts || !unit.is_empty()) {
            // A table_id of 0xFF does not exist; the End Indicator of ULE has two bytes, if there is room for them.
            let end = match encapsulation {
                Encapsulation::Mpe => payload.starts_with(&[PADDING]),
                Encapsulation::Ule(_) => payload.starts_with(&[PADDING; 2]) || payload == [PADDING],
            };
            if unit.is_empty() && end {
                break;
            }
            unit.push(payload[0]);
            payload = &payload[1..];
            if unit.len() < header {
                continue;
            }
            let length = match encapsulation {
                Encapsulation::Mpe => u32::from(unit[1] & 0x0F) << 8 | u32::from(unit[2]),
                Encapsulation::Ule(_) => u32::from(unit[0] & 0x7F) << 8 | u32::from(unit[1]),
            };
            if unit.len() == header + length as usize {
                found.push(length - overhead);
                unit.clear();
            }
        }
        assert!(payload.iter().all(|byte| *byte == PADDING), "nothing but padding is passed over");
    }
    assert!(unit.is_empty(), "a unit has no end");
    found
}
