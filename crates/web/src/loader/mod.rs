//! The page loader: behaves like a browser on the network, and times every object.

mod activity;
mod body;
mod connect;
mod discover;
mod fetch;
mod h1;
mod h2;
mod h3;
mod host;
mod idle;
mod protocol;
mod proxy;
mod request;
mod retry;
mod session;
mod spares;
mod spdy;
mod visit;

pub use visit::{closing_time, visit};

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use bentpipe_net::{Net, within};
use bentpipe_run::{ClientReport, ObjectSighting, PageLoadSpec, Reason};
use bentpipe_units::{Bytes, Duration, Time};
use tokio::sync::mpsc;

use crate::Client;
use crate::page::{INDEX, Place, Site};
pub(crate) use discover::Discovery;
use discover::{By, Named, named_in};
use fetch::{FetchError, Fetched};
use host::Host;
pub(crate) use request::url;
use session::Session;

/// Loads the page once and reports what was seen; never fails, because faults are part of the report.
///
/// Connections are closed after the last object, beside the caller: closing is not part of the load.
pub async fn load<N: Net>(net: &N, client: Client, load: PageLoadSpec) -> ClientReport {
    let timeout = client.spec.validity.timeout_ns;
    let session = Session::of(net, client, load);
    if let Ok(session) = &session {
        // What fails here fails again, and is told, when the first name is asked for.
        let _ = within(net, timeout, session.ready()).await;
    }
    // Drawing the page, to compare with what comes, is no part of loading it.
    let mut report = ClientReport { started: net.now(), ..ClientReport::default() };
    let session = match session {
        Ok(session) => Rc::new(session),
        Err(error) => {
            report.faults.push(Reason::PageUnreadable { error: error.to_string() });
            return report;
        }
    };
    let log = Log { site: &session.site, loaded: BTreeSet::new(), report: &mut report };
    if within(net, timeout, load_page(&session, log)).await.is_none() {
        let loaded_objects = Some(report.objects.len() as u64);
        report.faults.push(Reason::TimedOut { timeout_ns: timeout, loaded_objects });
    }
    report.connections = session.connections.finish().0;
    report.tls_secrets = session.client.secret_lines();
    report
}

/// Compares what comes with what should, and writes it down.
struct Log<'a> {
    site: &'a Site,
    loaded: BTreeSet<Place>,
    report: &'a mut ClientReport,
}

async fn load_page<N: Net>(session: &Rc<Session<N>>, mut log: Log<'_>) {
    let (done, mut finished) = mpsc::unbounded_channel();
    let document = Place::own(INDEX);
    let fetching = Rc::new(Fetching::new(session, done));
    let mut discovery = Discovery::new(session.site.hosts(), &document);
    let discovered = log.report.started;
    let index = fetching
        .fetch(&document, |chunk| {
            for named in discovery.feed(chunk) {
                fetching.discovered(named);
            }
        })
        .await;
    let is_there = index.is_ok();
    log.sighted(session, &document, discovered, index);
    for named in discovery.finish() {
        fetching.discovered(named);
    }
    if is_there {
        fetching.unread(&document);
    }
    let hosts = Rc::clone(&fetching.hosts);
    drop(fetching);
    while let Some((place, discovered, result)) = finished.recv().await {
        log.sighted(session, &place, discovered, result);
    }
    log.missing();
    log.report.doubts.extend(hosts.iter().flat_map(Host::doubts));
}

type Done = (Place, Time, Result<Fetched, FetchError>);

/// What all objects of a load share while they are fetched. The load is over when nobody has it any more.
struct Fetching<N: Net> {
    session: Rc<Session<N>>,
    /// By host.
    hosts: Rc<Vec<Host<N>>>,
    seen: RefCell<BTreeSet<Place>>,
    done: mpsc::UnboundedSender<Done>,
}

impl<N: Net> Fetching<N> {
    fn new(session: &Rc<Session<N>>, done: mpsc::UnboundedSender<Done>) -> Self {
        let remotes = session.site.hosts().remotes(session.client.origin);
        let hosts = remotes.map(|remote| Host::new(session, remote)).collect();
        let seen = RefCell::new(BTreeSet::from([Place::own(INDEX)]));
        Self { session: Rc::clone(session), hosts: Rc::new(hosts), seen, done }
    }

