//! A carrier that always has enough to send.

use bentpipe_link::dvbs2::{
    Backlog, Encapsulation, FecFrameSpec, IdleSpec, Label, Modcod, PilotsSpec, PlFrame, Source, Transmitter,
};
use bentpipe_units::{Bytes, Duration, Time};

use super::carrier::{Numbered, ccm, plframe};

const LEN: u32 = 1_500;

/// A queue that never empties, of packets of this length.
struct Endless(u32);

impl Source for Endless {
    type Packet = Numbered;

    fn backlog(&self, _: usize) -> Backlog {
        Backlog { packets: 1_000, bytes: Bytes::new(1_000 * u64::from(self.0)), oldest: Some(Time::ZERO) }
    }

    fn pop(&mut self, _: usize, _: Time) -> Option<(Time, Numbered)> {
        Some((Time::ZERO, Numbered { number: 0, len: self.0 }))
    }
}

#[test]
fn the_net_rate_is_symbol_rate_times_efficiency_less_encapsulation() {
    let symbol_rate = 40_000_000;
    for modcod in Modcod::all() {
        for fecframe in [FecFrameSpec::Normal, FecFrameSpec::Short] {
            let Some(plframe) = PlFrame::new(modcod, fecframe, PilotsSpec::On) else { continue };
            let mut carrier = ccm("QPSK 1/4", symbol_rate, Duration::ZERO);
            carrier.streams = vec![plframe];
            carrier.encapsulation = Encapsulation::gse(Label::Six);
            let mut transmitter = Transmitter::new(&carrier, Time::ZERO);
            let mut packets = 0u64;
            let mut end = Time::ZERO;
            for _ in 0..10_000 {
                let frame = transmitter.poll(Time::MAX, &mut Endless(LEN), |_| packets += 1).unwrap();
                end = frame.end;
            }
            let net = (packets * u64::from(LEN) * 8) as f64 / end.since(Time::ZERO).as_secs_f64();
            // A complete packet has a header of 4 and a label of 6. Each frame ends inside of a packet, which costs a
            // later header of 3; and each packet that is cut has 7 more: Frag ID, Total Length, CRC-32.
            let data_field = plframe.data_field().get() as f64;
            let len = f64::from(LEN);
            let cut_packets_per_frame = (data_field / (len + 10.0)).min(1.0);
            let payload = (data_field - 3.0 - 7.0 * cut_packets_per_frame) * len / (len + 10.0);
            let expected = symbol_rate as f64 * plframe.spectral_efficiency() * payload / data_field;
            assert!(
                (net / expected - 1.0).abs() < 0.002,
                "{modcod} {fecframe:?}: {net} for {expected} bit/s"
            );
        }
    }
}

#[test]
fn over_a_transport_stream_the_net_rate_is_less_by_headers_pointer_fields_and_no_more() {
    for (encapsulation, added) in [(Encapsulation::mpe(), 16.0), (Encapsulation::ule(), 8.0)] {
        for len in [40, 576, LEN] {
            let mut carrier = ccm("QPSK 1/4", 40_000_000, Duration::ZERO);
            carrier.streams = vec![plframe("8PSK 3/4", FecFrameSpec::Normal, PilotsSpec::On)];
            carrier.encapsulation = encapsulation;
            let mut transmitter = Transmitter::new(&carrier, Time::ZERO);
            let (mut packets, mut field) = (0u64, 0);
            for _ in 0..10_000 {
                let frame = transmitter.poll(Time::MAX, &mut Endless(len), |_| packets += 1).unwrap();
                assert_eq!(frame.used, frame.plframe.data_field(), "a TS packet can be cut anywhere");
                field += frame.used.get();
            }
            // Of the 184 bytes of a payload, a pointer field takes one: for each SNDU if all start in TS packets of
            // their own, and in every TS packet if SNDUs are shorter than it. Where an SNDU ends leaves too little for
            // the start of another in at most two places of 184, which costs less than 1e-4.
            let sndu = f64::from(len) + added;
            let each = if sndu > 184.0 { 188.0 * (sndu + 1.0) / 184.0 } else { 188.0 * sndu / 183.0 };
            let expected = field as f64 / each;
            let error = packets as f64 / expected - 1.0;
            assert!(error.abs() < 2e-4, "{encapsulation:?} {len}: {packets} for {expected} packets");
        }
    }
}

#[test]
fn the_millionth_frame_is_still_timed_to_the_nanosecond() {
    // A rate at which hardly any frame takes a whole number of nanoseconds.
    let symbol_rate = 39_999_983;
    for idle in [IdleSpec::Silence, IdleSpec::DummyFrames] {
        let mut carrier = ccm("32APSK 9/10", symbol_rate, Duration::ZERO);
        carrier.idle = idle;
        let start = Time::from_nanos(123_456_789);
        let mut transmitter = Transmitter::new(&carrier, start);
        let mut symbols = 0u128;
        for _ in 0..1_000_000 {
            let frame = transmitter.poll(Time::MAX, &mut Endless(LEN), |_| ()).unwrap();
            let at = |symbols: u128| {
                let span = (symbols * 1_000_000_000).div_ceil(u128::from(symbol_rate));
                start + Duration::from_nanos(u64::try_from(span).unwrap())
            };
            assert_eq!((frame.start, frame.dummies), (at(symbols), 0));
            symbols += 13_050;
            assert_eq!(frame.end, at(symbols));
        }
    }
}

#[test]
fn at_40_msymbol_per_s_32apsk_nine_tenths_carry_178_mbit_per_s() {
    // 40e6 x 4.453027 = 178.12 Mbit/s in data fields.
    let carrier = ccm("32APSK 9/10", 40_000_000, Duration::ZERO);
    let mut transmitter = Transmitter::new(&carrier, Time::ZERO);
    let mut used = 0;
    let mut end = Time::ZERO;
    while end < Time::ZERO + Duration::from_secs(10) {
        let frame = transmitter.poll(Time::MAX, &mut Endless(LEN), |_| ()).unwrap();
        (used, end) = (used + frame.used.get(), frame.end);
    }
    let rate = (used * 8) as f64 / end.since(Time::ZERO).as_secs_f64();
    assert!((rate / 178.121e6 - 1.0).abs() < 0.002, "{rate} bit/s");
}
