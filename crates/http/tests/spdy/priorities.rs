//! Responses in the order of their priorities.

use bentpipe_http::spdy::{Event, Priority};
use bytes::Bytes;

use super::pair::{DRAFT, Pair, get, ok};

/// The streams of data frames in their order, when each of the priorities has one response of three data frames.
fn order(priorities: &[u8]) -> Vec<usize> {
    let mut pair = Pair::new(&DRAFT);
    let streams: Vec<_> = priorities
        .iter()
        .map(|number| pair.client.request(get("/"), Priority::new(*number).unwrap()).unwrap())
        .collect();
    pair.carry_up();
    for stream in &streams {
        pair.server.respond(*stream, ok(), Bytes::from(vec![0; 3 * 4_096]));
    }
    let place = |event: Event| match event {
        Event::Data { stream, .. } => streams.iter().position(|other| *other == stream),
        _ => None,
    };
    pair.carry_down().into_iter().filter_map(place).collect()
}

#[test]
fn equal_streams_are_served_in_turn() {
    assert_eq!(order(&[0, 0, 0]), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

#[test]
fn a_higher_priority_is_served_first_and_whole() {
    assert_eq!(order(&[3, 0, 7]), [1, 1, 1, 0, 0, 0, 2, 2, 2]);
}

#[test]
fn a_stream_without_window_gives_way_to_a_lower_priority() {
    let mut pair = Pair::new(&DRAFT);
    let [first, second] = [0, 7].map(|number| {
        let priority = Priority::new(number).unwrap();
        pair.client.request(get("/"), priority).unwrap()
    });
    pair.carry_up();
    // One window more than the stream has.
    pair.server.respond(first, ok(), Bytes::from(vec![0; 2 * 65_536]));
    pair.carry_down();
    pair.server.respond(second, ok(), Bytes::from(vec![0; 10]));
    let events = pair.carry_down();
    assert_eq!(events.len(), 1, "the session's window is spent: {events:?}");
    // The client has taken all of it, which opens the session's window, though not the stream's.
    pair.carry_up();
    let events = pair.carry_down();
    assert!(matches!(events[..], [Event::Data { stream, .. }] if stream == second), "{events:?}");
}
