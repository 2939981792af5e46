//! Pages of several hosts, whose style sheets and scripts name what comes next, in virtual time.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::sample::{sample, without_chance};
use bentpipe_run::{
    Algorithm, Engine, FileSpec, Handshake, Http, ObjectKind, ObjectSpec, ObjectTiming, PageLoadSpec,
    PageSpec, PepPlace, PepSpec, Provenance, ProxySpec, Resumption, RunRecord, RunSpec, SplitSpec, Status,
    Switch, TlsSpec, TlsVersion, Visit, Workload, assemble,
};
use bentpipe_sim::{Config, simulate};
use bentpipe_units::{Bytes, Duration, Rate};
use bentpipe_web::page::{Files, Sites};

const OWN: &str = "www.news.example";
const HOSTS: usize = 5;

/// An object with its host, unless that is the page's own, and what names it, unless that is the document.
fn object(
    kind: ObjectKind,
    host: Option<&str>,
    path: &str,
    after: Option<usize>,
    wait_ms: u64,
) -> ObjectSpec {
    ObjectSpec {
        host: host.map(str::to_owned),
        kind,
        after,
        wait_ns: (wait_ms > 0).then(|| Duration::from_millis(wait_ms)),
        ..ObjectSpec::new(path, Bytes::new(3_000))
    }
}

fn news() -> PageSpec {
    use ObjectKind::{Font, Image, Other, Script, Style};
    let (cdn, images, api) = (Some("cdn.example"), Some("images.example"), Some("api.example"));
    let objects = [
        object(Style, None, "/style.css", None, 0),
        object(Script, cdn, "/app.js?v=2", None, 0),
        object(Image, Some(OWN), "/hero.jpg", None, 0),
        object(Font, cdn, "/text.woff2", None, 0),
        object(Image, images, "/background.jpg", Some(0), 0),
        object(Font, cdn, "/heading.woff2", Some(0), 0),
        object(Style, images, "/imported.css", Some(0), 0),
        object(Image, images, "/of-imported.jpg", Some(6), 0),
        object(Image, images, "/late.jpg", Some(1), 200),
        object(Other, api, "/articles?page=1", Some(1), 0),
        object(Script, Some("ads.example"), "/ads.js", Some(1), 50),
        object(Style, None, "/of-ads.css", Some(10), 0),
        object(Font, cdn, "/of-ads.woff2", Some(10), 1_500),
        object(Other, None, "/beacon", None, 300),
    ];
    PageSpec { host: Some(OWN.to_owned()), ..PageSpec::new("news", objects) }
}

/// A load over 10 Mbit/s and 530 ms without losses, whose queue holds whatever comes.
fn load(http: Http, page: PageSpec) -> RunSpec {
    let mut spec = sample();
    spec.cc = Algorithm::Cubic;
    without_chance(&mut spec, Rate::from_bps(10_000_000));
    spec.workload = Workload::PageLoad(PageLoadSpec::new(http, 6, page));
    spec
}

fn record_of(spec: &RunSpec) -> RunRecord {
    let reports = simulate(spec, &Config::new(Instant::now())).unwrap();
    assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports)
}

fn loaded(spec: &RunSpec) -> RunRecord {
    let record = record_of(spec);
    assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
    record
}

fn url(http: Http, page: &PageSpec, object: &ObjectSpec) -> String {
    let scheme = if http.is_tls() { "https" } else { "http" };
    let host = object.host.as_ref().or(page.host.as_ref()).unwrap();
    format!("{scheme}://{host}{}", object.path)
}

fn host(object: &ObjectTiming) -> &str {
    object.url.split('/').nth(2).unwrap()
}

/// What a program waits for is due at a tick of tokio's, a millisecond, and seen within another (`epoll_wait`).
const TICKS_S: f64 = 0.002;

fn is_late_by(found_s: f64, most_s: f64) -> bool {
    (-1e-9..most_s + 1e-9).contains(&found_s)
}

fn timing<'a>(record: &'a RunRecord, url: &str) -> &'a ObjectTiming {
    record.objects.iter().find(|object| object.url == url).expect(url)
}

#[test]
fn every_protocol_loads_every_object_from_its_own_host() {
    for http in Http::ALL {
        let page = news();
        let record = loaded(&load(http, page.clone()));
        let found: BTreeSet<_> = record.objects.iter().map(|object| object.url.clone()).collect();
        let document = url(http, &page, &ObjectSpec::new("/", Bytes::ZERO));
        let expected: BTreeSet<_> =
            page.objects.iter().map(|object| url(http, &page, object)).chain([document]).collect();
        assert_eq!(found, expected, "{http:?}");
        assert_eq!(record.objects.len(), expected.len(), "{http:?}");
        for object in record.objects.iter().skip(1) {
            assert_eq!((object.bytes, object.status), (3_000, 200), "{http:?} {}", object.url);
        }
    }
}

