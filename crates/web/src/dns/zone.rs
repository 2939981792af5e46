//! What is to be known of a page's hosts.

use std::net::IpAddr;

use bentpipe_run::{Http, PageLoadSpec};
use hickory_proto::op::{Edns, Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::svcb::{Alpn, SvcParamKey, SvcParamValue};
use hickory_proto::rr::rdata::{HTTPS, SOA, SVCB};
use hickory_proto::rr::{Name, RData, Record, RecordType};

use super::message::{Question, UDP_BYTES};
use crate::hosts::Hosts;

/// How long answers are good for, that there is nothing included (RFC 2308 section 5): longer than a load and a visit
/// before it.
pub(super) const TTL_S: u32 = 300;

/// The records of a page's hosts.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    hosts: Vec<(Name, IpAddr)>,
    /// What HTTPS is spoken with, the best first; nothing of a page in clear text.
    protocols: Vec<String>,
}

impl Zone {
    /// Of the hosts of a page, the first of which is at `origin`.
    pub(super) fn of(load: &PageLoadSpec, origin: IpAddr) -> Self {
        let hosts = Hosts::of_page(&load.page);
        let named = hosts.remotes(origin).filter_map(|remote| {
            // What is no name is never asked for.
            let question = Question::new(&remote.name, RecordType::A).ok()?;
            Some((question.name, remote.address))
        });
        Self { hosts: named.collect(), protocols: protocols(load.http) }
    }

    /// The answer to a question, as a resolver gives it.
    pub(super) fn answer(&self, id: u16, question: &Question) -> Vec<u8> {
        let mut message = response(id, question);
        match self.hosts.iter().find(|(name, _)| *name == question.name) {
            None => message.metadata.response_code = ResponseCode::NXDomain,
            Some((name, address)) => match self.record(question.kind, name, *address) {
                Some(data) => _ = message.add_answer(Record::from_rdata(name.clone(), TTL_S, data)),
                None => _ = message.add_authority(nothing_else(name)),
            },
        }
        written(&message)
    }

    fn record(&self, kind: RecordType, name: &Name, address: IpAddr) -> Option<RData> {
        match (kind, address) {
            (RecordType::A, IpAddr::V4(address)) => Some(RData::A(address.into())),
            (RecordType::AAAA, IpAddr::V6(address)) => Some(RData::AAAA(address.into())),
            (RecordType::HTTPS, _) if !self.protocols.is_empty() => {
                let alpn = SvcParamValue::Alpn(Alpn(self.protocols.clone()));
                // Priority 1 and the name itself: RFC 9460 section 2.4.3.
                let service = SVCB::new(1, name.clone(), vec![(SvcParamKey::Alpn, alpn)]);
                Some(RData::HTTPS(HTTPS(service)))
            }
            _ => None,
        }
    }
}

/// The answer of a resolver that has got none itself: SERVFAIL (RFC 1035 section 4.1.1).
pub(super) fn server_failure(id: u16, question: &Question) -> Vec<u8> {
    let mut message = response(id, question);
    message.metadata.response_code = ResponseCode::ServFail;
    written(&message)
}

/// An answer that says nothing yet.
fn response(id: u16, question: &Question) -> Message {
    let mut message = Message::new(id, MessageType::Response, OpCode::Query);
    message.metadata.recursion_desired = true;
    message.metadata.recursion_available = true;
    message.add_query(Query::query(question.name.clone(), question.kind));
    let mut edns = Edns::new();
    edns.set_max_payload(UDP_BYTES);
    message.set_edns(edns);
    message
}

fn written(message: &Message) -> Vec<u8> {
    message.to_vec().expect("names that were read can be written")
}

/// What tells that a name has no such record, and for how long (RFC 2308 section 3).
fn nothing_else(name: &Name) -> Record {
    let soa = SOA::new(name.clone(), name.clone(), 1, 3600, 600, 86_400, TTL_S);
    Record::from_rdata(name.clone(), TTL_S, RData::SOA(soa))
}

/// A host with HTTP/3 has HTTP/2 as well, for those that UDP does not reach.
fn protocols(http: Http) -> Vec<String> {
    let known: &[&str] = match http {
        Http::H3 => &["h3", "h2"],
        Http::H2 => &["h2"],
        // HTTP/1.1 is the default of the record (RFC 9460 section 7.1.2), and what came before has none.
        Http::Http10s | Http::H1s | Http::Spdy | Http::Http10 | Http::H1 | Http::H2c => &[],
    };
    known.iter().map(|&protocol| protocol.to_owned()).collect()
}
