//! The page loader: behaves like a browser on the network, and times every object.

mod body;
mod connect;
mod discover;
mod h1;
mod h2;
mod h3;
mod idle;
mod proxy;
mod request;
mod retry;
mod spdy;
mod visit;

pub use visit::{VisitError, closing_time, visit};

use std::rc::Rc;

use bentpipe_run::{ClientReport, Http, ObjectSighting, PageLoadSpec};
use bentpipe_units::{Bytes, Time};
use tokio::sync::mpsc;

use crate::Client;
use crate::connection::Connections;
use crate::net::{Net, within};
use crate::origin::Probe;
use crate::page::{INDEX, Site};
use crate::quic::QuicError;
use body::Received;
pub(crate) use discover::Discovery;
use proxy::Proxy;

/// Why an object could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("connect: {0}")]
    Connect(#[from] std::io::Error),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error(transparent)]
    Quic(#[from] QuicError),
    #[error("HTTP/1: {0}")]
    H1(#[from] h1::H1Error),
    #[error("HTTP/2: {0}")]
    H2(#[from] ::h2::Error),
    #[error("HTTP/3: {0}")]
    H3(String),
    #[error("SPDY: {0}")]
    Spdy(String),
    #[error("the proxy answers {0}")]
    Proxy(http::StatusCode),
}

/// One response as it came over the wire.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) connection: usize,
    pub(crate) requested: Time,
    pub(crate) first_byte: Time,
    pub(crate) last_byte: Time,
    pub(crate) status: u16,
    pub(crate) request_header_bytes: Bytes,
    pub(crate) response_header_bytes: Bytes,
    pub(crate) body: Received,
}

/// What all fetches of one page load share.
pub(crate) struct Session<N: Net> {
    pub(crate) net: N,
    pub(crate) client: Client,
    pub(crate) load: PageLoadSpec,
    pub(crate) connections: Connections<Probe<N>>,
    spares: retry::Spares<N::Stream>,
    proxy: Option<Proxy>,
}

/// The protocol's way of fetching.
enum Protocol<N: Net> {
    H1(h1::Pool<N>),
    H2(h2::Client<N>),
    H3(h3::Client<N>),
    Spdy(spdy::Client<N>),
}

/// Loads the page once and reports what was seen; never fails, because faults are part of the report.
///
/// Connections are closed after the last object, beside the caller: closing is not part of the load.
pub async fn load<N: Net>(net: &N, client: Client, load: PageLoadSpec) -> ClientReport {
    let site = client.sites.of(&load.page);
    let timeout = client.spec.validity.timeout_ns;
    let (proxy, connections, spares) = (Proxy::of(&client), Connections::new(), retry::Spares::default());
    let session = Rc::new(Session { net: net.clone(), client, load, connections, spares, proxy });
    let mut report = ClientReport { started: net.now(), ..ClientReport::default() };
    let log = Log { site: &site, report: &mut report };
    if within(net, timeout, load_page(&session, log)).await.is_none() {
        let loaded = report.objects.len();
        report.faults.push(format!("timed out after {timeout} with {loaded} objects loaded"));
    }
    report.connections = session.connections.finish().0;
    report.tls_secrets = session.client.secret_lines();
    report
}

/// Compares what comes with what should, and writes it down.
struct Log<'a> {
    site: &'a Site,
    report: &'a mut ClientReport,
}

async fn load_page<N: Net>(session: &Rc<Session<N>>, mut log: Log<'_>) {
    let protocol = Rc::new(Protocol::new(session));
    let (done, mut finished) = mpsc::unbounded_channel();
    let mut discovery = Discovery::new(INDEX);
    let discovered = log.report.started;
    let index = protocol
        .fetch(INDEX, |chunk| {
            for path in discovery.feed(chunk) {
                fetch_object(session, &protocol, path, &done);
            }
        })
        .await;
    log.sighted(session, INDEX, discovered, index);
    for path in discovery.finish() {
        fetch_object(session, &protocol, path, &done);
    }
    drop(done);
    while let Some((path, discovered, result)) = finished.recv().await {
        log.sighted(session, &path, discovered, result);
    }
    log.missing();
    log.report.doubts.extend(protocol.doubts());
}

type Done = (String, Time, Result<Fetched, FetchError>);

/// Starts fetching an object; the order of the calls is the order of the requests.
fn fetch_object<N: Net>(
    session: &Rc<Session<N>>,
    protocol: &Rc<Protocol<N>>,
    path: String,
    done: &mpsc::UnboundedSender<Done>,
) {
    let (protocol, done) = (Rc::clone(protocol), done.clone());
    let discovered = session.net.now();
    session.net.spawn(async move {
        let result = protocol.fetch(&path, |_| {}).await;
        // Nobody listens any more once the load has timed out.
        let _ = done.send((path, discovered, result));
    });
}

impl<N: Net> Protocol<N> {
    fn new(session: &Rc<Session<N>>) -> Self {
        match session.load.http {
            Http::Http10 | Http::Http10s | Http::H1 | Http::H1s => Self::H1(h1::Pool::new(session)),
            Http::H2 | Http::H2c => Self::H2(h2::Client::new(session)),
            Http::H3 => Self::H3(h3::Client::new(session)),
            Http::Spdy => Self::Spdy(spdy::Client::new(session)),
        }
    }

    async fn fetch(&self, path: &str, on_data: impl FnMut(&[u8])) -> Result<Fetched, FetchError> {
        match self {
            Self::H1(pool) => pool.fetch(path, on_data).await,
            Self::H2(client) => client.fetch(path, on_data).await,
            Self::H3(client) => client.fetch(path, on_data).await,
            Self::Spdy(client) => client.fetch(path, on_data).await,
        }
    }

    /// What was odd about the connections, beside the objects.
    fn doubts(&self) -> Vec<String> {
        match self {
            Self::H1(_) | Self::H3(_) | Self::Spdy(_) => Vec::new(),
            Self::H2(client) => client.doubts(),
        }
    }
}

impl Log<'_> {
    fn sighted<N: Net>(
        &mut self,
        session: &Session<N>,
        path: &str,
        discovered: Time,
        result: Result<Fetched, FetchError>,
    ) {
        let fetched = match result {
            Ok(fetched) => fetched,
            Err(error) => {
                self.report.faults.push(format!("object {path}: {error}"));
                return;
            }
        };
        self.report.doubts.extend(self.difference(path, &fetched));
        self.report.objects.push(ObjectSighting {
            url: request::url(session.load.http, path),
            bytes: fetched.body.length(),
            connection: fetched.connection,
            // A promise tells of an object before the document does.
            discovered: discovered.min(fetched.requested),
            requested: fetched.requested,
            first_byte: fetched.first_byte,
            last_byte: fetched.last_byte,
            status: fetched.status,
            response_header_bytes: fetched.response_header_bytes,
            request_header_bytes: fetched.request_header_bytes,
        });
    }

    /// How a response differs from what the origin must serve.
    fn difference(&self, path: &str, fetched: &Fetched) -> Option<String> {
        let Some(expected) = self.site.get(path) else {
            return Some(format!("object {path}: not of this page"));
        };
        if fetched.status != 200 {
            return Some(format!("object {path}: expected status 200, found {}", fetched.status));
        }
        let (length, found) = (expected.body.len() as u64, fetched.body.length().get());
        if length != found {
            return Some(format!("object {path}: expected {length} bytes, received {found}"));
        }
        let same = expected.digest.as_ref() == fetched.body.digest().as_ref();
        (!same).then(|| format!("object {path}: content differs from the origin's"))
    }

    /// Notes objects that the document should have named but did not.
    fn missing(&mut self) {
        let (report, site) = (&mut *self.report, self.site);
        let seen = |path: &str| report.objects.iter().any(|object| request::path_of(&object.url) == path);
        let missing = site.iter().filter(|(path, _)| !seen(path)).map(|(path, _)| path);
        let doubts: Vec<_> = missing.map(|path| format!("object {path}: not loaded")).collect();
        report.doubts.extend(doubts);
    }
}