#[test]
fn what_an_object_names_is_found_when_all_of_it_is_there_and_its_wait_is_over() {
    for http in [Http::H1s, Http::H2, Http::H3, Http::Spdy] {
        let page = news();
        let record = loaded(&load(http, page.clone()));
        for object in &page.objects {
            let Some(after) = object.after else { continue };
            let parent = timing(&record, &url(http, &page, &page.objects[after]));
            let child = timing(&record, &url(http, &page, object));
            let expected = parent.last_byte_s + object.wait_ns.map_or(0.0, Duration::as_secs_f64);
            // Nothing takes time in virtual time but what is said to, and a wait to the tick.
            let most = if object.wait_ns.is_some() { TICKS_S } else { 0.0 };
            assert!(is_late_by(child.discovered_s - expected, most), "{http:?} {}: {expected}", child.url);
            assert!(child.request_s >= child.discovered_s, "{http:?} {}", child.url);
        }
        let beacon = timing(&record, &url(http, &page, page.objects.last().unwrap()));
        let found = beacon.discovered_s - record.objects[0].last_byte_s;
        assert!(is_late_by(found - 0.3, TICKS_S), "{http:?}: {found}");
    }
}

#[test]
fn every_host_has_connections_of_its_own() {
    for http in [Http::H2, Http::H2c, Http::H3, Http::Spdy] {
        assert_connections(&load(http, news()), HOSTS);
    }
    // Twenty images on each of two hosts, and six connections to each.
    let hosts = ["a.example", "b.example"];
    let image =
        |n: usize| object(ObjectKind::Image, hosts.get(n % 2).copied(), &format!("/{n}.jpg"), None, 0);
    let page = PageSpec { host: Some(hosts[0].to_owned()), ..PageSpec::new("images", (0..40).map(image)) };
    for http in [Http::H1, Http::H1s] {
        assert_connections(&load(http, page.clone()), 12);
    }
}

/// Asserts that there are so many connections, all used, and none for two hosts.
fn assert_connections(spec: &RunSpec, expected: usize) {
    let record = loaded(spec);
    assert_eq!(record.client_connections.len(), expected, "{:?}", spec.workload);
    let used: BTreeSet<_> = record.objects.iter().map(|object| (object.connection, host(object))).collect();
    assert_eq!(used.len(), expected, "{used:?}");
}

#[test]
fn the_handshake_with_a_host_takes_as_long_however_many_others_there_are() {
    let page = |hosts: usize| {
        let image = |n| {
            let host = format!("host-{n:03}.example");
            object(ObjectKind::Image, Some(&*host), "/a.jpg", None, 0)
        };
        PageSpec { host: Some(OWN.to_owned()), ..PageSpec::new("wide", (0..hosts).map(image)) }
    };
    for http in [Http::H2, Http::H3] {
        let handshake_of = |hosts| {
            let record = loaded(&load(http, page(hosts)));
            let own = &record.client_connections[0];
            own.secured.or(own.connected)
        };
        // RFC 9000 section 8.1: before an address is validated, at most three times what has come from it.
        assert_eq!(handshake_of(140), handshake_of(1), "{http:?}");
    }
}

#[test]
fn every_host_is_behind_the_proxies_too() {
    let tcp = load(Http::H2, news()).tcp;
    let (cc, relay_buffer_bytes) = (Algorithm::Cubic, Bytes::new(4_000_000));
    let places = [PepPlace::Terminal, PepPlace::Gateway, PepPlace::Both];
    let splits = places.map(|place| {
        PepSpec::Split(SplitSpec { place, cc, tcp: tcp.clone(), relay_buffer_bytes, standing: Switch::Off })
    });
    let proxy = PepSpec::Proxy(ProxySpec { cc, tcp: tcp.clone(), relay_buffer_bytes });
    for pep in splits.into_iter().chain([proxy]) {
        for http in [Http::H1, Http::H2] {
            loaded(&RunSpec { pep: Some(pep.clone()), ..load(http, news()) });
        }
    }
}

#[test]
fn a_repeat_visit_has_a_ticket_of_every_host() {
    for http in [Http::H1s, Http::H2, Http::H3] {
        let mut spec = load(http, news());
        spec.tls = Some(TlsSpec { version: TlsVersion::V1_3, resumption: Resumption::Ticket });
        let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page load") };
        load.visit = Some(Visit::Repeat);
        let record = loaded(&spec);
        let hosts: BTreeSet<_> = record.objects.iter().map(host).collect();
        assert_eq!(hosts.len(), HOSTS, "{http:?}");
        for name in hosts {
            let of_host = record.objects.iter().filter(|object| host(object) == name);
            let connections = of_host.map(|object| &record.client_connections[object.connection]);
            let first = connections.min_by_key(|connection| connection.started).unwrap();
            assert_eq!(first.handshake, Some(Handshake::Resumed), "{http:?} {name}");
        }
    }
}

