//! A carrier that always has something to send.

use bentpipe_link::nominal_rate;
use bentpipe_link::{CapacitySpec, Dvbs2Spec, FecFrameSpec};
use bentpipe_units::{Bytes, Time};

use super::rig::*;

/// Number of bits of K_bch (EN 302 307-1, Tables 5a and 5b) and of symbols of a PLFRAME without pilots (Table 11: 90
/// and 90 per slot).
const CARRIERS: [(&str, FecFrameSpec, f64, f64); 5] = [
    ("QPSK 1/4", FecFrameSpec::Normal, 16_008.0, 32_490.0),
    ("8PSK 3/4", FecFrameSpec::Normal, 48_408.0, 21_690.0),
    ("32APSK 9/10", FecFrameSpec::Normal, 58_192.0, 13_050.0),
    ("QPSK 1/2", FecFrameSpec::Short, 7_032.0, 8_190.0),
    ("16APSK 2/3", FecFrameSpec::Short, 10_632.0, 4_140.0),
];

/// Packets of 1500 bytes in frames of a data field with 10 bytes of BBHEADER less than K_bch.
///
/// A packet has a header of 4 bytes. Each frame ends inside of a packet, which costs 3 more of a later header; and each
/// packet that is cut has 7 more: Frag ID, Total Length, CRC-32.
fn expected_bps(symbols_per_s: f64, k_bch: f64, symbols: f64) -> f64 {
    let data_field = k_bch / 8.0 - 10.0;
    let cut_packets_per_frame = (data_field / 1_504.0).min(1.0);
    let payload = (data_field - 3.0 - 7.0 * cut_packets_per_frame) * 1_500.0 / 1_504.0;
    symbols_per_s / symbols * payload * 8.0
}

fn carriers() -> impl Iterator<Item = (Dvbs2Spec, f64)> {
    CARRIERS.into_iter().map(|(modcod, fecframe, k_bch, symbols)| {
        let carrier = Dvbs2Spec { fecframe, symbols_per_s: 10_000_000, ..ccm(modcod) };
        (carrier, expected_bps(10e6, k_bch, symbols))
    })
}

#[test]
fn the_net_rate_is_symbol_rate_times_efficiency_less_encapsulation() {
    for (mut carrier, expected) in carriers() {
        // No frame is lost.
        carrier.es_n0.down.clear_sky_db = 100.0;
        let (outcome, _) = saturated(carrier.clone(), ms(10_000));
        let delivered = outcome.delivered();
        let span = delivered[delivered.len() - 1].1.since(Time::ZERO + DELAY).as_secs_f64();
        let net = delivered.len() as f64 * 12_000.0 / span;
        assert!((net / expected - 1.0).abs() < 0.002, "{:?}: {net} for {expected} bit/s", carrier.modulation);
    }
}

#[test]
fn the_nominal_rate_is_the_net_rate() {
    for (carrier, expected) in carriers() {
        let capacity = CapacitySpec::Dvbs2(Box::new(carrier));
        let nominal = nominal_rate(&capacity, Bytes::new(1_500)).unwrap().as_bps() as f64;
        assert!((nominal / expected - 1.0).abs() < 0.002, "{nominal} for {expected} bit/s");
    }
}

#[test]
fn the_nominal_rate_of_acm_is_that_of_the_modcod_in_clear_sky() {
    // 16.6 dB in clear sky meet 16.05 + 0.5 dB, however deep the fade: 32APSK 9/10.
    let mut carrier = acm(&[(0, 10.0)]);
    carrier.es_n0.down.clear_sky_db = 16.6;
    let nominal = nominal_rate(&CapacitySpec::Dvbs2(Box::new(carrier)), Bytes::new(1_500)).unwrap();
    let expected = expected_bps(10e6, 58_192.0, 13_050.0);
    assert!((nominal.as_bps() as f64 / expected - 1.0).abs() < 0.002, "{nominal} for {expected} bit/s");
}
