//! Names in virtual time: what asking for them costs a page.

use crate::common;
use crate::sample::{half_of, sample};
use bentpipe_run::{
    DnsProtocol, DnsSpec, Http, LossSpec, ObjectSpec, PageLoadSpec, PageSpec, Reason, ResolverCache,
    ResolverConnection, ResolverPlace, RunRecord, RunSpec, Status, Visit, Workload,
};
use bentpipe_sim::Content;
use bentpipe_units::{Bytes, Duration, Rate};

const ROUND_TRIP: Duration = Duration::from_millis(500);
/// A fifth of a round trip.
const RECURSION: Duration = Duration::from_millis(100);
/// What transmission may add, as a fraction of the round trip.
const TOLERANCE: f64 = 0.02;

use DnsProtocol::{Do53, Doh, Doq, Dot};
use ResolverCache::{Cold, Warm};
use ResolverPlace::{Gateway, Terminal};

fn dns(protocol: DnsProtocol, resolver: ResolverPlace, cache: ResolverCache) -> DnsSpec {
    let recursion_ns = (resolver == Gateway && cache == Cold).then_some(RECURSION);
    DnsSpec { protocol, resolver, cache, recursion_ns, connection: ResolverConnection::Cold }
}

fn page(objects: impl IntoIterator<Item = Option<&'static str>>) -> PageSpec {
    let objects = objects.into_iter().enumerate().map(|(number, host)| ObjectSpec {
        host: host.map(str::to_owned),
        ..ObjectSpec::new(format!("/{number}.jpg"), Bytes::new(500))
    });
    PageSpec::new("tiny", objects)
}

fn spec(http: Http, dns: Option<DnsSpec>, page: PageSpec) -> RunSpec {
    let mut spec = sample();
    let rate_bps = Rate::from_bps(1_000_000_000);
    spec.link.forward = half_of(ROUND_TRIP, rate_bps, rate_bps.volume_in(ROUND_TRIP));
    spec.link.return_ = spec.link.forward.clone();
    spec.workload = Workload::PageLoad(PageLoadSpec::new(http, 6, page));
    spec.dns = dns;
    spec
}

fn loaded(spec: &RunSpec) -> RunRecord {
    let record = common::record(spec, Content::Length);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{:?}", spec.dns);
    record
}

fn round_trips(seconds: f64) -> f64 {
    seconds / ROUND_TRIP.as_secs_f64()
}

#[track_caller]
fn assert_trips(found: f64, expected: f64, what: &str) {
    assert!((0.0..TOLERANCE).contains(&(found - expected)), "{what}: {found} round trips, not {expected}");
}

/// Of a page whose names are known: TCP, TLS 1.3, the request; HTTP/3 has the first two in one.
const PAGES: [(Http, f64); 4] = [(Http::H1, 2.0), (Http::H1s, 3.0), (Http::H2, 3.0), (Http::H3, 2.0)];

/// What the first name costs on a connection that is opened for it: UDP asks at once; TLS has TCP and its own handshake
/// before the question, HTTP/2 adds none as its settings are not waited for (RFC 9113 section 3.4); QUIC has both in one.
const OPENED: [(DnsProtocol, f64); 4] = [(Do53, 1.0), (Dot, 3.0), (Doh, 3.0), (Doq, 2.0)];

#[test]
fn the_first_byte_waits_for_the_name_by_the_closed_form() {
    for (http, of_page) in PAGES {
        for (protocol, opened) in OPENED {
            for (place, cache, of_name) in [
                (Gateway, Warm, opened),
                // The resolver's own way is its own time.
                (Gateway, Cold, opened + round_trips(RECURSION.as_secs_f64())),
                // The client's side has no delay.
                (Terminal, Warm, 0.0),
                // One question over the satellite.
                (Terminal, Cold, 1.0),
            ] {
                let record = loaded(&spec(http, Some(dns(protocol, place, cache)), page([None])));
                let what = format!("{http:?} {protocol:?} {place:?} {cache:?}");
                assert_trips(round_trips(record.metrics.ttfb_s.unwrap()), of_page + of_name, &what);
                let waited = record.client_connections[0].name_lookup.unwrap_or(Duration::ZERO);
                assert_trips(round_trips(waited.as_secs_f64()), of_name, &what);
            }
        }
    }
}

