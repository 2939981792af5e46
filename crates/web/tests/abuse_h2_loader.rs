//! HTTP/2 servers that are broken or mean harm, against the loader: each load ends, with a fault or a doubt, and costs
//! bounded memory.

use bentpipe_net::testing::{ADDRESS, MemoryNet, STREAM_BUFFER};
use bentpipe_net::{Listener, Net};
use bentpipe_run::{ClientReport, Http, PageLoadSpec, Reason, RunSpec, Workload};
use bentpipe_units::Bytes;
use bentpipe_web::loader;
use tokio::sync::oneshot;

use crate::common::frames::{
    ACK, Answer, CONTINUATION, DATA, END_HEADERS, END_STREAM, End, FLOW_CONTROL_ERROR, HEADERS, PING,
    PUSH_PROMISE, Peer, SETTINGS, STATUS_200, WHOLE, frame, literal, setting, string,
};
use crate::common::{client, load_of, page_load, peak_of};

/// More than any of these attacks may make the loader hold: the page, a connection and its windows of 6 MiB.
const MOST_MEMORY: usize = 16 << 20;
/// The document of `page_load`, as good as any.
const DOCUMENT: &[u8] = b"<!doctype html><img src=/object.jpg>";

/// What the loader reports of an origin that answers its first request by `bytes`, and what it says to them.
fn attacked(bytes: Vec<u8>) -> (ClientReport, Answer) {
    loaded(|_| (), bytes)
}

fn pushed_to(bytes: Vec<u8>) -> (ClientReport, Answer) {
    loaded(|load| load.push_percent = Some(100), bytes)
}

fn loaded(change: impl FnOnce(&mut PageLoadSpec), bytes: Vec<u8>) -> (ClientReport, Answer) {
    served(
        |spec| spec.workload = Workload::PageLoad(changed(spec, change)),
        async move |peer| {
            greet(peer).await;
            peer.exchange(&bytes).await
        },
    )
}

/// Starts as every HTTP/2 server does, and waits for the request.
async fn greet(peer: &mut Peer) {
    peer.exchange(&frame(SETTINGS, 0, 0, &[])).await;
    peer.exchange(&frame(SETTINGS, ACK, 0, &[])).await;
}

/// What the loader reports of an origin that does `attack` to its connection and closes it then.
fn served(
    change: impl FnOnce(&mut RunSpec),
    attack: impl AsyncFnOnce(&mut Peer) -> Answer + 'static,
) -> (ClientReport, Answer) {
    let (mut spec, identity) = page_load(Http::H2c);
    change(&mut spec);
    let (result, peak) = peak_of(|| {
        MemoryNet::run(|net| async move {
            let mut listener = net.listen((ADDRESS, 80).into(), spec.cc, spec.mark()).unwrap();
            let (host, (answered, answer)) = (net.clone(), oneshot::channel());
            net.spawn(async move {
                let (stream, _) = listener.accept().await.unwrap();
                let mut peer = Peer::new(&host, stream);
                let _ = answered.send(attack(&mut peer).await);
            });
            let report = loader::load(&net, client(&spec, &identity), load_of(&spec)).await;
            (report, answer.await.unwrap())
        })
    });
    assert!(peak < MOST_MEMORY, "{peak} bytes");
    result
}