#[test]
fn only_what_is_of_the_page_s_own_host_is_pushed() {
    for http in [Http::H2, Http::Spdy] {
        let mut spec = load(http, news());
        let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page load") };
        load.push_percent = Some(100);
        let record = loaded(&spec);
        // Nobody asks for what is pushed.
        for object in &record.objects {
            let is_own = object.url.contains(OWN) && !object.url.ends_with("example/");
            assert_eq!(object.request_header_bytes == 0, is_own, "{http:?} {}", object.url);
        }
    }
}

#[test]
fn equal_specs_of_several_hosts_give_equal_records() {
    for http in [Http::H1s, Http::H3] {
        let text = || serde_json::to_string(&record_of(&load(http, news()))).unwrap();
        assert_eq!(text(), text(), "{http:?}");
    }
}

/// Files that are there without a file system.
#[derive(Debug)]
struct Shelf;

const DOCUMENT: &[u8] = b"<!doctype html><title>t</title><link rel=stylesheet href=css/a.css>\
    <script src=//cdn.example/a.js></script><img src=missing.png><p>text</p>";
const STYLE: &[u8] = b"/* a */ p{background:url(../b.png?x=1)} @font-face{src:url(missing.eot)}";
const SCRIPT: &[u8] = b"var i = new Image(); i.src = '//cdn.example/c.png'; // 'd.png'";
const IMAGE: &[u8] = b"no image, but nobody looks";

impl Files for Shelf {
    fn read(&self, file: &FileSpec) -> io::Result<Vec<u8>> {
        let content = match &*file.name {
            "index.html" => DOCUMENT,
            "css/a.css" => STYLE,
            "a.js" => SCRIPT,
            "b.png" | "c.png" => IMAGE,
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(content.to_vec())
    }
}

const STYLE_SHA256: &str = "7d98bbf20f82670e3d49dc0078da9e83548f1efa51b805f8d90e8d5b741c8310";

fn file(name: &str, sha256: &str) -> Option<FileSpec> {
    Some(FileSpec { folder: "/shelf".to_owned(), name: name.to_owned(), sha256: sha256.to_owned() })
}

/// Digests by sha256sum(1).
fn written() -> PageSpec {
    let image = "071dbed8158e1db743fe74daba3599109cf7201782e2a24e4e6d17e3d11f5d00";
    let of = |kind, host: Option<&str>, path: &str, content: &[u8], name: &str, sha256: &str| ObjectSpec {
        bytes: Bytes::new(content.len() as u64),
        file: file(name, sha256),
        ..object(kind, host, path, None, 0)
    };
    let objects = [
        of(ObjectKind::Style, None, "/css/a.css", STYLE, "css/a.css", STYLE_SHA256),
        of(
            ObjectKind::Script,
            Some("cdn.example"),
            "/a.js",
            SCRIPT,
            "a.js",
            "f279463d3d8f62fdab83d3def7894488ab0b77162f7a925f623794c6a7acbb5a",
        ),
        of(ObjectKind::Image, None, "/b.png?x=1", IMAGE, "b.png", image),
        of(ObjectKind::Image, Some("cdn.example"), "/c.png", IMAGE, "c.png", image),
    ];
    let document = file("index.html", "f877fb8a0501159017fe9e79330b0ec6dcf24b0befcf0da44df70b8ce370597e");
    PageSpec { document, ..PageSpec::new("written", objects) }
}

fn config() -> Config {
    Config { sites: Arc::new(Sites::with_files(Arc::new(Shelf))), ..Config::new(Instant::now()) }
}

#[test]
fn a_page_of_files_is_loaded_as_far_as_it_is_there() {
    for http in [Http::H1, Http::H2, Http::H3] {
        let spec = load(http, written());
        let reports = simulate(&spec, &config()).unwrap();
        let record = assemble("0".to_owned(), Engine::Simulate, spec.clone(), Provenance::default(), reports);
        assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{http:?}");
        assert_eq!(record.objects.len(), 5, "{http:?}");
        assert_eq!(record.objects[0].bytes, DOCUMENT.len() as u64);
    }
}

#[test]
fn a_file_that_has_changed_or_is_not_there_is_named() {
    let mut page = written();
    let right = page.objects[0].file.clone().unwrap();
    let faults = [
        FileSpec { sha256: "00".to_owned(), ..right.clone() },
        FileSpec { name: "css/b.css".to_owned(), ..right },
    ];
    let messages = faults.map(|fault| {
        page.objects[0].file = Some(fault);
        simulate(&load(Http::H2, page.clone()), &config()).unwrap_err().to_string()
    });
    assert_eq!(
        messages[0],
        format!("/shelf/css/a.css: expected the SHA-256 digest 00, found {STYLE_SHA256}")
    );
    assert!(messages[1].starts_with("/shelf/css/b.css: "), "{}", messages[1]);
}
