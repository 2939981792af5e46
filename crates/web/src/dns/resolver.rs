//! The resolver that a client asks.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use bentpipe_http::http2;
use bentpipe_http::quic::{self, Paths, Sender};
use bentpipe_http::tls::{Accepted, Acceptor, Identity, TlsSettings};
use bentpipe_net::{ByteStream, Datagrams, Listener, Net};
use bentpipe_run::{
    DnsProtocol, DnsSpec, PageLoadSpec, ResolverCache, ResolverPlace, RunSpec, Transport, Workload,
};
use bentpipe_units::Duration;
use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request, Response, StatusCode};
use noq::{RecvStream as RecvStreamOfQuic, SendStream};
use tokio::io::{AsyncWriteExt, split};
use tokio::sync::mpsc;

use super::message::{UDP_BYTES, read_question};
use super::transport::{ask_over_udp, framed, read_body, read_framed, unframed};
use super::zone::{TTL_S, Zone, server_failure};
use super::{CC, DOH_PATH, DOQ_ALPN, DOT_ALPN, MEDIA_TYPE, MOST_BYTES};
use super::{number, port, resolver_at, spec_of_resolver};
use crate::hosts::Hosts;
use crate::origin::OriginError;

/// Rest after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// What a resolver's tasks share.
struct Resolver<N: Net> {
    net: N,
    /// The run as a connection to it sees it.
    spec: RunSpec,
    zone: Zone,
    source: Source,
}

/// Where a resolver has its answers from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// It has been asked before.
    Cache,
    /// Authoritative servers on its own side of the satellite, which it needs so long for.
    Elsewhere(Duration),
    /// An authoritative server beyond the satellite.
    BeyondLink { local: IpAddr, server: SocketAddr },
}

/// Starts what a run has of names at the server's end of the link: its resolver, or the authoritative server that a
/// resolver at the terminal asks.
///
/// # Errors
/// When a port is taken or the certificate is unusable.
pub(crate) fn start_beyond<N: Net>(
    net: &N,
    spec: &RunSpec,
    identity: &Identity,
    origin: IpAddr,
) -> Result<(), OriginError> {
    let Some((dns, load)) = asked_for(spec) else { return Ok(()) };
    let hosts = Hosts::of_page(&load.page);
    let address = Hosts::address(origin, number(&hosts));
    let resolver = |source| Resolver::new(net, spec, Zone::of(load, origin), source);
    match (dns.resolver, dns.cache) {
        (ResolverPlace::Gateway, cache) => {
            let source = match cache {
                ResolverCache::Warm => Source::Cache,
                ResolverCache::Cold => Source::Elsewhere(dns.recursion_ns.ok_or(OriginError::NoRecursion)?),
            };
            let at = SocketAddr::new(address, port(dns.protocol));
            resolver(source).listen(dns.protocol, at, identity, number(&hosts))
        }
        (ResolverPlace::Terminal, ResolverCache::Cold) => {
            let at = SocketAddr::new(address, port(DnsProtocol::Do53));
            resolver(Source::Cache).listen(DnsProtocol::Do53, at, identity, number(&hosts))
        }
        (ResolverPlace::Terminal, ResolverCache::Warm) => Ok(()),
    }
}

/// Starts the resolver of a run that has it at the terminal, on the client's host, whose network `net` is.
///
/// # Errors
/// When a port is taken or the certificate is unusable.
pub fn start_at_terminal<N: Net>(
    net: &N,
    spec: &RunSpec,
    identity: &Identity,
    client: IpAddr,
    origin: IpAddr,
) -> Result<(), OriginError> {
    let Some((dns, load)) = asked_for(spec) else { return Ok(()) };
    if dns.resolver != ResolverPlace::Terminal {
        return Ok(());
    }
    let hosts = Hosts::of_page(&load.page);
    let source = match dns.cache {
        ResolverCache::Warm => Source::Cache,
        ResolverCache::Cold => Source::BeyondLink {
            local: client,
            server: SocketAddr::new(Hosts::address(origin, number(&hosts)), port(DnsProtocol::Do53)),
        },
    };
    let at = resolver_at(dns, &hosts, client, origin);
    let resolver = Resolver::new(net, spec, Zone::of(load, origin), source);
    resolver.listen(dns.protocol, at, identity, number(&hosts))
}