fn changed(spec: &RunSpec, change: impl FnOnce(&mut PageLoadSpec)) -> PageLoadSpec {
    let mut load = load_of(spec);
    change(&mut load);
    load
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

#[test]
fn a_document_by_hand_is_read_and_its_object_asked_for() {
    let (report, answer) = attacked(document());
    assert_eq!(report.objects.len(), 1);
    assert_eq!(report.objects[0].bytes.get(), DOCUMENT.len() as u64);
    assert!(answer.frames.iter().any(|frame| frame.kind == HEADERS && frame.stream == 3));
    // Nobody answers the second request; the connection closes.
    assert!(failed(&report, "/object.jpg"), "{:?}", report.faults);
}

#[test]
fn malformed_frames_are_refused_and_faults() {
    for (name, bytes) in [
        ("SETTINGS of 5 bytes", frame(SETTINGS, 0, 0, &[0; 5])),
        ("PING of 7 bytes", frame(PING, 0, 0, &[0; 7])),
        ("DATA on no stream", frame(DATA, 0, 0, &[0])),
        ("a response that nobody asked for", frame(HEADERS, WHOLE, 2, &[STATUS_200])),
        ("a header that cannot be decoded", frame(HEADERS, WHOLE, 1, &[0x80])),
        ("a frame above the largest", frame(DATA, 0, 1, &[0; 16_385])),
        ("DATA before its header", frame(DATA, 0, 1, &[0; 10])),
    ] {
        let (report, answer) = attacked(bytes);
        assert!(answer.error().is_some(), "{name}: {:?}", answer.frames);
        assert!(failed(&report, "/"), "{name}: {:?}", report.faults);
    }
}

#[test]
fn a_response_without_status_is_a_fault_by_which_the_loader_leaves() {
    let (report, answer) = attacked(frame(HEADERS, WHOLE, 1, &literal("x", "y")));
    assert!(failed(&report, "/"), "{:?}", report.faults);
    assert_eq!(answer.end, End::Closed);
}

#[test]
fn an_origin_that_does_not_speak_http2_is_a_fault() {
    for bytes in [&b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"[..], b""] {
        let (report, _) = served(|_| (), async move |peer| peer.exchange(bytes).await);
        assert!(!report.faults.is_empty());
    }
}

#[test]
fn a_promise_to_a_loader_that_wants_none_is_refused() {
    // RFC 9113 section 6.6: after SETTINGS_ENABLE_PUSH of 0 a connection error.
    let (_, answer) = attacked([promise(2, "/object.jpg"), document()].concat());
    assert!(answer.error().is_some(), "{:?}", answer.frames);
}

#[test]
fn a_pushed_object_is_verified_as_any_other_and_not_requested() {
    let (report, answer) =
        pushed_to([promise(2, "/object.jpg"), document(), pushed(2, b"no image")].concat());
    let doubt = Reason::WrongLength {
        object: "/object.jpg".to_owned(),
        expected_bytes: Bytes::new(100_000),
        found_bytes: Bytes::new(8),
    };
    assert!(report.doubts.contains(&doubt), "{:?}", report.doubts);
    assert!(answer.frames.iter().all(|frame| frame.kind != HEADERS), "{:?}", answer.frames);
}

#[test]
fn a_push_of_what_is_not_of_the_page_is_a_doubt_and_refused() {
    let (report, answer) = pushed_to([promise(2, "/elsewhere.jpg"), document()].concat());
    let is_unknown =
        |doubt: &Reason| matches!(doubt, Reason::PushUnknown { url } if url.ends_with("/elsewhere.jpg"));
    assert!(report.doubts.iter().any(is_unknown), "{:?}", report.doubts);
    assert!(answer.stream_error(2).is_some());
}

#[test]
fn a_push_that_is_promised_twice_is_a_doubt_and_refused() {
    let promises = [promise(2, "/object.jpg"), promise(4, "/object.jpg")].concat();
    let (report, answer) = pushed_to([promises, document(), pushed(2, b"x")].concat());
    let is_repeated =
        |doubt: &Reason| matches!(doubt, Reason::PushRepeated { url } if url.ends_with("/object.jpg"));
    assert!(report.doubts.iter().any(is_repeated), "{:?}", report.doubts);
    assert!(answer.stream_error(4).is_some() && answer.stream_error(2).is_none());
}

#[test]
fn a_pushed_object_that_the_document_does_not_name_is_a_doubt() {
    let nothing =
        [frame(HEADERS, END_HEADERS, 1, &[STATUS_200]), frame(DATA, END_STREAM, 1, b"<p>")].concat();
    let (report, _) = pushed_to([promise(2, "/object.jpg"), nothing, pushed(2, b"x")].concat());
    let expected = Reason::PushUnused { object: "/object.jpg".to_owned() };
    assert!(report.doubts.contains(&expected), "{:?}", report.doubts);
}

#[test]
fn promises_beyond_the_limit_of_streams_are_refused() {
    let promises: Vec<u8> = (1..=20_000).flat_map(|n| promise(2 * n, "/object.jpg")).collect();
    let (_, answer) = pushed_to(promises);
    assert!(answer.error().is_some());
}

#[test]
fn headers_without_end_are_refused() {
    let field = literal("x", &"a".repeat(16_000));
    for (name, part, times) in [
        ("CONTINUATION of nothing", frame(CONTINUATION, 0, 1, &[]), 100_000),
        ("4 MB of fields", frame(CONTINUATION, 0, 1, &field), 250),
    ] {
        let (report, answer) = attacked([frame(HEADERS, 0, 1, &[STATUS_200]), part.repeat(times)].concat());
        assert!(answer.error().is_some(), "{name}");
        assert!(!report.faults.is_empty(), "{name}");
    }
}

#[test]
fn an_hpack_bomb_is_a_fault() {
    let block = [&[STATUS_200, 0x40][..], &string(b"x"), &string(&[b'a'; 3900]), &[0xBE; 12_000]].concat();
    let (report, answer) = attacked(frame(HEADERS, WHOLE, 1, &block));
    assert!(answer.error().is_some());
    assert!(!report.faults.is_empty());
}

#[test]
fn a_pushed_response_that_starts_with_data_is_refused() {
    // RFC 9113 section 5.1, "reserved (remote)": only HEADERS, RST_STREAM and PRIORITY.
    let (_, answer) = pushed_to([promise(2, "/object.jpg"), frame(DATA, 0, 2, &[0; 100])].concat());
    assert!(answer.error().is_some());
}

#[test]
fn data_beyond_the_window_is_refused() {
    let bytes = [frame(HEADERS, END_HEADERS, 1, &[STATUS_200]), frame(DATA, 0, 1, &[0; 16_384]).repeat(2)];
    let bytes = bytes.concat();
    let (report, answer) = served(
        |spec| {
            // The loader gives back what it has read; one frame alone is above a window of 10,000 bytes.
            spec.http2.stream_window_bytes = Bytes::new(10_000);
        },
        async move |peer| {
            greet(peer).await;
            peer.exchange(&bytes).await
        },
    );
    // RFC 9113 section 6.9
    assert_eq!(answer.error(), Some(FLOW_CONTROL_ERROR));
    assert!(!report.faults.is_empty());
}

#[test]
fn floods_that_ask_for_answers_stop_with_the_answers_that_nobody_reads() {
    for (name, bytes) in [("PING", frame(PING, 0, 0, &[0; 8])), ("SETTINGS", setting(3, 100))] {
        let (report, _) = served(
            |_| (),
            async move |peer| {
                greet(peer).await;
                let taken = peer.flood(&bytes.repeat(100), 64 << 20).await;
                assert!(taken < 8 * STREAM_BUFFER, "{name}: {taken} bytes");
                Answer { frames: Vec::new(), end: End::Quiet }
            },
        );
        assert!(!report.faults.is_empty(), "{name}");
    }
}

#[test]
fn an_origin_that_says_nothing_ends_the_load_by_its_time_limit() {
    let (report, _) = served(
        |_| (),
        async move |peer| {
            greet(peer).await;
            // Until the loader closes.
            loop {
                let answer = peer.exchange(&[]).await;
                if answer.end == End::Closed {
                    return answer;
                }
            }
        },
    );
    assert!(
        report.faults.iter().any(|fault| matches!(fault, Reason::TimedOut { .. })),
        "{:?}",
        report.faults
    );
}

/// Whether an object did not come.
fn failed(report: &ClientReport, object: &str) -> bool {
    report.faults.iter().any(|fault| matches!(fault, Reason::FetchFailed { object: it, .. } if it == object))
}