#[test]
fn a_connection_that_stands_costs_one_round_trip_for_each_name() {
    for (protocol, _) in OPENED {
        let dns = DnsSpec { connection: ResolverConnection::Warm, ..dns(protocol, Gateway, Warm) };
        let record = loaded(&spec(Http::H2, Some(dns), page([None])));
        assert_trips(round_trips(record.metrics.ttfb_s.unwrap()), 3.0 + 1.0, &format!("{protocol:?}"));
    }
}

#[test]
fn further_hosts_cost_a_round_trip_each_at_once_over_the_connection_of_the_first() {
    // The document names all of them at the same time.
    let hosts = || page([Some("a.example"), Some("b.example"), Some("c.example"), Some("a.example")]);
    for (protocol, _) in OPENED {
        let record = loaded(&spec(Http::H2, Some(dns(protocol, Gateway, Warm)), hosts()));
        assert_eq!(record.client_connections.len(), 4);
        for connection in &record.client_connections[1..] {
            let waited = connection.name_lookup.unwrap().as_secs_f64();
            assert_trips(round_trips(waited), 1.0, &format!("{protocol:?}"));
        }
    }
}

#[test]
fn all_connections_to_a_host_wait_for_one_answer() {
    let record = loaded(&spec(Http::H1s, Some(dns(Do53, Gateway, Warm)), page([Some("a.example"); 6])));
    let waits: Vec<_> = record.client_connections[1..].iter().map(|it| it.name_lookup).collect();
    assert_eq!(waits.len(), 6);
    assert!(waits[0].is_some() && waits.iter().all(|wait| *wait == waits[0]), "{waits:?}");
}

#[test]
fn who_was_here_before_knows_the_names() {
    let mut known = spec(Http::H2, None, page([Some("a.example")]));
    let Workload::PageLoad(load) = &mut known.workload else { unreachable!() };
    load.visit = Some(Visit::Repeat);
    let asked = RunSpec { dns: Some(dns(Doh, Gateway, Cold)), ..known.clone() };
    assert_eq!(loaded(&asked).metrics.ttfb_s, loaded(&known).metrics.ttfb_s);
}

/// The sample load of a run whose return link loses packets.
fn lossy(protocol: DnsProtocol, p: f64, seed: u64) -> RunRecord {
    let mut spec = spec(Http::H2, Some(dns(protocol, Gateway, Warm)), page([None]));
    spec.link.return_.loss = LossSpec::Bernoulli { p };
    spec.seed = seed;
    common::record(&spec, Content::Length)
}

#[test]
fn a_lost_question_is_asked_again_after_the_stub_s_five_seconds() {
    // resolv.conf(5): `timeout:5`. Where the question for an IPv6 address is lost, the client waits 50 ms longer than for
    // the other one (RFC 8305 section 8).
    let mut waits: Vec<_> = (0..30)
        .filter_map(|seed| lossy(Do53, 0.2, seed).client_connections.first()?.name_lookup)
        .map(|wait| wait.as_nanos() / 10_000_000)
        .collect();
    waits.sort_unstable();
    waits.dedup();
    assert_eq!(waits, [50, 55, 550], "hundredths of a second");
}

#[test]
fn a_resolver_that_is_not_reached_in_two_attempts_fails_the_load_and_says_so() {
    // resolv.conf(5): `attempts:2`.
    let record = lossy(Do53, 1.0, 1);
    assert_eq!(record.status, Status::Failed);
    let error = "name lookup: the resolver has not answered in 2 attempts".to_owned();
    assert_eq!(record.reasons[0], Reason::FetchFailed { object: "/".to_owned(), error });
}

#[test]
fn a_lost_question_on_a_connection_is_the_business_of_its_transport() {
    for protocol in [Dot, Doh, Doq] {
        for seed in 0..10 {
            let record = lossy(protocol, 0.2, seed);
            assert_eq!(record.status, Status::Succeeded, "{protocol:?} {seed}: {:?}", record.reasons);
        }
    }
}

#[test]
fn a_run_with_names_is_the_same_each_time() {
    for (protocol, _) in OPENED {
        let spec = spec(Http::H3, Some(dns(protocol, Gateway, Cold)), page([Some("a.example")]));
        let once = serde_json::to_string(&loaded(&spec)).unwrap();
        assert!(once == serde_json::to_string(&loaded(&spec)).unwrap(), "{protocol:?}");
    }
}
