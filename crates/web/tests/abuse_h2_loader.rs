//! HTTP/2 servers that are broken or mean harm, against the loader: each load ends, with a fault or a doubt, and costs
//! bounded memory.

mod memory;

use bentpipe_run::{ClientReport, Http, PageLoadSpec, RunSpec, Workload};
use bentpipe_units::Bytes;
use bentpipe_web::loader;
use bentpipe_web::net::{Listener, Net};
use memory::frames::{
    ACK, Answer, CONTINUATION, DATA, END_HEADERS, END_STREAM, End, HEADERS, PING, PUSH_PROMISE, Peer,
    SETTINGS, STATUS_200, WHOLE, frame, literal, setting, string,
};
use memory::{ADDRESS, Memory, STREAM_BUFFER, client, load_of, page_load, peak_of};

/// More than any of these attacks may make the loader hold: the page, a connection and its windows of 6 MiB.
const MOST_MEMORY: usize = 16 << 20;
/// The document of `page_load`, as good as any.
const DOCUMENT: &[u8] = b"<!doctype html><img src=/object.jpg>";

/// What the loader reports of an origin that sends `octets` to whoever connects.
fn attacked(octets: Vec<u8>) -> ClientReport {
    loaded(|_| (), async move |peer| peer.exchange(&octets).await)
}

fn loaded(
    change: impl FnOnce(&mut PageLoadSpec),
    attack: impl AsyncFnOnce(&mut Peer) -> Answer + 'static,
) -> ClientReport {
    loaded_with(|spec| spec.workload = Workload::PageLoad(changed(spec, change)), attack)
}

fn loaded_with(
    change: impl FnOnce(&mut RunSpec),
    attack: impl AsyncFnOnce(&mut Peer) -> Answer + 'static,
) -> ClientReport {
    let (mut spec, identity) = page_load(Http::H2c);
    change(&mut spec);
    let (report, peak) = peak_of(|| {
        Memory::run(|net| async move {
            let mut listener = net.listen((ADDRESS, 80).into(), spec.cc, spec.mark()).unwrap();
            let host = net.clone();
            net.spawn(async move {
                let (stream, _) = listener.accept().await.unwrap();
                let mut peer = Peer::new(&host, stream);
                attack(&mut peer).await;
                // Closes what the loader has not.
            });
            loader::load(&net, client(&spec, &identity), load_of(&spec)).await
        })
    });
    assert!(peak < MOST_MEMORY, "{peak} bytes");
    report
}

fn changed(spec: &RunSpec, change: impl FnOnce(&mut PageLoadSpec)) -> PageLoadSpec {
    let mut load = load_of(spec);
    change(&mut load);
    load
}

fn hello() -> Vec<u8> {
    [frame(SETTINGS, 0, 0, &[]), frame(SETTINGS, ACK, 0, &[])].concat()
}

fn document() -> Vec<u8> {
    [frame(HEADERS, END_HEADERS, 1, &[STATUS_200]), frame(DATA, END_STREAM, 1, DOCUMENT)].concat()
}

/// A promise on the document's stream of `path` by stream `promised`.
fn promise(promised: u32, path: &str) -> Vec<u8> {
    // :authority (1) and :path (4) without indexing, GET (2), http (6).
    let mut block = vec![0x82, 0x86, 0x01];
    block.extend(string(b"origin.bentpipe.test"));
    block.push(0x04);
    block.extend(string(path.as_bytes()));
    frame(PUSH_PROMISE, END_HEADERS, 1, &[&promised.to_be_bytes()[..], &block].concat())
}

fn pushed(stream: u32, body: &[u8]) -> Vec<u8> {
    [frame(HEADERS, END_HEADERS, stream, &[STATUS_200]), frame(DATA, END_STREAM, stream, body)].concat()
}

fn doubts_of(octets: Vec<u8>) -> String {
    let report = loaded(|load| load.push_percent = Some(100), async move |peer| peer.exchange(&octets).await);
    report.doubts.join("; ")
}

#[test]
fn a_document_by_hand_is_read_and_its_object_asked_for() {
    let report = attacked([hello(), document()].concat());
    assert_eq!(report.objects.len(), 1);
    assert_eq!(report.objects[0].bytes.get(), DOCUMENT.len() as u64);
    // Nobody answers the second request; the connection closes.
    assert!(report.faults.iter().any(|fault| fault.contains("/object.jpg")), "{:?}", report.faults);
}

#[test]
fn malformed_frames_are_faults() {
    for (name, octets) in [
        ("SETTINGS of 5 bytes", frame(SETTINGS, 0, 0, &[0; 5])),
        ("PING of 7 bytes", frame(PING, 0, 0, &[0; 7])),
        ("DATA on no stream", frame(DATA, 0, 0, &[0])),
        ("a response that nobody asked for", frame(HEADERS, WHOLE, 2, &[STATUS_200])),
        ("a header without status", frame(HEADERS, WHOLE, 1, &literal("x", "y"))),
        ("a header that cannot be decoded", frame(HEADERS, WHOLE, 1, &[0x80])),
        ("a frame above the largest", frame(DATA, 0, 1, &[0; 16_385])),
        ("HTTP/1", b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_vec()),
        ("nothing, and the end", Vec::new()),
    ] {
        let report = attacked([hello(), octets].concat());
        assert!(!report.faults.is_empty(), "{name}: {:?}", report.objects);
    }
}

