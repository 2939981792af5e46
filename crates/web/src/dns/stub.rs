//! The client's stub resolver (RFC 1034 section 5.3.1): asks for each name once, and remembers the answer.

use std::cell::RefCell;
use std::net::IpAddr;

use bentpipe_http::tls::Memory;
use bentpipe_net::{Net, within};
use bentpipe_run::{Http, PageLoadSpec, ResolverConnection, Visit};
use bentpipe_units::Duration;
use futures_util::future::{join, try_join};
use hickory_proto::rr::RecordType;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use tokio::sync::OnceCell;

use super::error::LookupError;
use super::message::{Answer, Question};
use super::transport::{Connection, Resolver};
use super::{number, resolver_at, spec_of_resolver};
use crate::Client;
use crate::hosts::{Hosts, Remote};

/// How long a client that has an IPv4 address waits for an IPv6 one (Resolution Delay, RFC 8305 section 8), or for what
/// else may be known of a host.
const RESOLUTION_DELAY: Duration = Duration::from_millis(50);
/// Tells the numbers of questions from other random streams of a run.
const ID_SEED: u64 = 0x646e_7300;

/// The client's stub resolver.
pub(crate) struct Stub<N: Net> {
    net: N,
    resolver: Resolver,
    http: Http,
    connection: OnceCell<Connection>,
    /// By host.
    addresses: Vec<OnceCell<IpAddr>>,
    ids: RefCell<Pcg64Mcg>,
}

impl<N: Net> Stub<N> {
    /// That of a load, where its client does not know the names: at the second visit it has those of the first.
    pub(crate) fn of(net: &N, client: &Client, load: &PageLoadSpec, hosts: &Hosts) -> Option<Self> {
        let dns = client.spec.dns.filter(|_| load.visit != Some(Visit::Repeat))?;
        let resolver = Resolver {
            spec: spec_of_resolver(&client.spec),
            protocol: dns.protocol,
            at: resolver_at(&dns, hosts, client.local, client.origin),
            local: client.local,
            number: number(hosts),
            authority_der: client.authority_der.clone(),
            memory: Memory::default(),
        };
        Some(Self {
            net: net.clone(),
            resolver,
            http: load.http,
            connection: OnceCell::new(),
            addresses: hosts.names().iter().map(|_| OnceCell::new()).collect(),
            ids: RefCell::new(Pcg64Mcg::seed_from_u64(client.spec.seed ^ ID_SEED)),
        })
    }

    /// Opens the connection to the resolver of a client that has one from before.
    pub(crate) async fn ready(&self, connection: ResolverConnection) -> Result<(), LookupError> {
        match connection {
            ResolverConnection::Cold => Ok(()),
            ResolverConnection::Warm => self.connection().await.map(|_| ()),
        }
    }

    /// The address of a host; whoever asks while an answer is under way waits for that.
    pub(crate) async fn address(&self, remote: &Remote) -> Result<IpAddr, LookupError> {
        self.addresses[remote.host].get_or_try_init(|| self.look_up(&remote.name)).await.copied()
    }

    /// Asks for both kinds of addresses at once (RFC 8305 section 3), and for the service where there may be one: for
    /// HTTP/3 it has to say that there is.
    async fn look_up(&self, name: &str) -> Result<IpAddr, LookupError> {
        let needed = async {
            let address = self.ask(name, RecordType::A);
            if self.http != Http::H3 {
                return Ok((address.await?, None));
            }
            let (address, service) = try_join(address, self.ask(name, RecordType::HTTPS)).await?;
            Ok::<_, LookupError>((address, Some(service)))
        };
        let welcome = async {
            let ipv6 = self.ask(name, RecordType::AAAA);
            if self.http.is_tls() && self.http != Http::H3 {
                // Neither answer changes anything, nor does its absence.
                let _ = join(ipv6, self.ask(name, RecordType::HTTPS)).await;
            } else {
                let _ = ipv6.await;
            }
        };
        let (address, service) = self.both(needed, welcome).await?;
        if let Some(service) = service {
            let alpn = self.http.alpn();
            let has = matches!(&service, Answer::Protocols(known) if known.iter().any(|known| known == alpn));
            if !has {
                return Err(LookupError::NoProtocol(alpn.to_owned()));
            }
        }
        match address {
            Answer::Address(address) => Ok(address),
            Answer::Protocols(_) | Answer::Nothing => Err(LookupError::NoAddress),
        }
    }

    /// What `needed` gives, when `welcome` has ended as well, or the resolution delay after it.
    async fn both<T>(
        &self,
        needed: impl Future<Output = Result<T, LookupError>>,
        welcome: impl Future<Output = ()>,
    ) -> Result<T, LookupError> {
        use futures_util::future::{Either, select};
        let (needed, welcome) = (Box::pin(needed), Box::pin(welcome));
        match select(needed, welcome).await {
            Either::Left((result, welcome)) => {
                let result = result?;
                // Too late is as good as never.
                let _ = within(&self.net, RESOLUTION_DELAY, welcome).await;
                Ok(result)
            }
            Either::Right(((), needed)) => needed.await,
        }
    }

    async fn ask(&self, name: &str, kind: RecordType) -> Result<Answer, LookupError> {
        let question = Question::new(name, kind)?;
        let connection = self.connection().await?;
        let id = self.ids.borrow_mut().next_u32() as u16;
        connection.ask(&self.net, &self.resolver, id, &question).await
    }

    async fn connection(&self) -> Result<&Connection, LookupError> {
        self.connection.get_or_try_init(|| Connection::open(&self.net, &self.resolver)).await
    }
}
