//! Resolvers that answer nonsense, or nothing.

use bentpipe_http::tls::{Acceptor, Identity, TlsSettings};
use bentpipe_net::testing::{ADDRESS, MemoryNet};
use bentpipe_net::{Datagrams, Listener, Net};
use bentpipe_run::{
    ClientReport, DnsProtocol, DnsSpec, Http, Reason, ResolverCache, ResolverConnection, ResolverPlace,
    RunSpec, Transport, Workload,
};
use bentpipe_units::Duration;
use bentpipe_web::{HOST, RESOLVER, fuzzing, loader};
use hickory_proto::op::{Message, MessageType, Query, ResponseCode};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use proptest::prelude::*;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::common::{client, page_load, start_origin};

const DNS: DnsSpec = DnsSpec {
    protocol: DnsProtocol::Do53,
    // In memory there is one address alone.
    resolver: ResolverPlace::Terminal,
    cache: ResolverCache::Warm,
    recursion_ns: None,
    connection: ResolverConnection::Cold,
};

fn run_of(protocol: DnsProtocol) -> (RunSpec, Identity) {
    let (mut spec, _) = page_load(Http::H1);
    spec.dns = Some(DnsSpec { protocol, ..DNS });
    // Its own resolver would be where that of the test is.
    (spec, Identity::from_seed(&[HOST, RESOLVER], 1).unwrap())
}

/// The page's address, as its answer has it.
fn answer_to(question: &Message) -> Message {
    let mut answer = Message::response(question.metadata.id, question.metadata.op_code);
    let query = question.queries[0].clone();
    if let (RecordType::A, std::net::IpAddr::V4(address)) = (query.query_type(), ADDRESS) {
        answer.add_answer(Record::from_rdata(query.name().clone(), 300, RData::A(address.into())));
    }
    answer.add_query(query);
    answer
}

/// What is no answer to the question whose answer is `answer`.
fn nonsense(answer: &Message) -> Vec<Vec<u8>> {
    let changed = |change: &dyn Fn(&mut Message)| {
        let mut changed = answer.clone();
        change(&mut changed);
        changed.to_vec().unwrap()
    };
    let other = Name::from_ascii("other.example.").unwrap();
    let whole = answer.to_vec().unwrap();
    let mut loop_ = whole.clone();
    // The name of the question points to itself (RFC 1035 section 4.1.4).
    loop_[12..14].copy_from_slice(&[0xC0, 0x0C]);
    let mut all = vec![
        changed(&|message| message.metadata.id = message.metadata.id.wrapping_add(1)),
        changed(&|message| message.metadata.message_type = MessageType::Query),
        changed(&|message| message.queries = vec![Query::query(other.clone(), RecordType::A)]),
        changed(&|message| {
            message.queries[0] = Query::query(message.queries[0].name().clone(), RecordType::TXT)
        }),
        changed(&|message| message.queries = Vec::new()),
        changed(&|message| message.queries.push(message.queries[0].clone())),
        loop_,
        vec![0xFF; 1200],
    ];
    all.extend((0..whole.len()).map(|length| whole[..length].to_vec()));
    all
}

/// What a client reports whose resolver sends these messages for each question.
fn loaded_over_udp(answers: impl Fn(&Message) -> Vec<Vec<u8>> + 'static) -> ClientReport {
    MemoryNet::run(move |net| async move {
        let (spec, identity) = run_of(DnsProtocol::Do53);
        let origin_spec = RunSpec { dns: None, ..spec.clone() };
        let _origin = start_origin(&net, &origin_spec, &identity);
        let socket = net.datagrams(SocketAddr::new(ADDRESS, 53), spec.mark()).unwrap();
        net.spawn(async move {
            let mut buffer = [0; 1232];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
                let question = Message::from_vec(&buffer[..length]).unwrap();
                for answer in answers(&question) {
                    socket.send_to(&answer, from).await.unwrap();
                }
            }
        });
        let Workload::PageLoad(load) = spec.workload.clone() else { unreachable!() };
        loader::load(&net, client(&spec, &identity), load).await
    })
}

