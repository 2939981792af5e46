//! ICMP messages about a segment: `icmp unreachable frag_needed mtu 1200 [1:1461(1460)]`.

use crate::packet::Packet;

/// A message as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IcmpPattern {
    /// What it says.
    pub message: IcmpMessage,
    /// Of the link that the segment did not fit through.
    pub mtu: u32,
    /// First sequence number and bytes of the segment that it is about, as the script counts.
    pub about: (u32, u32),
}

/// A message on its way to the endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icmp {
    /// What it says.
    pub message: IcmpMessage,
    /// Of the link that the segment did not fit through.
    pub mtu: u32,
    /// The segment of the endpoint that it is about, with the numbers of the wire.
    pub about: Packet,
}

/// What a message says: its numbers in each version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpMessage {
    /// Type and code in ICMP (RFC 792, RFC 1122 section 3.2.2.1, RFC 1812 section 5.2.7.1), where it has them.
    pub v4: Option<(u8, u8)>,
    /// Type and code in ICMPv6 (RFC 4443 section 3), where it has them.
    pub v6: Option<(u8, u8)>,
}

/// Type and code by their names, with the numbers of ICMP and of ICMPv6. Codes have the names of linux/icmp.h and
/// linux/icmpv6.h in small letters, where scripts may write `unreachable` for `unreach`.
type Row = (&'static str, &'static str, Option<(u8, u8)>, Option<(u8, u8)>);

const MESSAGES: [Row; 27] = [
    ("unreachable", "", Some((3, 0)), Some((1, 0))),
    ("unreachable", "net_unreachable", Some((3, 0)), None),
    ("unreachable", "host_unreachable", Some((3, 1)), None),
    ("unreachable", "protocol_unreachable", Some((3, 2)), None),
    ("unreachable", "port_unreachable", Some((3, 3)), Some((1, 4))),
    ("unreachable", "frag_needed", Some((3, 4)), None),
    ("unreachable", "source_route_failed", Some((3, 5)), None),
    ("unreachable", "net_unknown", Some((3, 6)), None),
    ("unreachable", "host_unknown", Some((3, 7)), None),
    ("unreachable", "source_host_isolated", Some((3, 8)), None),
    ("unreachable", "net_prohibited", Some((3, 9)), None),
    ("unreachable", "host_prohibited", Some((3, 10)), None),
    ("unreachable", "net_unreachable_for_tos", Some((3, 11)), None),
    ("unreachable", "host_unreachable_for_tos", Some((3, 12)), None),
    ("unreachable", "packet_filtered", Some((3, 13)), None),
    ("unreachable", "precedence_violation", Some((3, 14)), None),
    ("unreachable", "precedence_cutoff", Some((3, 15)), None),
    ("unreachable", "no_route", None, Some((1, 0))),
    ("unreachable", "admin_prohibited", Some((3, 13)), Some((1, 1))),
    ("unreachable", "not_neighbour", None, Some((1, 2))),
    ("unreachable", "addr_unreachable", None, Some((1, 3))),
    ("source_quench", "", Some((4, 0)), None),
    ("time_exceeded", "", Some((11, 0)), Some((3, 0))),
    ("time_exceeded", "exc_ttl", Some((11, 0)), Some((3, 0))),
    ("time_exceeded", "exc_fragtime", Some((11, 1)), Some((3, 1))),
    ("parameter_problem", "", Some((12, 0)), Some((4, 0))),
    ("packet_too_big", "", None, Some((2, 0))),
];

impl IcmpMessage {
    /// The message of a type and, where it is not empty, a code; none where no such is known.
    pub fn named(kind: &str, code: &str) -> Option<Self> {
        let is_code = |known: &str| known == code || known.replace("unreachable", "unreach") == code;
        let found = MESSAGES.iter().find(|(known, reason, ..)| *known == kind && is_code(reason));
        found.map(|(_, _, v4, v6)| Self { v4: *v4, v6: *v6 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_numbers_of_both_versions() {
        // RFC 792 and RFC 4443 section 3.1: a port that cannot be reached is 3, 3 and 1, 4.
        let port = IcmpMessage::named("unreachable", "port_unreachable").unwrap();
        assert_eq!((port.v4, port.v6), (Some((3, 3)), Some((1, 4))));
        // RFC 4443 section 3.2: too big a packet is a type of its own in ICMPv6 alone.
        assert_eq!(IcmpMessage::named("packet_too_big", "").unwrap().v6, Some((2, 0)));
        assert_eq!(IcmpMessage::named("unreachable", "frag_needed").unwrap().v6, None);
        assert_eq!(IcmpMessage::named("unreachable", "host_unreach").unwrap().v4, Some((3, 1)));
        assert_eq!(IcmpMessage::named("unreachable", "gone_fishing"), None);
    }
}
