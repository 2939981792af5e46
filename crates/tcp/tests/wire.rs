//! Bytes of segments against those that Linux 6.18 sent over the loopback interface, checksums zeroed.
//!
//! Recorded with a packet socket: connections with `net.ipv4.tcp_timestamps`, `tcp_sack` and `tcp_fastopen` set as the
//! tests say, and segments injected out of order for the SACK blocks.

use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_tcp::{
    Cookie, FastOpenOption, Flags, IP_HEADER, Options, Payload, SackBlocks, SackPermitted, Segment,
    SeqNumber, SynOptions, Timestamps,
};

const ACK: Flags = Flags::ACK;
const SYN: Flags = Flags::SYN;

fn segment(ports: (u16, u16), flags: Flags, seq: u32, ack: u32, window: u16) -> Segment {
    let at = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    Segment {
        source: at(ports.0),
        destination: at(ports.1),
        flags,
        seq: SeqNumber(seq),
        ack: SeqNumber(ack),
        window,
        options: Options::default(),
        ecn: 0,
        gso_size: None,
        payload: Payload::EMPTY,
    }
}

fn syn_options(sack: SackPermitted, fast_open: Option<FastOpenOption>) -> Option<SynOptions> {
    Some(SynOptions { mss: 1460, window_scale: Some(10), sack, fast_open })
}

fn timestamps(value: u32, echo: u32) -> Option<Timestamps> {
    Some(Timestamps { value, echo })
}

fn with_options(segment: Segment, options: Options) -> Segment {
    Segment { options, ..segment }
}

fn blocks(ranges: &[(u32, u32)]) -> SackBlocks {
    let mut blocks = SackBlocks::default();
    for (start, end) in ranges {
        blocks.push(SeqNumber(*start), SeqNumber(*end));
    }
    blocks
}