#[test]
fn a_promise_to_a_loader_that_wants_none_is_a_fault() {
    // RFC 9113 section 6.6: after SETTINGS_ENABLE_PUSH of 0 a connection error.
    let report = attacked([hello(), promise(2, "/object.jpg"), document()].concat());
    assert!(!report.faults.is_empty());
}

#[test]
fn a_pushed_object_is_verified_as_any_other() {
    let doubts =
        doubts_of([hello(), promise(2, "/object.jpg"), document(), pushed(2, b"not the image")].concat());
    assert!(doubts.contains("/object.jpg: expected 100000 bytes, received 13"), "{doubts}");
}

#[test]
fn a_push_of_what_is_not_of_the_page_is_a_doubt_and_refused() {
    let octets = [hello(), promise(2, "/elsewhere.jpg"), document()].concat();
    assert!(doubts_of(octets).contains("/elsewhere.jpg: not of this page"));
}

#[test]
fn a_push_that_is_promised_twice_is_a_doubt() {
    let promises = [promise(2, "/object.jpg"), promise(4, "/object.jpg")].concat();
    let doubts = doubts_of([hello(), promises, document(), pushed(2, b"x")].concat());
    assert!(doubts.contains("/object.jpg: promised twice"), "{doubts}");
}

#[test]
fn a_flood_of_promises_is_bounded() {
    let promises: Vec<u8> = (1..=20_000).flat_map(|n| promise(2 * n, "/object.jpg")).collect();
    let report = loaded(|load| load.push_percent = Some(100), {
        let octets = [hello(), promises, document()].concat();
        async move |peer| peer.exchange(&octets).await
    });
    assert!(!report.faults.is_empty() || !report.doubts.is_empty());
}

#[test]
fn headers_without_end_are_faults() {
    let field = literal("x", &"a".repeat(16_000));
    let start = [hello(), frame(HEADERS, 0, 1, &[STATUS_200])].concat();
    for (name, part, times) in [
        ("CONTINUATION of nothing", frame(CONTINUATION, 0, 1, &[]), 100_000),
        ("16 MB of fields", frame(CONTINUATION, 0, 1, &field), 1000),
    ] {
        let report = attacked([start.clone(), part.repeat(times)].concat());
        assert!(!report.faults.is_empty(), "{name}");
    }
}

#[test]
fn an_hpack_bomb_is_a_fault() {
    let block = [&[STATUS_200, 0x40][..], &string(b"x"), &string(&[b'a'; 3900]), &[0xBE; 12_000]].concat();
    let report = attacked([hello(), frame(HEADERS, WHOLE, 1, &block)].concat());
    assert!(!report.faults.is_empty());
}

#[test]
fn data_before_its_header_is_a_fault() {
    // RFC 9113 section 5.1, "reserved (remote)": only HEADERS, RST_STREAM and PRIORITY.
    let data = frame(DATA, 0, 2, &[0; 16_384]).repeat(500);
    let octets = [hello(), promise(2, "/object.jpg"), data].concat();
    let report = loaded(|load| load.push_percent = Some(100), async move |peer| peer.exchange(&octets).await);
    assert!(!report.faults.is_empty());
}

#[test]
fn data_beyond_the_window_is_a_fault() {
    // Windows of 65,535 bytes; as the loader gives back what it has read, the excess comes in one piece with the header.
    let octets =
        [hello(), frame(HEADERS, END_HEADERS, 1, &[STATUS_200]), frame(DATA, 0, 1, &[0; 16_384]).repeat(8)];
    let octets = octets.concat();
    let report = loaded_with(
        |spec| {
            spec.http2.stream_window_bytes = Bytes::new(20_000);
            spec.http2.connection_window_bytes = Bytes::new(65_535);
        },
        async move |peer| peer.exchange(&octets).await,
    );
    assert!(!report.faults.is_empty());
}

#[test]
fn floods_that_ask_for_answers_stop_with_the_answers_that_nobody_reads() {
    for (name, octets) in [("PING", frame(PING, 0, 0, &[0; 8])), ("SETTINGS", setting(3, 100))] {
        let report = loaded(
            |_| (),
            async move |peer| {
                peer.exchange(&hello()).await;
                let taken = peer.flood(&octets.repeat(100), 64 << 20).await;
                assert!(taken < 8 * STREAM_BUFFER, "{name}: {taken} bytes");
                Answer { frames: Vec::new(), end: End::Quiet }
            },
        );
        assert!(!report.faults.is_empty(), "{name}");
    }
}

#[test]
fn an_origin_that_says_nothing_ends_the_load_by_its_time_limit() {
    let report = loaded(
        |_| (),
        async move |peer| {
            peer.exchange(&hello()).await;
            std::future::pending().await
        },
    );
    assert!(report.faults.iter().any(|fault| fault.starts_with("timed out")), "{:?}", report.faults);
}
