//! Fast Open and resets of the kernel's own sockets.

// A network namespace is a thread's; the IO boundary of clippy.toml lies in this crate.
#![allow(clippy::disallowed_methods)]

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::Command;
use std::{fs, thread};

use crate::common::{Site, address, load, page, page_load, record, run, say, spec};
use bentpipe_emu::KernelNet;
use bentpipe_net::{Listener, Net, Probe, Stream};
use bentpipe_run::{Algorithm, Dscp, Http, RunRecord, Status, Switch};
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Runs a test in a network namespace whose sockets may use Fast Open at both ends, where this user may make one.
fn with_fast_open_allowed(test: impl FnOnce() + Send + 'static) {
    let thread = thread::spawn(|| {
        match unshare(CloneFlags::CLONE_NEWNET) {
            Ok(()) => {}
            Err(Errno::EPERM) => return say("SKIPPED: network namespaces need root"),
            Err(error) => panic!("{error}"),
        }
        assert!(Command::new("ip").args(["link", "set", "lo", "up"]).status().unwrap().success());
        fs::write("/proc/sys/net/ipv4/tcp_fastopen", "3").unwrap();
        test();
    });
    thread.join().unwrap();
}

fn loaded(http: Http, fast_open: Switch) -> RunRecord {
    let mut spec = spec(Algorithm::Reno, page_load(http, page(12, 3_000)));
    spec.tcp.fast_open = fast_open;
    run(async {
        let site = Site::start(&spec);
        let report = load(site.client(&spec)).await;
        record(&spec, report, site.origin.report())
    })
}

#[test]
fn every_connection_of_a_page_but_the_first_sends_its_request_with_the_syn() {
    with_fast_open_allowed(|| {
        for http in [Http::H1, Http::H1s] {
            let record = loaded(http, Switch::On);
            assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()), "{http:?}");
            let connections = &record.client_connections;
            assert!(connections.len() > 1, "{http:?}");
            // No window could be read when they were handed over: they were not open yet.
            let had_cookie: Vec<_> =
                connections.iter().map(|connection| connection.initial_cwnd_bytes.is_none()).collect();
            let expected: Vec<_> = (0..connections.len()).map(|index| index > 0).collect();
            assert_eq!(had_cookie, expected, "{http:?}");
            for connection in connections {
                let connected = connection.connected.expect("the SYN-ACK came");
                assert!(
                    connected >= connection.started && connection.secured.is_none_or(|at| at >= connected)
                );
            }
        }
    });
}

#[test]
fn without_fast_open_no_connection_is_handed_over_before_it_is_open() {
    with_fast_open_allowed(|| {
        let record = loaded(Http::H1, Switch::Off);
        assert!(record.client_connections.iter().all(|connection| connection.initial_cwnd_bytes.is_some()));
    });
}

#[test]
fn a_connection_that_carries_its_first_write_with_the_syn_is_connected_when_the_answer_comes() {
    with_fast_open_allowed(|| {
        run(async {
            let mut knobs = spec(Algorithm::Reno, page_load(Http::H1, page(1, 1_000)));
            knobs.tcp.fast_open = Switch::On;
            let net = KernelNet::new(&knobs);
            let at = SocketAddr::new(address(), 9_000);
            let mut listener = net.listen(at, Algorithm::Reno, Dscp::DEFAULT).unwrap();
            let connect = || net.connect(at, Algorithm::Reno, Dscp::DEFAULT);
            let first = connect().await.unwrap();
            let (_server, _) = listener.accept().await.unwrap();
            assert!(first.probe().sample().unwrap().connected.is_some());

            let mut second = connect().await.unwrap();
            let probe = second.probe();
            assert_eq!(probe.sample().unwrap().connected, None);
            second.write_all(b"ping").await.unwrap();
            let (mut server, _) = listener.accept().await.unwrap();
            let mut bytes = [0; 4];
            server.read_exact(&mut bytes).await.unwrap();
            server.write_all(&bytes).await.unwrap();
            second.read_exact(&mut bytes).await.unwrap();
            assert_eq!(&bytes, b"ping");
            assert!(probe.sample().unwrap().connected.unwrap() <= net.now());
        });
    });
}

#[test]
fn a_reset_reaches_both_ends_at_once_and_leaves_the_last_state_known() {
    run(async {
        let net = KernelNet::default();
        let at = SocketAddr::new(address(), 9_001);
        let mut listener = net.listen(at, Algorithm::Reno, Dscp::DEFAULT).unwrap();
        let mut client = net.connect(at, Algorithm::Reno, Dscp::DEFAULT).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        let before = client.probe().sample().unwrap();
        assert!(client.probe().is_open());
        client.probe().reset();
        assert!(!client.probe().is_open());
        let mut byte = [0];
        assert_eq!(server.read(&mut byte).await.unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert!(client.read(&mut byte).await.is_err());
        let after = client.probe().sample().unwrap();
        assert_eq!(
            (after.congestion_control, after.connected),
            (before.congestion_control, before.connected)
        );
        client.probe().reset();
    });
}
