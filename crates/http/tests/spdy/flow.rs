//! Flow control, reckoned by somebody else.

use std::collections::BTreeMap;

use bentpipe_http::spdy::{Config, Decoder, Event, Fin, Frame, Headers, Priority, Role, Session, StreamId};
use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

use super::pair::{events, get, ok};

/// Somebody beside the server who does the sums of draft 2.6.8 by himself.
struct Witness {
    from_client: Decoder,
    from_server: Decoder,
    session: i64,
    initial: i64,
    streams: BTreeMap<StreamId, i64>,
}

impl Witness {
    fn new() -> Self {
        let (from_client, from_server) = (Decoder::default(), Decoder::default());
        Self { from_client, from_server, session: 65_536, initial: 65_536, streams: BTreeMap::new() }
    }

    fn server_receives(&mut self, bytes: &[u8]) {
        self.from_client.receive(bytes);
        while let Some(frame) = self.from_client.poll().unwrap() {
            match frame {
                Frame::SynStream { stream, .. } => drop(self.streams.insert(stream, self.initial)),
                Frame::WindowUpdate { stream: 0, delta } => self.session += i64::from(delta),
                Frame::WindowUpdate { stream, delta } => {
                    *self.streams.entry(stream).or_default() += i64::from(delta);
                }
                Frame::Settings(entries) => {
                    for (_, value) in entries.iter().filter(|(id, _)| *id == 7) {
                        let delta = i64::from(*value) - self.initial;
                        self.initial += delta;
                        self.streams.values_mut().for_each(|window| *window += delta);
                    }
                }
                _ => {}
            }
        }
    }

    fn server_sends(&mut self, bytes: &[u8]) {
        self.from_server.receive(bytes);
        while let Some(frame) = self.from_server.poll().unwrap() {
            match frame {
                Frame::SynStream { stream, .. } => drop(self.streams.insert(stream, self.initial)),
                Frame::Data { stream, payload, .. } => {
                    let window = self.streams.get_mut(&stream).expect("an open stream");
                    *window -= payload.len() as i64;
                    self.session -= payload.len() as i64;
                    assert!(*window >= 0, "stream {stream} by {window}");
                    assert!(self.session >= 0, "session by {}", self.session);
                }
                _ => {}
            }
        }
    }
}

/// A load of objects of these sizes, some of them pushed, by a client that reads each stream with a delay.
#[derive(Clone, Debug)]
struct Load {
    config: Config,
    sizes: Vec<usize>,
    pushed: usize,
    /// Bytes that travel at once, by turns.
    pieces: Vec<usize>,
    /// Turns that a client takes to read what has arrived.
    delay: usize,
}

fn load() -> impl Strategy<Value = Load> {
    let window = || prop_oneof![1..64u32, 64..5_000u32, 5_000..200_000u32];
    let config = (window(), window(), 1..20u32).prop_map(|(stream_window, session_window, limit)| Config {
        stream_window,
        session_window,
        max_concurrent_streams: limit,
    });
    (config, 1..12usize, 0..8usize, prop::collection::vec(1..40_000usize, 1..6), 0..5usize).prop_flat_map(
        |(config, count, pushed, pieces, delay)| {
            // No window shall need more than some thousand turns.
            let most = (config.stream_window.min(config.session_window) as usize * 200).min(100_000);
            prop::collection::vec(0..=most, count).prop_map(move |sizes| Load {
                config,
                sizes,
                pushed,
                pieces: pieces.clone(),
                delay,
            })
        },
    )
}

