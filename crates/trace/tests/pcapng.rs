//! Captures read back by the library's own reader: same packets, stamps and secrets.

use std::time::Duration;

use bentpipe_trace::WallClock;
use bentpipe_trace::pcapng::{Capture, Interface, insert_secrets};
use bentpipe_units::Time;
use pcap_file::DataLink;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};
use proptest::prelude::*;

const NOON: WallClock = WallClock::from_unix_nanos(1_772_366_400_000_000_000);
const LINE: &str = "CLIENT_RANDOM 00ff 11ee";

type Packet = (Interface, u64, Vec<u8>);

fn capture(packets: &[Packet]) -> Vec<u8> {
    let mut capture = Capture::new(Vec::new(), NOON).unwrap();
    for (interface, at, bytes) in packets {
        capture.packet(*interface, Time::from_nanos(*at), bytes).unwrap();
    }
    capture.into_inner()
}

fn blocks(file: &[u8]) -> Vec<Block<'static>> {
    let mut reader = PcapNgReader::new(file).unwrap();
    let mut blocks = Vec::new();
    while let Some(block) = reader.next_block() {
        blocks.push(block.unwrap().into_owned());
    }
    blocks
}

fn packets(blocks: &[Block<'_>]) -> Vec<(u32, Duration, u32, Vec<u8>)> {
    blocks
        .iter()
        .filter_map(|block| block.clone().into_enhanced_packet())
        .map(|packet| (packet.interface_id, packet.timestamp, packet.original_len, packet.data.into_owned()))
        .collect()
}

/// Position and padded body of the first Decryption Secrets Block.
fn secrets(blocks: &[Block<'_>]) -> Option<(usize, Vec<u8>)> {
    blocks.iter().enumerate().find_map(|(position, block)| match block {
        Block::Unknown(block) if block.type_ == 0x0A => Some((position, block.value.to_vec())),
        _ => None,
    })
}

#[test]
fn a_capture_has_a_client_and_a_server_interface_of_raw_ip_in_nanoseconds() {
    let interface = |name: &'static str| {
        Block::InterfaceDescription(InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: 0,
            options: vec![
                InterfaceDescriptionOption::IfName(name.into()),
                InterfaceDescriptionOption::IfTsResol(9),
            ],
        })
    };
    assert_eq!(blocks(&capture(&[])), [interface("client"), interface("server")]);
    assert_eq!(u32::from(DataLink::RAW), 101, "LINKTYPE_RAW");
}

#[test]
fn a_packet_is_stamped_with_the_wall_clock_to_the_nanosecond() {
    let file = capture(&[(Interface::Server, 265_000_001, vec![0x45; 3])]);
    let stamp = Duration::from_nanos(1_772_366_400_265_000_001);
    assert_eq!(packets(&blocks(&file)), [(1, stamp, 3, vec![0x45; 3])]);
}

#[test]
fn secrets_are_a_decryption_secrets_block_of_tls_key_log_lines() {
    let mut capture = Capture::new(Vec::new(), NOON).unwrap();
    capture.secrets(&[LINE, LINE]).unwrap();
    let (_, body) = secrets(&blocks(&capture.into_inner())).unwrap();
    // pcapng section 4.7, little-endian: "TLSK" as a number, length without padding, data, padding to 32 bits.
    let data = format!("{LINE}\n{LINE}\n");
    assert_eq!(body[..4], [0x4b, 0x53, 0x4c, 0x54]);
    assert_eq!(body[4..8], 48u32.to_le_bytes());
    assert_eq!(&body[8..], data.as_bytes());
}

#[test]
fn secrets_that_come_last_are_inserted_before_the_first_packet() {
    let plain = capture(&[(Interface::Client, 1, vec![1]), (Interface::Server, 2, vec![2])]);
    let mut file = Vec::new();
    insert_secrets(&plain[..], &[LINE], &mut file).unwrap();
    let (with, without) = (blocks(&file), blocks(&plain));
    assert_eq!(secrets(&with).unwrap().0, 2, "after the two interfaces");
    assert_eq!(packets(&with), packets(&without));
    assert_eq!(with[..2], without[..2]);
}

#[test]
fn secrets_are_inserted_into_a_capture_without_packets() {
    let mut file = Vec::new();
    insert_secrets(&capture(&[])[..], &[LINE], &mut file).unwrap();
    assert_eq!(secrets(&blocks(&file)).unwrap().0, 2);
}

#[test]
fn a_clear_text_run_without_secrets_keeps_its_capture_byte_for_byte() {
    let plain = capture(&[(Interface::Client, 1, vec![1, 2, 3])]);
    let mut file = Vec::new();
    insert_secrets(&plain[..], &[""; 0], &mut file).unwrap();
    assert_eq!(file, plain);
}

#[test]
fn a_capture_that_was_cut_off_is_an_error() {
    let plain = capture(&[(Interface::Client, 1, vec![1, 2, 3])]);
    let error = insert_secrets(&plain[..plain.len() - 1], &[LINE], Vec::new()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
}

fn any_packet() -> impl Strategy<Value = Packet> {
    let interface = prop_oneof![Just(Interface::Client), Just(Interface::Server)];
    (interface, 0..1u64 << 60, prop::collection::vec(any::<u8>(), 0..1600))
}

proptest! {
    #[test]
    fn any_packets_and_secrets_read_back_as_written(
        sent in prop::collection::vec(any_packet(), 0..20),
        lines in prop::collection::vec("[A-Z_]{1,30} [0-9a-f]{1,64} [0-9a-f]{1,96}", 1..8),
    ) {
        let mut file = Vec::new();
        insert_secrets(&capture(&sent)[..], &lines, &mut file).unwrap();
        let blocks = blocks(&file);
        let expected: Vec<_> = sent
            .into_iter()
            .map(|(interface, at, bytes)| {
                let stamp = Duration::from_nanos(NOON.as_unix_nanos() + at);
                (interface as u32, stamp, bytes.len() as u32, bytes)
            })
            .collect();
        prop_assert_eq!(packets(&blocks), expected);
        let (_, body) = secrets(&blocks).unwrap();
        let length = u32::from_le_bytes(body[4..8].try_into().unwrap()) as usize;
        let key_log = format!("{}\n", lines.join("\n"));
        prop_assert_eq!(&body[8..8 + length], key_log.as_bytes());
        prop_assert!(body[8 + length..].iter().all(|padding| *padding == 0));
    }
}
