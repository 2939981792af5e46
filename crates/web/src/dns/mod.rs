//! Names: a stub resolver in the client, the resolver that it asks, and what they speak.
//!
//! Messages are hickory-proto's; the transports are those of the run, so that a question travels as the page does: UDP
//! (RFC 1035), TLS (RFC 7858), HTTP/2 (RFC 8484) or QUIC (RFC 9250).

mod error;
mod message;
mod resolver;
mod stub;
mod transport;
mod zone;

use std::net::{IpAddr, SocketAddr};

use bentpipe_net::Addresses;
use bentpipe_run::{Algorithm, DnsProtocol, DnsSpec, Http, PageLoadSpec, PageSpec, ResolverPlace, RunSpec};
use hickory_proto::rr::RecordType;

use crate::hosts::Hosts;

pub(crate) use error::LookupError;
use message::{Question, Unusable, read_answer, read_question};
pub use resolver::start_at_terminal;
pub(crate) use resolver::start_beyond;
pub(crate) use stub::Stub;
use zone::Zone;

/// Of senders to and from a resolver: their few bytes fit into any initial window, and every kernel has it.
const CC: Algorithm = Algorithm::Reno;
/// Of DNS over QUIC (RFC 9250 section 4.1.1).
const DOQ_ALPN: &str = "doq";
/// Of DNS over TLS (RFC 7858 section 3.1 says nothing of it, the registry of RFC 7301 has it).
const DOT_ALPN: &str = "dot";
/// Where questions over HTTPS are posted (RFC 8484 section 4.1.1 has it in its examples).
const DOH_PATH: &str = "/dns-query";
/// Of questions and answers over HTTPS (RFC 8484 section 6).
const MEDIA_TYPE: &str = "application/dns-message";
/// A message over a stream has its length before it (RFC 1035 section 4.2.2).
const MOST_BYTES: usize = u16::MAX as usize;

/// The port of a protocol: RFC 1035 section 4.2.1, RFC 7858 section 3.1, RFC 8484 section 4.1, RFC 9250 section 4.1.1.
const fn port(protocol: DnsProtocol) -> u16 {
    match protocol {
        DnsProtocol::Do53 => 53,
        DnsProtocol::Dot | DnsProtocol::Doq => 853,
        DnsProtocol::Doh => 443,
    }
}

/// The resolver's number among the hosts of a run, after those of the page.
fn number(page: &Hosts) -> usize {
    page.names().len()
}

/// Where a client at `client` whose page is at `origin` finds its resolver.
fn resolver_at(dns: &DnsSpec, page: &Hosts, client: IpAddr, origin: IpAddr) -> SocketAddr {
    let address = match dns.resolver {
        // Its own, for HTTPS of the page's hosts is at theirs.
        ResolverPlace::Gateway => Hosts::address(origin, number(page)),
        ResolverPlace::Terminal => client,
    };
    SocketAddr::new(address, port(dns.protocol))
}

/// The run as a connection to a resolver sees it: its handshakes are full, and nothing of it is known from before.
fn spec_of_resolver(run: &RunSpec) -> RunSpec {
    RunSpec { tls: None, resume: None, cc: CC, ..run.clone() }
}

/// See [`crate::fuzzing::dns`]: the first two bytes are the number of the question.
pub(crate) fn fuzz(input: &[u8]) {
    let Some((id, bytes)) = input.split_first_chunk() else { return };
    let id = u16::from_be_bytes(*id);
    for kind in [RecordType::A, RecordType::AAAA, RecordType::HTTPS] {
        let question = Question::new(crate::HOST, kind).expect("the name of a host");
        let _ = read_answer(bytes, id, &question);
    }
    let Some((id, question)) = read_question(bytes) else { return };
    let page = PageSpec::new("page", []);
    let zone = Zone::of(&PageLoadSpec::new(Http::H3, 1, page), Addresses::STANDARD.server.into());
    let answer = zone.answer(id, &question);
    let is_answered = match read_answer(&answer, id, &question) {
        Ok(_) | Err(Unusable::Failed(LookupError::Refused(_))) => true,
        Err(_) => false,
    };
    assert!(is_answered, "{question:?}: {answer:?}");
}