/// Runs the load to its end; returns what was received of each object.
fn run(load: &Load) -> Vec<usize> {
    let mut client = Session::new(Role::Client, &load.config);
    let mut server = Session::new(Role::Server, &load.config);
    let mut witness = Witness::new();
    let (mut up, mut down) = (BytesMut::new(), BytesMut::new());
    let mut waiting: Vec<usize> = (0..load.sizes.len()).rev().collect();
    let mut of_stream: BTreeMap<StreamId, usize> = BTreeMap::new();
    let mut received = vec![0; load.sizes.len()];
    let mut unread: Vec<(usize, StreamId, usize)> = Vec::new();
    let mut done = 0;
    let mut knows_the_limit = false;
    for turn in 0.. {
        assert!(turn < 200_000, "no progress: {done} of {} done", load.sizes.len());
        // The first request is the document; the objects it pushes are not requested. What the server has to say
        // comes after its settings.
        while client.can_open()
            && (knows_the_limit || of_stream.is_empty())
            && let Some(object) = waiting.pop()
        {
            if object == 0 || object > load.pushed {
                let path = format!("/{object}");
                of_stream.insert(client.request(get(&path), Priority::HIGHEST).unwrap(), object);
            }
        }
        for (_, stream, length) in unread.extract_if(.., |(at, ..)| *at <= turn) {
            client.release(stream, length);
        }
        client.transmit(&mut up, 20_000);
        let piece = load.pieces[turn % load.pieces.len()];
        let arrived = up.split_to(piece.min(up.len()));
        witness.server_receives(&arrived);
        server.receive(&arrived);
        for event in events(&mut server).unwrap() {
            let Event::Opened { stream, headers, .. } = event else { panic!("{event:?}") };
            let object: usize = headers.text(":path").unwrap()[1..].parse().unwrap();
            let announced = (1..load.sizes.len()).take(load.pushed).filter(|_| object == 0);
            for pushed in announced {
                let headers = Headers::from_iter([(":path", format!("/{pushed}").as_str())]);
                match server.push(stream, headers, Priority::LOWEST) {
                    Some(push) => server.respond(push, ok(), Bytes::from(vec![0; load.sizes[pushed]])),
                    // Above the client's limit: as if it were asked for and empty.
                    None => (received[pushed], done) = (load.sizes[pushed], done + 1),
                }
            }
            server.respond(stream, ok(), Bytes::from(vec![0; load.sizes[object]]));
        }
        let before = down.len();
        server.transmit(&mut down, 20_000);
        witness.server_sends(&down[before..]);
        client.receive(&down.split_to(piece.min(down.len())));
        for event in events(&mut client).unwrap() {
            knows_the_limit = true;
            let (stream, fin) = match event {
                Event::Opened { stream, headers, fin, .. } => {
                    of_stream.insert(stream, headers.text(":path").unwrap()[1..].parse().unwrap());
                    (stream, fin)
                }
                Event::Headers { stream, fin, .. } => (stream, fin),
                Event::Data { stream, fin, payload } => {
                    received[of_stream[&stream]] += payload.len();
                    unread.push((turn + load.delay, stream, payload.len()));
                    (stream, fin)
                }
                other => panic!("{other:?}"),
            };
            assert!(of_stream.contains_key(&stream));
            done += usize::from(fin == Fin::Present);
        }
        if done == load.sizes.len() {
            return received;
        }
    }
    unreachable!("the turns have no end")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_window_is_exceeded_and_every_object_arrives(load in load()) {
        prop_assert_eq!(run(&load), load.sizes);
    }
}

#[test]
fn streams_that_nobody_reads_do_not_stop_the_others() {
    // Pushes of two session windows, none of which is read, before a document.
    let config = Config { stream_window: 10_000, session_window: 20_000, max_concurrent_streams: 10 };
    let (mut client, mut server) = (Session::new(Role::Client, &config), Session::new(Role::Server, &config));
    let document = client.request(get("/"), Priority::HIGHEST).unwrap();
    let mut out = BytesMut::new();
    client.transmit(&mut out, usize::MAX);
    server.receive(&out);
    assert_eq!(events(&mut server).unwrap().len(), 1);
    server.receive(&[]);
    for _ in 0..4 {
        let push = server.push(document, Headers::default(), Priority::HIGHEST).unwrap();
        server.respond(push, ok(), Bytes::from(vec![0; 50_000]));
    }
    server.respond(document, ok(), Bytes::from(vec![0; 5_000]));
    let mut document_bytes = 0;
    for _ in 0..100 {
        let mut out = BytesMut::new();
        server.transmit(&mut out, usize::MAX);
        client.receive(&out);
        for event in events(&mut client).unwrap() {
            if let Event::Data { stream, payload, .. } = event
                && stream == document
            {
                document_bytes += payload.len();
            }
        }
        let mut out = BytesMut::new();
        client.transmit(&mut out, usize::MAX);
        server.receive(&out);
        assert_eq!(events(&mut server).unwrap(), []);
    }
    assert_eq!(document_bytes, 5_000);
}
