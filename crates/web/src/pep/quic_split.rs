//! A trusted proxy at the terminal and one at the gateway, which end QUIC connections and open them anew.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_http::quic::{Host, ProxyEnd, QuicError, Role, Sender, asked_for};
use bentpipe_net::Net;
use bentpipe_run::{Algorithm, Dscp, QuicSplitSpec, RunSpec, Transport, Workload};
use futures_util::future::join;
use noq::{Connecting, Connection, Endpoint};

use super::config::{Config, Side};
use super::counters::Counters;
use super::error::PepError;
use super::quic_relay::{LOST, relay};
use crate::Ports;
use crate::hosts::Hosts;

/// What the hosts of a run serve over QUIC at one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Service {
    /// Congestion control of both ends.
    cc: Algorithm,
    dscp: Dscp,
    protocol: &'static str,
}

/// One host on the path, as all connections of one service have it.
struct Splitter<N> {
    net: N,
    config: Config,
    /// The run with the settings of QUIC of the side that is turned to the client, and of the other one.
    accepting: RunSpec,
    opening: RunSpec,
    /// Congestion control over the satellite.
    satellite: Algorithm,
    hosts: Hosts,
    counters: Counters,
    /// Connections opened so far: each has random streams of its own.
    opened: Cell<u16>,
}

/// The ports of the origin whose connections the terminal accepts in its name.
pub fn ports(spec: &RunSpec, ports: Ports) -> Vec<u16> {
    services(spec, ports).into_keys().collect()
}

/// Accepts the connections of a run's clients in the name of its hosts for ever, and opens each anew: the terminal to the
/// gateway, the gateway to the host.
///
/// A client's packets to the ports of [`ports`] come to the same ports of the terminal.
pub(super) fn start<N: Net>(
    net: &N,
    config: &Config,
    spec: &QuicSplitSpec,
    counters: &Counters,
) -> Result<(), PepError> {
    let (towards_host, satellite) = (towards_host(&config.spec, spec), over_satellite(&config.spec, spec));
    let (accepting, opening) = match config.side {
        Side::Terminal => (towards_host, satellite),
        Side::Gateway => (satellite, towards_host),
    };
    let splitter = Rc::new(Splitter {
        net: net.clone(),
        config: config.clone(),
        accepting,
        opening,
        satellite: spec.cc,
        hosts: Hosts::of(&config.spec),
        counters: counters.clone(),
        opened: Cell::new(0),
    });
    (0..).zip(services(&config.spec, config.ports)).try_for_each(|(index, (port, service))| {
        splitter.accept(port, service, index).map_err(PepError::from)
    })
}

/// What there is at each port.
fn services(spec: &RunSpec, ports: Ports) -> BTreeMap<u16, Service> {
    match &spec.workload {
        Workload::PageLoad(load) if load.http.transport() == Transport::Quic => {
            let service = Service { cc: spec.cc, dscp: spec.mark(), protocol: "h3" };
            BTreeMap::from([(ports.https, service)])
        }
        Workload::Bulk(_) | Workload::Flows(_) => {
            let flows = spec.flows().into_iter().flat_map(|flows| flows.flows);
            let flows = (ports.bulk..).zip(flows).filter(|(_, flow)| flow.transport == Transport::Quic);
            let service = |(port, flow): (u16, bentpipe_run::FlowSpec)| {
                let dscp = flow.dscp.unwrap_or(Dscp::DEFAULT);
                (port, Service { cc: flow.cc, dscp, protocol: "bulk" })
            };
            flows.map(service).collect()
        }
        Workload::PageLoad(_) | Workload::Iperf3(_) | Workload::Ping(_) => BTreeMap::new(),
    }
}