/// What a run asks for of names, and the load that does.
fn asked_for(spec: &RunSpec) -> Option<(&DnsSpec, &PageLoadSpec)> {
    let Workload::PageLoad(load) = &spec.workload else { return None };
    Some((spec.dns.as_ref()?, load))
}

impl<N: Net> Resolver<N> {
    fn new(net: &N, run: &RunSpec, zone: Zone, source: Source) -> Rc<Self> {
        Rc::new(Self { net: net.clone(), spec: spec_of_resolver(run), zone, source })
    }

    /// Answers for ever what is asked at `at`, as host number `number`.
    fn listen(
        self: Rc<Self>,
        protocol: DnsProtocol,
        at: SocketAddr,
        identity: &Identity,
        number: usize,
    ) -> Result<(), OriginError> {
        match protocol {
            DnsProtocol::Do53 => self.over_udp(at),
            DnsProtocol::Dot | DnsProtocol::Doh => self.over_tls(protocol, at, identity, number),
            DnsProtocol::Doq => self.over_quic(at, identity, number),
        }
    }

    /// The answer to what has come, when it is known; none to what is no question.
    async fn answer(&self, message: &[u8]) -> Option<Vec<u8>> {
        let (id, question) = read_question(message)?;
        match self.source {
            Source::Cache => {}
            Source::Elsewhere(span) => self.net.sleep(span).await,
            Source::BeyondLink { local, server } => {
                let mark = self.spec.mark();
                if ask_over_udp(&self.net, local, server, mark, id, &question).await.is_err() {
                    return Some(server_failure(id, &question));
                }
            }
        }
        Some(self.zone.answer(id, &question))
    }

    fn over_udp(self: Rc<Self>, at: SocketAddr) -> Result<(), OriginError> {
        let socket = Rc::new(self.net.datagrams(at, self.spec.mark())?);
        self.net.clone().spawn(async move {
            let mut buffer = [0; UDP_BYTES as usize];
            loop {
                let Ok((length, from)) = socket.recv_from(&mut buffer).await else {
                    // What an earlier answer met, such as a port that has gone.
                    self.net.sleep(ACCEPT_PAUSE).await;
                    continue;
                };
                let (resolver, socket, message) =
                    (Rc::clone(&self), Rc::clone(&socket), buffer[..length].to_vec());
                self.net.spawn(async move {
                    if let Some(answer) = resolver.answer(&message).await {
                        // A client that has gone asks no more.
                        let _ = socket.send_to(&answer, from).await;
                    }
                });
            }
        });
        Ok(())
    }