    async fn fetch(&self, place: &Place, on_data: impl FnMut(&[u8])) -> Result<Fetched, FetchError> {
        self.hosts[place.host].fetch(&place.path, on_data).await
    }

    /// Starts fetching what has been found, unless it is under way; the order of the calls is the order of the requests.
    fn discovered(self: &Rc<Self>, named: Named) {
        let Named { place, wait, by } = named;
        let there = self.session.site.place(&place);
        // What is not made here may name what nobody has.
        let is_of_use = there.is_some() || (by == By::Markup && self.session.load.page.document.is_none());
        let place = there.unwrap_or(place);
        if !is_of_use || !self.seen.borrow_mut().insert(place.clone()) {
            return;
        }
        let (fetching, discovered) = (Rc::clone(self), self.session.net.now());
        self.session.net.spawn(async move {
            let mut discovered = discovered;
            if wait > Duration::ZERO {
                fetching.session.net.sleep(wait).await;
                discovered = fetching.session.net.now();
            }
            let result = fetching.fetch(&place, |_| {}).await;
            if result.is_ok() {
                fetching.arrived(&place);
            }
            // Nobody listens any more once the load has timed out.
            let _ = fetching.done.send((place, discovered, result));
        });
    }

    /// A style sheet names others and a script runs as soon as all of it is there. What it must be is known:
    /// whether that came is the log's business.
    fn arrived(self: &Rc<Self>, place: &Place) {
        let site = &self.session.site;
        let Some(resource) = site.on(place.host, &place.path) else { return };
        for named in named_in(resource, site.hosts(), place, &Place::own(INDEX)) {
            self.discovered(named);
        }
        self.unread(place);
    }

    /// A file may name others in ways that are not read here: the page tells which they are.
    fn unread(self: &Rc<Self>, place: &Place) {
        for (place, wait) in self.session.site.named_by(place) {
            self.discovered(Named { place: place.clone(), wait: *wait, by: By::Code });
        }
    }
}

impl Log<'_> {
    fn sighted<N: Net>(
        &mut self,
        session: &Session<N>,
        place: &Place,
        discovered: Time,
        result: Result<Fetched, FetchError>,
    ) {
        let fetched = match result {
            Ok(fetched) => fetched,
            Err(error) => {
                let (object, error) = (self.label(place), error.to_string());
                self.report.faults.push(Reason::FetchFailed { object, error });
                return;
            }
        };
        self.loaded.insert(place.clone());
        self.report.doubts.extend(self.difference(place, &fetched));
        self.report.objects.push(ObjectSighting {
            url: session.url(place),
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
    fn difference(&self, place: &Place, fetched: &Fetched) -> Option<Reason> {
        let object = self.label(place);
        let Some(expected) = self.site.on(place.host, &place.path) else {
            return Some(Reason::ObjectUnknown { object });
        };
        if fetched.status != 200 {
            return Some(Reason::WrongStatus { object, expected_status: 200, found_status: fetched.status });
        }
        let (expected_bytes, found_bytes) = (Bytes::new(expected.body.len() as u64), fetched.body.length());
        if expected_bytes != found_bytes {
            return Some(Reason::WrongLength { object, expected_bytes, found_bytes });
        }
        let same = expected.digest.as_ref() == fetched.body.digest().as_ref();
        (!same).then_some(Reason::WrongContent { object })
    }

    /// Notes objects that should have been named but were not.
    fn missing(&mut self) {
        let missing = self.site.iter().filter(|(place, _)| !self.loaded.contains(place));
        let doubts: Vec<_> =
            missing.map(|(place, _)| Reason::ObjectMissing { object: self.label(&place) }).collect();
        self.report.doubts.extend(doubts);
    }

    /// The path, with the host where that is not the page's own.
    fn label(&self, place: &Place) -> String {
        match place.host {
            0 => place.path.clone(),
            host => format!("//{}{}", self.site.hosts().names()[host], place.path),
        }
    }
}
