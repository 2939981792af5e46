//! Questions and answers (RFC 1035 section 4), on hickory-proto.

use std::net::IpAddr;

use hickory_proto::op::{Edns, Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::svcb::SvcParamValue;
use hickory_proto::rr::{DNSClass, Name, RData, RecordType};

use super::error::LookupError;

/// What a client takes in a datagram (RFC 6891 section 6.2.3): what no path fragments (DNS flag day 2020).
pub(super) const UDP_BYTES: u16 = 1232;

/// One question: a name and what is to be known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The name, which has no case.
    pub(super) name: Name,
    pub(super) kind: RecordType,
}

/// What the answer to a question has of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The first address.
    Address(IpAddr),
    /// The application protocols of a service (RFC 9460 section 7.1).
    Protocols(Vec<String>),
    /// There is nothing of that kind (RFC 2308 section 2.2).
    Nothing,
}

/// Why a message is no answer.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// It is no message, or one that answers another question: somebody else's (RFC 5452 section 4).
    Foreign,
    /// It is the answer, and bad news.
    Failed(LookupError),
}

impl Question {
    pub(super) fn new(name: &str, kind: RecordType) -> Result<Self, LookupError> {
        let mut full = Name::from_ascii(name).map_err(|_| LookupError::Name(name.to_owned()))?;
        full.set_fqdn(true);
        Ok(Self { name: full, kind })
    }

    /// The message that asks it.
    pub(super) fn message(&self, id: u16) -> Vec<u8> {
        let mut message = Message::new(id, MessageType::Query, OpCode::Query);
        message.metadata.recursion_desired = true;
        message.add_query(Query::query(self.name.clone(), self.kind));
        let mut edns = Edns::new();
        edns.set_max_payload(UDP_BYTES);
        message.set_edns(edns);
        message.to_vec().expect("a name that was read can be written")
    }

    fn is_that_of(&self, message: &Message) -> bool {
        let [query] = &message.queries[..] else { return false };
        query.name() == &self.name && query.query_type() == self.kind && query.query_class() == DNSClass::IN
    }
}

/// Reads what has come as the answer to `question` that was asked as number `id`.
pub(crate) fn read_answer(bytes: &[u8], id: u16, question: &Question) -> Result<Answer, Unusable> {
    let message = Message::from_vec(bytes).map_err(|_| Unusable::Foreign)?;
    let head = &message.metadata;
    let is_ours =
        head.id == id && head.message_type == MessageType::Response && head.op_code == OpCode::Query;
    if !is_ours || !question.is_that_of(&message) {
        return Err(Unusable::Foreign);
    }
    if head.truncation {
        return Err(Unusable::Failed(LookupError::Truncated));
    }
    if head.response_code != ResponseCode::NoError {
        return Err(Unusable::Failed(LookupError::Refused(head.response_code.to_string())));
    }
    let of_name = message.answers.iter().filter(|record| record.name == question.name);
    let mut of_kind = of_name.filter(|record| record.record_type() == question.kind);
    Ok(of_kind.find_map(|record| of_use(&record.data)).unwrap_or(Answer::Nothing))
}

fn of_use(data: &RData) -> Option<Answer> {
    match data {
        RData::A(address) => Some(Answer::Address(address.0.into())),
        RData::AAAA(address) => Some(Answer::Address(address.0.into())),
        RData::HTTPS(service) => service.svc_params.iter().find_map(|(_, value)| match value {
            SvcParamValue::Alpn(alpn) => Some(Answer::Protocols(alpn.0.clone())),
            _ => None,
        }),
        _ => None,
    }
}

/// Reads a question as a resolver gets it: its number and what it asks. What is no question of the usual kind is nobody's.
pub(crate) fn read_question(bytes: &[u8]) -> Option<(u16, Question)> {
    let message = Message::from_vec(bytes).ok()?;
    let head = &message.metadata;
    let [query] = &message.queries[..] else { return None };
    let is_usual = head.message_type == MessageType::Query
        && head.op_code == OpCode::Query
        && query.query_class() == DNSClass::IN;
    is_usual.then(|| (head.id, Question { name: query.name().clone(), kind: query.query_type() }))
}