    fn over_tls(
        self: Rc<Self>,
        protocol: DnsProtocol,
        at: SocketAddr,
        identity: &Identity,
        number: usize,
    ) -> Result<(), OriginError> {
        let settings = TlsSettings::of(&self.spec, Transport::Tcp)?;
        let alpn = if protocol == DnsProtocol::Doh { "h2" } else { DOT_ALPN };
        let acceptor = Acceptor::new(settings, identity, number, &[alpn], self.net.processor())?;
        let mut listener = self.net.listen(at, CC, self.spec.mark())?;
        self.net.clone().spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    self.net.sleep(ACCEPT_PAUSE).await;
                    continue;
                };
                let (resolver, acceptor) = (Rc::clone(&self), acceptor.clone());
                self.net.spawn(async move {
                    // A client that breaks off ends its own connection and no other.
                    let Ok(Accepted { stream, .. }) = acceptor.accept(stream, |_| {}).await else { return };
                    match protocol {
                        DnsProtocol::Doh => resolver.serve_http(stream).await,
                        _ => resolver.serve_stream(stream).await,
                    }
                });
            }
        });
        Ok(())
    }

    /// Questions of one stream, each answered when its answer is known (RFC 7766 section 7).
    async fn serve_stream(self: Rc<Self>, stream: Box<dyn ByteStream>) {
        let (mut reading, mut writing) = split(stream);
        let (give, mut known) = mpsc::unbounded_channel::<Vec<u8>>();
        self.net.spawn(async move {
            while let Some(mut answers) = known.recv().await {
                while let Ok(more) = known.try_recv() {
                    answers.extend(more);
                }
                if writing.write_all(&answers).await.is_err() || writing.flush().await.is_err() {
                    return;
                }
            }
            let _ = writing.shutdown().await;
        });
        while let Ok(message) = read_framed(&mut reading).await {
            let (resolver, give) = (Rc::clone(&self), give.clone());
            self.net.spawn(async move {
                if let Some(answer) = resolver.answer(&message).await {
                    // The client may have gone.
                    let _ = give.send(framed(&answer));
                }
            });
        }
    }

    /// Questions of one connection of HTTP/2 (RFC 8484).
    async fn serve_http(self: Rc<Self>, stream: Box<dyn ByteStream>) {
        let Ok(mut accepting) = http2::server(&self.spec.http2).handshake::<_, Bytes>(stream).await else {
            return;
        };
        while let Some(Ok((request, respond))) = accepting.accept().await {
            let resolver = Rc::clone(&self);
            self.net.spawn(async move {
                // A stream that the client resets ends here, the connection goes on.
                let _ = resolver.respond(request, respond).await;
            });
        }
    }

    async fn respond(
        &self,
        request: Request<RecvStream>,
        mut respond: SendResponse<Bytes>,
    ) -> Result<(), h2::Error> {
        let is_question = request.method() == Method::POST && request.uri().path() == DOH_PATH;
        let message = if is_question { read_body(request.into_body()).await? } else { None };
        let answer = match message {
            Some(message) => self.answer(&message).await,
            None => None,
        };
        let Some(answer) = answer else {
            let refusal = Response::builder().status(StatusCode::BAD_REQUEST).body(());
            respond.send_response(refusal.expect("a response of constants"), true)?;
            return Ok(());
        };
        let head = Response::builder()
            .header(CONTENT_TYPE, MEDIA_TYPE)
            .header(CONTENT_LENGTH, answer.len())
            .header(CACHE_CONTROL, format!("max-age={TTL_S}"))
            .body(())
            .expect("a response of constants");
        respond.send_response(head, false)?.send_data(answer.into(), true)
    }

    fn over_quic(
        self: Rc<Self>,
        at: SocketAddr,
        identity: &Identity,
        number: usize,
    ) -> Result<(), OriginError> {
        let settings = TlsSettings::of(&self.spec, Transport::Quic)?;
        let tls = settings.server(identity, number, &[DOQ_ALPN])?;
        let sender = Sender { cc: CC, ..Sender::with_host(&self.spec, number) };
        let endpoint = quic::server(&self.net, at, tls, &self.spec, sender, &Paths::default(), None)?;
        self.net.clone().spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                let Ok(connecting) = incoming.accept() else { continue };
                let resolver = Rc::clone(&self);
                self.net.spawn(async move {
                    let Ok(connection) = connecting.await else { return };
                    while let Ok((sending, receiving)) = connection.accept_bi().await {
                        resolver.net.spawn(Rc::clone(&resolver).serve_question(sending, receiving));
                    }
                });
            }
        });
        Ok(())
    }

    /// The question of one stream of QUIC (RFC 9250 section 4.2).
    async fn serve_question(self: Rc<Self>, mut sending: SendStream, mut receiving: RecvStreamOfQuic) {
        let Ok(bytes) = receiving.read_to_end(2 + MOST_BYTES).await else { return };
        let Some(message) = unframed(&bytes) else { return };
        let Some(answer) = self.answer(message).await else { return };
        if sending.write_all(&framed(&answer)).await.is_ok() {
            // The client may have gone.
            let _ = sending.finish();
        }
    }
}
