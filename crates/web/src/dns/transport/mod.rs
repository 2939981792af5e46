//! How questions travel to a resolver.

mod do53;
mod doh;
mod doq;
mod dot;

use std::net::{IpAddr, SocketAddr};

use bentpipe_http::tls::{self, ClientTls, Memory};
use bentpipe_net::{ByteStream, Net};
use bentpipe_run::{DnsProtocol, RunSpec, Transport};

pub(super) use do53::ask as ask_over_udp;
pub(super) use doh::read_body;
pub(super) use doq::unframed;
pub(super) use dot::{framed, read_framed};

use super::CC;
use super::error::LookupError;
use super::message::{Answer, Question, Unusable};
use crate::RESOLVER;

/// A resolver as its client needs to know it.
#[derive(Clone, Debug)]
pub(super) struct Resolver {
    /// The run as a connection to it sees it.
    pub(super) spec: RunSpec,
    pub(super) protocol: DnsProtocol,
    pub(super) at: SocketAddr,
    /// The client's own address.
    pub(super) local: IpAddr,
    /// Its number among the hosts of the run.
    pub(super) number: usize,
    /// The certificate authority to trust.
    pub(super) authority_der: Vec<u8>,
    /// Settings of TLS, of which a connection to the page has its own.
    pub(super) memory: Memory,
}

/// A connection to a resolver, over which all questions go.
pub(super) enum Connection {
    Do53,
    Dot(dot::Connection),
    Doh(doh::Connection),
    Doq(doq::Connection),
}

impl Connection {
    /// Opens it; over UDP there is nothing to open.
    pub(super) async fn open<N: Net>(net: &N, resolver: &Resolver) -> Result<Self, LookupError> {
        Ok(match resolver.protocol {
            DnsProtocol::Do53 => Self::Do53,
            DnsProtocol::Dot => Self::Dot(dot::Connection::open(net, resolver).await?),
            DnsProtocol::Doh => Self::Doh(doh::Connection::open(net, resolver).await?),
            DnsProtocol::Doq => Self::Doq(doq::Connection::open(net, resolver).await?),
        })
    }

    /// Asks a question, as number `id` where the protocol does not want zero.
    pub(super) async fn ask<N: Net>(
        &self,
        net: &N,
        resolver: &Resolver,
        id: u16,
        question: &Question,
    ) -> Result<Answer, LookupError> {
        match self {
            Self::Do53 => {
                ask_over_udp(net, resolver.local, resolver.at, resolver.spec.mark(), id, question).await
            }
            Self::Dot(connection) => connection.ask(id, question).await,
            Self::Doh(connection) => connection.ask(question).await,
            Self::Doq(connection) => connection.ask(question).await,
        }
    }
}

impl Resolver {
    fn tls(&self) -> ClientTls<'_> {
        let Self { spec, authority_der, memory, .. } = self;
        ClientTls { spec, authority_der, secrets: None, memory }
    }

    /// A stream of TLS over TCP.
    async fn stream<N: Net>(&self, net: &N, alpn: &str) -> Result<Box<dyn ByteStream>, LookupError> {
        let stream = net.connect(self.at, CC, self.spec.mark()).await?;
        let config = self.tls().config(Transport::Tcp, alpn)?;
        Ok(tls::connect(config, RESOLVER, stream, net.processor(), |_| {}).await?)
    }
}

impl Unusable {
    /// What it means on a connection of which nobody else knows.
    fn on_connection(self) -> LookupError {
        match self {
            Self::Foreign => LookupError::Nonsense,
            Self::Failed(error) => error,
        }
    }
}
