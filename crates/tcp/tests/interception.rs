//! A host on the path that speaks for others.

use std::net::{Ipv4Addr, SocketAddrV4};

use crate::common::spec;
use bentpipe_cc::Algorithm;
use bentpipe_tcp::{Config, Connection, ConnectionId, Endpoint, Flags, PortError, Route, Segment, TcpSpec};
use bentpipe_units::{Bytes, Time};

const CLIENT: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const MIDDLE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);
const SERVERS: [Ipv4Addr; 2] = [Ipv4Addr::new(203, 0, 113, 1), Ipv4Addr::new(203, 0, 113, 2)];
const NOW: Time = Time::ZERO;

fn config() -> Config {
    let buffer = Bytes::new(6 << 20);
    let spec = TcpSpec { receive_buffer_bytes: buffer, send_buffer_bytes: buffer, ..spec() };
    Config::new(&spec, Algorithm::Cubic, 1)
}

const fn at(host: Ipv4Addr, port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(host, port)
}

fn syn(from: SocketAddrV4, to: SocketAddrV4) -> Segment {
    Connection::connect(&config(), from, to, NOW).poll_transmit(NOW).unwrap()
}

fn intercepting() -> Endpoint {
    let mut endpoint = Endpoint::new(MIDDLE);
    endpoint.intercept(config());
    endpoint
}

fn accepted(endpoint: &mut Endpoint, syn: &Segment) -> (ConnectionId, Connection) {
    match endpoint.route(NOW, syn) {
        Route::Accepted(id, connection) => (id, *connection),
        route => panic!("{route:?}"),
    }
}

#[test]
fn an_intercepted_connection_has_the_address_and_port_that_its_opener_wanted_to_reach() {
    let mut middle = intercepting();
    for (server, port) in [(SERVERS[0], 443), (SERVERS[1], 8_080)] {
        let (from, to) = (at(CLIENT, 50_000), at(server, port));
        let (_, mut connection) = accepted(&mut middle, &syn(from, to));
        assert_eq!((connection.local(), connection.remote()), (to, from));
        let answer = connection.poll_transmit(NOW).unwrap();
        assert_eq!((answer.source, answer.destination), (to, from));
        assert_eq!(answer.flags, Flags::SYN.with(Flags::ACK));
    }
}

#[test]
fn ports_of_a_host_are_given_in_turn_from_32768_and_one_that_listens_is_left_out() {
    // net.ipv4.ip_local_port_range.
    let mut host = Endpoint::new(CLIENT);
    host.listen(32_770, config()).unwrap();
    let ports = [443, 443, 80].map(|port| {
        let (_, connection) = host.connect(NOW, at(SERVERS[0], port), &config()).unwrap();
        connection.local().port()
    });
    assert_eq!(ports, [32_768, 32_769, 32_771]);
}

#[test]
fn connections_that_differ_by_the_address_alone_are_two() {
    let mut middle = intercepting();
    let opened = SERVERS.map(|server| syn(at(CLIENT, 50_000), at(server, 443)));
    let ids = opened.each_ref().map(|syn| accepted(&mut middle, syn).0);
    for (syn, id) in opened.iter().zip(ids) {
        assert!(matches!(middle.route(NOW, syn), Route::To(found) if found == id));
    }
}

#[test]
fn a_connection_in_the_name_of_another_host_is_that_hosts_for_its_peer() {
    let mut middle = intercepting();
    let (from, to) = (at(CLIENT, 50_000), at(SERVERS[0], 443));
    let (id, mut onward) = middle.connect_from(NOW, from, to, &config()).unwrap();
    let syn = onward.poll_transmit(NOW).unwrap();
    assert_eq!((syn.source, syn.destination), (from, to));
    let mut server = Endpoint::new(SERVERS[0]);
    server.listen(443, config()).unwrap();
    let (_, mut origin) = accepted(&mut server, &syn);
    assert_eq!(origin.remote(), from);
    let answer = origin.poll_transmit(NOW).unwrap();
    assert!(matches!(middle.route(NOW, &answer), Route::To(found) if found == id));
}

#[test]
fn both_legs_of_a_connection_have_the_same_addresses_and_are_two_connections() {
    let mut middle = intercepting();
    let (client, server) = (at(CLIENT, 443), at(SERVERS[0], 443));
    let syn = syn(client, server);
    let (leg, mut connection) = accepted(&mut middle, &syn);
    let (onward, mut opened) = middle.connect_from(NOW, client, server, &config()).unwrap();
    assert_ne!(leg, onward);
    // What the client sends goes to the one, what the server sends to the other.
    assert!(matches!(middle.route(NOW, &syn), Route::To(found) if found == leg));
    let mut from_server = opened.poll_transmit(NOW).unwrap();
    (from_server.source, from_server.destination) = (server, client);
    assert!(matches!(middle.route(NOW, &from_server), Route::To(found) if found == onward));
    connection.abort();
    middle.forget(&connection);
    assert!(matches!(middle.route(NOW, &from_server), Route::To(found) if found == onward));
}

#[test]
fn a_name_is_not_given_twice() {
    let mut middle = intercepting();
    let (from, to) = (at(CLIENT, 50_000), at(SERVERS[0], 443));
    middle.connect_from(NOW, from, to, &config()).unwrap();
    assert_eq!(middle.connect_from(NOW, from, to, &config()).unwrap_err(), PortError::Taken(50_000));
}

#[test]
fn a_host_that_intercepts_nothing_answers_for_itself_alone() {
    let mut host = Endpoint::new(MIDDLE);
    host.listen(443, config()).unwrap();
    let client = at(CLIENT, 50_000);
    assert!(matches!(host.route(NOW, &syn(client, at(SERVERS[0], 443))), Route::Reset(_)));
    accepted(&mut host, &syn(client, at(MIDDLE, 443)));
}
