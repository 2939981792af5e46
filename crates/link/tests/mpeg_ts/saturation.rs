//! What packets without end take of TS packets.

use bentpipe_link::mpeg_ts::{Address, Encapsulation, Fragmenter};

/// Bytes of TS packets for one of many packets of this length.
fn mean_bytes(encapsulation: Encapsulation, len: u32) -> f64 {
    let count = 100_000;
    let mut fragmenter = Fragmenter::new(encapsulation);
    let mut started = |_| u64::from(fragmenter.start(len, u32::MAX).expect("room").packets);
    (0..count).map(&mut started).sum::<u64>() as f64 * 188.0 / f64::from(count)
}

#[test]
fn long_packets_cost_a_pointer_field_each() {
    for (encapsulation, len) in [
        (Encapsulation::Mpe, 576),
        (Encapsulation::Mpe, 1500),
        (Encapsulation::Ule(Address::Absent), 576),
        (Encapsulation::Ule(Address::Absent), 1500),
        (Encapsulation::Ule(Address::Present), 1500),
    ] {
        // 188 bytes for 184 of SNDUs and pointer fields. Now and then an SNDU ends where one byte (MPE) or two (ULE) are
        // too little for the next; for these lengths that is once in 39 SNDUs or less often.
        let least = 188.0 * f64::from(encapsulation.sndu_bytes(len) + 1) / 184.0;
        let bytes = mean_bytes(encapsulation, len);
        assert!((least..least * (1.0 + 1e-4)).contains(&bytes), "{bytes} for {least}");
    }
}

#[test]
fn short_packets_share_183_bytes_of_each_ts_packet() {
    // 61 SNDUs of 48 bytes in 16 TS packets, 183 of 56 bytes in 56.
    for (encapsulation, sndu) in [(Encapsulation::Ule(Address::Absent), 48.0), (Encapsulation::Mpe, 56.0)] {
        let bytes = mean_bytes(encapsulation, 40);
        assert!((bytes - 188.0 * sndu / 183.0).abs() < 188.0 / 100_000.0, "{bytes}");
    }
}
