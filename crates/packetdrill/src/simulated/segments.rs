//! Between packets of a script and segments of the endpoint.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::num::NonZeroU16;

use bentpipe_tcp::{
    Cookie, FastOpenForm, FastOpenOption, Flags as SegmentFlags, Options, Payload, SackBlocks, SackPermitted,
    Segment, SeqNumber, SynOptions, Timestamps,
};

use bentpipe_units::Time;

use crate::backend::Captured;
use crate::outcome::Missing;
use crate::packet::{Flags, IpFields, MD5, Packet, TcpOption};
use crate::wire;

/// The headers of a socket that has chosen nothing (`ip_default_ttl`, `hop_limit` of an interface).
pub(super) const UNCHOSEN: IpFields = IpFields { traffic_class: 0, hop_limit: 64 };
/// What a peer takes that announces no segment size (RFC 9293 section 3.7.1).
const DEFAULT_MSS: u16 = 536;

/// A segment of the endpoint as it is on the wire, from a socket with such headers.
pub(super) fn captured(at: Time, segment: &Segment, ip: IpFields) -> Captured {
    let mut bytes = Vec::new();
    segment.encode(&mut bytes);
    let packet = wire::decode_tcp(&bytes).expect("the endpoint writes whole headers");
    let ip = IpFields { traffic_class: ip.traffic_class | segment.ecn, ..ip };
    Captured { at, packet: Packet { ip, ..packet }, segment_bytes: None }
}

/// A packet as the endpoint takes it.
///
/// # Errors
/// For what the endpoint has no words for.
pub(super) fn segment_of(
    packet: &Packet,
    source: Ipv4Addr,
    destination: Ipv4Addr,
) -> Result<Segment, Missing> {
    if packet.flags.contains(Flags::URG) {
        return Err(Missing("urgent data".to_owned()));
    }
    Ok(Segment {
        source: SocketAddrV4::new(source, packet.source_port),
        destination: SocketAddrV4::new(destination, packet.destination_port),
        flags: flags_of(packet.flags),
        seq: SeqNumber(packet.seq),
        ack: SeqNumber(packet.ack),
        window: packet.window,
        options: options_of(packet)?,
        ecn: packet.ip.ecn(),
        gso_size: None,
        payload: Payload::Length(u64::from(packet.length)),
    })
}

/// Whether Linux takes a segment for several of `mss` bytes, with options for payload (`virtio_net_hdr_to_skb`), and
/// that makes a difference.
pub(super) fn is_super_segment(segment: &Segment, mss: NonZeroU16) -> bool {
    let (payload, mss) = (segment.payload.len(), u64::from(mss.get()));
    payload != mss && payload + u64::from(segment.options.wire_len()) > mss
}

fn flags_of(flags: Flags) -> SegmentFlags {
    let pairs = [
        (Flags::FIN, SegmentFlags::FIN),
        (Flags::SYN, SegmentFlags::SYN),
        (Flags::RST, SegmentFlags::RST),
        (Flags::PSH, SegmentFlags::PSH),
        (Flags::ACK, SegmentFlags::ACK),
        (Flags::ECE, SegmentFlags::ECE),
        (Flags::CWR, SegmentFlags::CWR),
    ];
    let set = pairs.into_iter().filter(|(flag, _)| flags.contains(*flag));
    set.fold(SegmentFlags::NONE, |all, (_, flag)| all.with(flag))
}

fn options_of(packet: &Packet) -> Result<Options, Missing> {
    let mut options = Options::default();
    let mut syn =
        SynOptions { mss: DEFAULT_MSS, window_scale: None, sack: SackPermitted::No, fast_open: None };
    for option in &packet.options {
        match option {
            // Hosts without accurate ECN pass over its bit and its option (RFC 9768 sections 3.1.1 and 3.2.3).
            TcpOption::Eol | TcpOption::Nop | TcpOption::AccEcn(..) => {}
            TcpOption::Mss(mss) => syn.mss = *mss,
            TcpOption::WindowScale(shift) => syn.window_scale = Some(*shift),
            TcpOption::SackPermitted => syn.sack = SackPermitted::Yes,
            TcpOption::FastOpen(cookie) => syn.fast_open = fast_open(FastOpenForm::Assigned, cookie),
            TcpOption::FastOpenExperimental(cookie) => {
                syn.fast_open = fast_open(FastOpenForm::Experimental, cookie);
            }
            TcpOption::Timestamps { value, echo } => {
                options.timestamps = Some(Timestamps { value: *value, echo: *echo });
            }
            TcpOption::Sack(blocks) => options.sack = sack_blocks(blocks),
            TcpOption::Other { kind: MD5, .. } => {
                return Err(Missing("signatures (RFC 2385)".to_owned()));
            }
            TcpOption::Other { .. } => return Err(Missing(format!("the TCP option {option}"))),
        }
    }
    options.syn = packet.flags.contains(Flags::SYN).then_some(syn);
    Ok(options)
}

/// None for a cookie that is none, as is the option then for Linux (`tcp_parse_fastopen_option`).
fn fast_open(form: FastOpenForm, cookie: &[u8]) -> Option<FastOpenOption> {
    match cookie {
        [] => Some(FastOpenOption { form, cookie: None }),
        bytes => Cookie::new(bytes).map(|cookie| FastOpenOption { form, cookie: Some(cookie) }),
    }
}

fn sack_blocks(blocks: &[(u32, u32)]) -> SackBlocks {
    let mut all = SackBlocks::default();
    blocks.iter().for_each(|(from, to)| all.push(SeqNumber(*from), SeqNumber(*to)));
    all
}