fn failed(report: &ClientReport) -> &str {
    match &report.faults[..] {
        [Reason::FetchFailed { error, .. }] => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nonsense_before_an_answer_is_ignored() {
    let report = loaded_over_udp(|question| {
        let answer = answer_to(question);
        let mut all = nonsense(&answer);
        all.push(answer.to_vec().unwrap());
        all
    });
    assert_eq!((report.faults.len(), report.doubts.len(), report.objects.len()), (0, 0, 2));
    assert!(report.connections[0].name_lookup.is_some_and(|wait| wait < Duration::from_secs(1)));
}

#[test]
fn nonsense_alone_is_no_answer() {
    let report = loaded_over_udp(|question| nonsense(&answer_to(question)));
    assert_eq!(failed(&report), "name lookup: the resolver has not answered in 2 attempts");
}

#[test]
fn bad_news_are_told_as_the_resolver_says_them() {
    type Change = fn(&mut Message);
    let cases: [(Change, &str); 4] = [
        (|message| message.metadata.response_code = ResponseCode::NXDomain, "Non-Existent Domain"),
        (|message| message.metadata.response_code = ResponseCode::ServFail, "Server Failure"),
        (|message| message.metadata.truncation = true, "truncated"),
        (|message| message.answers.clear(), "the name has no address"),
    ];
    for (change, expected) in cases {
        let report = loaded_over_udp(move |question| {
            let mut answer = answer_to(question);
            change(&mut answer);
            vec![answer.to_vec().unwrap()]
        });
        assert!(failed(&report).contains(expected), "{}", failed(&report));
    }
}

/// What a client reports whose resolver over TLS sends these messages for each question, then ends the connection.
fn loaded_over_tls(answers: impl Fn(&Message) -> Vec<Vec<u8>> + 'static) -> ClientReport {
    MemoryNet::run(move |net| async move {
        let (spec, identity) = run_of(DnsProtocol::Dot);
        let origin_spec = RunSpec { dns: None, ..spec.clone() };
        let _origin = start_origin(&net, &origin_spec, &identity);
        let settings = TlsSettings::of(&spec, Transport::Tcp).unwrap();
        let acceptor = Acceptor::new(settings, &identity, 1, &["dot"], None).unwrap();
        let mut listener = net.listen(SocketAddr::new(ADDRESS, 853), spec.cc, spec.mark()).unwrap();
        net.spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = acceptor.accept(stream, |_| {}).await.unwrap().stream;
            let mut question = vec![0; usize::from(stream.read_u16().await.unwrap())];
            stream.read_exact(&mut question).await.unwrap();
            for answer in answers(&Message::from_vec(&question).unwrap()) {
                stream.write_u16(answer.len() as u16).await.unwrap();
                stream.write_all(&answer).await.unwrap();
            }
            stream.shutdown().await.unwrap();
        });
        let Workload::PageLoad(load) = spec.workload.clone() else { unreachable!() };
        loader::load(&net, client(&spec, &identity), load).await
    })
}

#[test]
fn on_a_connection_answers_to_nobody_are_ignored_and_its_end_is_told() {
    let report = loaded_over_tls(|question| {
        let mut foreign = answer_to(question);
        foreign.metadata.id = foreign.metadata.id.wrapping_add(1);
        vec![foreign.to_vec().unwrap()]
    });
    assert_eq!(failed(&report), "name lookup: the resolver has closed the connection");
}

#[test]
fn on_a_connection_nonsense_with_the_right_number_is_told() {
    let report = loaded_over_tls(|question| {
        let mut garbage = question.metadata.id.to_be_bytes().to_vec();
        garbage.extend([0xFF; 100]);
        vec![garbage]
    });
    assert_eq!(failed(&report), "name lookup: the resolver's answer is none to the question");
}

/// The seeds of the fuzz target: questions and answers, one of them in a loop.
const SEEDS: [&[u8]; 5] = [
    include_bytes!("../../fuzz/seeds/dns/question-https.dns"),
    include_bytes!("../../fuzz/seeds/dns/answer-a.dns"),
    include_bytes!("../../fuzz/seeds/dns/answer-https.dns"),
    include_bytes!("../../fuzz/seeds/dns/answer-nxdomain.dns"),
    include_bytes!("../../fuzz/seeds/dns/compression-loop.dns"),
];

proptest! {
    #[test]
    fn whatever_bytes_change_in_a_message_both_ends_live_on(
        seed in 0..SEEDS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = SEEDS[seed].to_vec();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        fuzzing::dns(&bytes);
        fuzzing::dns(&bytes[..length.index(bytes.len())]);
    }
}