/// The segment's bytes in hexadecimal digits; their number is the one that it announces.
fn hex(segment: &Segment) -> String {
    let mut bytes = Vec::new();
    segment.encode(&mut bytes);
    assert_eq!(bytes.len() as u32, segment.wire_bytes() - IP_HEADER);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_syn_without_timestamps() {
    let options = Options { syn: syn_options(SackPermitted::Yes, None), ..Options::default() };
    let syn = with_options(segment((42_384, 5_000), SYN, 0x7788_7640, 0, 64_240), options);
    assert_eq!(hex(&syn), "a590138877887640000000008002faf000000000020405b4010104020103030a");
}

#[test]
fn a_syn_without_timestamps_and_selective_acknowledgements() {
    let options = Options { syn: syn_options(SackPermitted::No, None), ..Options::default() };
    let syn = with_options(segment((50_250, 5_001), SYN, 0xa3f8_b056, 0, 64_240), options);
    assert_eq!(hex(&syn), "c44a1389a3f8b056000000007002faf000000000020405b40103030a");
}

#[test]
fn a_syn_with_timestamps_and_without_selective_acknowledgements() {
    let syn = syn_options(SackPermitted::No, None);
    let options = Options { syn, timestamps: timestamps(0x8d8c_4d0e, 0), ..Options::default() };
    let syn = with_options(segment((55_840, 5_002), SYN, 0x9570_9b1a, 0, 64_240), options);
    let expected = "da20138a95709b1a00000000a002faf000000000020405b40101080a8d8c4d0e000000000103030a";
    assert_eq!(hex(&syn), expected);
}

#[test]
fn a_syn_that_asks_for_a_fast_open_cookie() {
    let syn = syn_options(SackPermitted::Yes, Some(FastOpenOption::assigned(None)));
    let options = Options { syn, timestamps: timestamps(0x1afe_00f4, 0), ..Options::default() };
    let syn = with_options(segment((47_582, 5_003), SYN, 0xed20_4ada, 0, 64_240), options);
    let expected = "b9de138bed204ada00000000b002faf000000000020405b40402080a1afe00f4000000000103030a22020101";
    assert_eq!(hex(&syn), expected);
}

#[test]
fn a_syn_that_shows_a_fast_open_cookie_and_carries_data() {
    let cookie = Cookie::new(&[0x85, 0x1a, 0x8d, 0x77, 0x29, 0xc2, 0xcf, 0x20]);
    let syn = syn_options(SackPermitted::Yes, Some(FastOpenOption::assigned(cookie)));
    let options = Options { syn, timestamps: timestamps(0x883e_0378, 0), ..Options::default() };
    let syn = with_options(segment((47_590, 5_003), SYN, 0x177c_88cc, 0, 64_240), options);
    let syn = Segment { payload: Payload::Bytes(b"hello"[..].into()), ..syn };
    let expected = "b9e6138b177c88cc00000000d002faf000000000020405b40402080a883e0378000000000103030a\
                    220a851a8d7729c2cf20010168656c6c6f";
    assert_eq!(hex(&syn), expected);
}

#[test]
fn a_syn_that_is_answered_with_everything() {
    let syn = syn_options(SackPermitted::Yes, None);
    let options = Options { syn, timestamps: timestamps(0x289c_8dce, 0x883e_0378), ..Options::default() };
    let flags = SYN.with(ACK);
    let segment = segment((5_003, 47_590), flags, 0x6df0_10c2, 0x177c_88d2, 65_160);
    let expected = "138bb9e66df010c2177c88d2a012fe8800000000020405b40402080a289c8dce883e03780103030a";
    assert_eq!(hex(&with_options(segment, options)), expected);
}

#[test]
fn data_with_timestamps() {
    let options = Options { timestamps: timestamps(0x8d8c_4d0e, 0x14c1_5467), ..Options::default() };
    let flags = ACK.with(Flags::PSH);
    let data = with_options(segment((55_840, 5_002), flags, 0x9570_9b1b, 0xba60_e209, 63), options);
    let data = Segment { payload: Payload::Bytes(b"hello"[..].into()), ..data };
    let expected = "da20138a95709b1bba60e2098018003f000000000101080a8d8c4d0e14c1546768656c6c6f";
    assert_eq!(hex(&data), expected);
}

#[test]
fn the_end_of_a_stream_without_options() {
    let end = segment((42_384, 5_000), ACK.with(Flags::FIN), 0x7788_7646, 0x0b27_f26d, 63);
    assert_eq!(hex(&end), "a5901388778876460b27f26d5011003f00000000");
}

#[test]
fn three_selective_blocks_beside_timestamps_fill_the_header() {
    let sack = blocks(&[(0x1f7e_c4f5, 0x1f7e_c527), (0x1f7e_c559, 0x1f7e_c58b), (0x1f7e_c5bd, 0x1f7e_c5ef)]);
    let options = Options { timestamps: timestamps(0xf31e_4671, 0x868f_16f9), sack, ..Options::default() };
    let ack = with_options(segment((6_003, 37_400), ACK, 0x40dd_019b, 0x1f7e_c491, 64), options);
    let expected = "1773921840dd019b1f7ec491f0100040000000000101080af31e4671868f16f9\
                    0101051a1f7ec4f51f7ec5271f7ec5591f7ec58b1f7ec5bd1f7ec5ef";
    assert_eq!(hex(&ack), expected);
}

#[test]
fn selective_blocks_without_timestamps() {
    let sack = blocks(&[(0xa75e_4d78, 0xa75e_4daa), (0xa75e_4ddc, 0xa75e_4e0e)]);
    let options = Options { sack, ..Options::default() };
    let ack = with_options(segment((6_004, 43_916), ACK, 0x2ec4_01b9, 0xa75e_4cb5, 63), options);
    let expected = "1774ab8c2ec401b9a75e4cb5a010003f00000000\
                    01010512a75e4d78a75e4daaa75e4ddca75e4e0e";
    assert_eq!(hex(&ack), expected);
}

#[test]
fn bytes_of_which_only_the_number_is_known_are_zeros() {
    let data = Segment { payload: Payload::Length(3), ..segment((1, 2), ACK, 0, 0, 0) };
    assert_eq!(hex(&data), "0001000200000000000000005010000000000000000000");
}

#[test]
fn each_control_bit_has_its_place_in_the_fourteenth_byte() {
    // RFC 9293 figure 1: CWR, ECE, URG, ACK, PSH, RST, SYN, FIN.
    for (flags, bits) in
        [(Flags::FIN, 1), (SYN, 2), (Flags::RST, 4), (Flags::PSH, 8), (ACK, 16), (Flags::NONE, 0)]
    {
        let mut bytes = Vec::new();
        segment((1, 2), flags, 0, 0, 0).encode(&mut bytes);
        assert_eq!(bytes[13], bits);
    }
}