/// The run as a proxy has it on its side towards a host, which is near: what it does not pass on fills its windows there.
fn towards_host(run: &RunSpec, spec: &QuicSplitSpec) -> RunSpec {
    let mut run = RunSpec { resume: None, ..run.clone() };
    run.quic.stream_receive_window_bytes = spec.relay_buffer_bytes;
    run.quic.receive_window_bytes = spec.relay_buffer_bytes;
    run.quic.send_window_bytes = spec.relay_buffer_bytes;
    run
}

/// The run as both proxies have it over the satellite.
fn over_satellite(run: &RunSpec, spec: &QuicSplitSpec) -> RunSpec {
    RunSpec { quic: spec.quic.clone(), resume: None, ..run.clone() }
}

impl<N: Net> Splitter<N> {
    /// Accepts the connections of one service for ever.
    fn accept(self: &Rc<Self>, port: u16, service: Service, index: u16) -> Result<(), QuicError> {
        let (role, cc) = match self.config.side {
            Side::Terminal => (Role::TerminalAccepting, service.cc),
            Side::Gateway => (Role::GatewayAccepting, self.satellite),
        };
        let end = self.end(&self.accepting, role, Sender::new(cc, index, service.dscp));
        let at = SocketAddr::new(self.config.address, port);
        let endpoint = end.accepting(&self.net, at, self.hosts.names(), service.protocol)?;
        let splitter = Rc::clone(self);
        self.net.spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                let client_port = incoming.remote_address().port();
                let Ok(connecting) = incoming.accept() else { continue };
                let carrier = Rc::clone(&splitter);
                splitter
                    .net
                    .spawn(async move { carrier.carry(connecting, client_port, port, service).await });
            }
        });
        Ok(())
    }

    /// Has the other half of a connection and relays; what happens to one half happens to the other.
    async fn carry(
        self: Rc<Self>,
        mut connecting: Connecting,
        client_port: u16,
        port: u16,
        service: Service,
    ) {
        self.counters.opened();
        let Ok((name, protocol)) = asked_for(&mut connecting).await else { return self.counters.failed() };
        // Neither handshake waits for the other.
        let onwards = self.onwards(&name, &protocol, client_port, port, service);
        match join(connecting, onwards).await {
            (Ok(client), Ok((endpoint, server))) => {
                let carried = |direction, bytes| self.counters.carried(direction, bytes);
                if relay(&client, &server, carried).await.is_err() {
                    self.counters.failed();
                }
                endpoint.wait_idle().await;
            }
            (Ok(client), Err(error)) => {
                self.counters.failed();
                client.close(LOST, error.to_string().as_bytes());
            }
            (Err(error), Ok((endpoint, server))) => {
                self.counters.failed();
                server.close(LOST, error.to_string().as_bytes());
                endpoint.wait_idle().await;
            }
            (Err(_), Err(_)) => self.counters.failed(),
        }
    }

    /// The other half of a connection: at the next host it comes from the client's port, by which the origin's report
    /// tells connections.
    async fn onwards(
        &self,
        name: &str,
        protocol: &[u8],
        client_port: u16,
        port: u16,
        service: Service,
    ) -> Result<(Endpoint, Connection), QuicError> {
        let index = self.opened.get();
        self.opened.set(index.wrapping_add(1));
        let (role, cc, address) = match self.config.side {
            Side::Terminal => (Role::TerminalOpening, self.satellite, self.config.gateway),
            Side::Gateway => {
                // Whoever was accepted has asked for one of them.
                let host = self.hosts.number(name).unwrap_or(0);
                (Role::GatewayOpening, service.cc, Hosts::address(self.config.origin, host))
            }
        };
        let end = self.end(&self.opening, role, Sender::new(cc, index, service.dscp));
        let from = SocketAddr::new(self.config.address, client_port);
        end.open(&self.net, from, Host { name, at: SocketAddr::new(address, port) }, protocol).await
    }

    fn end<'a>(&'a self, spec: &'a RunSpec, role: Role, sender: Sender) -> ProxyEnd<'a> {
        ProxyEnd { spec, identity: &self.config.identity, role, sender }
    }
}
