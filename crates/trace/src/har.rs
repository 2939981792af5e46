//! A page load as HAR 1.2 (HTTP Archive), for browsers' developer tools and waterfall viewers.
//!
//! Standard fields are those of the specification; fields of our own start with an underscore, as it asks.
//! Header sizes are those of the uncompressed header fields, bodies are stored by size only, and `send` is
//! zero because a request is timed when it is handed to the connection. `dns` is -1 where nobody was asked for a name, as in
//! most runs. A browser's paints stand beside `onLoad` under the names that browsertime and
//! viewers of its files use.

use std::io;
use std::io::Write;

use bentpipe_run::{
    BrowserRecord, ConnectionReport, Engine, ObjectSpec, ObjectTiming, PageLoadSpec, PageSpec, RunRecord,
    Status, Workload, media,
};
use bentpipe_units::{Duration, Time};
use har::v1_2::{Content, Creator, Entries, PageTimings, QueryString, Request, Response, Timings};
use serde::Serialize;

use crate::WallClock;

/// A record that could not be written as HAR.
#[derive(Debug, thiserror::Error)]
pub enum HarError {
    /// The run loaded no page.
    #[error("a HAR file holds a page load; run {run_id} has another workload")]
    NotAPageLoad {
        /// The run.
        run_id: String,
    },
    /// The sink could not be written.
    #[error("cannot write the HAR file")]
    Write(#[from] io::Error),
}

/// Writes the page load of `record` as HAR 1.2; `start` is the wall clock at the start of its workload.
///
/// The timings of an entry add up to the time from the object's discovery to its last byte; the time spent on its name and on
/// connecting goes to the first object requested on each connection, as far as that object waited for it.
///
/// # Errors
/// When the record is not of a page load, or the sink cannot be written.
pub fn write(record: &RunRecord, start: WallClock, sink: impl Write) -> Result<(), HarError> {
    let Workload::PageLoad(load) = &record.spec.workload else {
        return Err(HarError::NotAPageLoad { run_id: record.run_id.clone() });
    };
    let mut objects: Vec<&ObjectTiming> = record.objects.iter().collect();
    objects
        .sort_by(|a, b| a.discovered_s.total_cmp(&b.discovered_s).then(a.request_s.total_cmp(&b.request_s)));
    let log = Log {
        version: "1.2",
        creator: Creator {
            name: "Bentpipe".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            comment: None,
        },
        browser: record.browser.as_ref().map(browser),
        pages: vec![page(record, load, start)],
        entries: objects.iter().map(|object| entry(record, load, object, start)).collect(),
    };
    serde_json::to_writer_pretty(sink, &Document { log }).map_err(io::Error::from)?;
    Ok(())
}

#[derive(Serialize)]
struct Document<'a> {
    log: Log<'a>,
}

#[derive(Serialize)]
struct Log<'a> {
    version: &'static str,
    creator: Creator,
    #[serde(skip_serializing_if = "Option::is_none")]
    browser: Option<Creator>,
    pages: Vec<Page<'a>>,
    entries: Vec<Entry<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    started_date_time: String,
    id: &'static str,
    title: &'a str,
    page_timings: Milestones,
    #[serde(rename = "_runId")]
    run_id: &'a str,
    #[serde(rename = "_status")]
    status: Status,
    #[serde(rename = "_engine")]
    engine: Engine,
    #[serde(rename = "_link")]
    link: &'a str,
}

/// When the page was parsed, loaded and painted, in milliseconds.
#[derive(Serialize)]
struct Milestones {
    #[serde(flatten)]
    standard: PageTimings,
    #[serde(rename = "_firstContentfulPaint", skip_serializing_if = "Option::is_none")]
    first_contentful_paint: Option<f64>,
    #[serde(rename = "_largestContentfulPaint", skip_serializing_if = "Option::is_none")]
    largest_contentful_paint: Option<f64>,
    #[serde(rename = "_speedIndex", skip_serializing_if = "Option::is_none")]
    speed_index: Option<f64>,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    standard: Entries,
    #[serde(rename = "_connectionIndex")]
    connection_index: usize,
    #[serde(rename = "_transport", skip_serializing_if = "Option::is_none")]
    transport: Option<&'a str>,
    #[serde(rename = "_congestionControl", skip_serializing_if = "Option::is_none")]
    congestion_control: Option<&'a str>,
}

const PAGE_ID: &str = "page_1";
/// "Not applicable" or "not known" in HAR.
const NONE: f64 = -1.0;

fn page<'a>(record: &'a RunRecord, load: &'a PageLoadSpec, start: WallClock) -> Page<'a> {
    Page {
        started_date_time: start.to_string(),
        id: PAGE_ID,
        title: &load.page.name,
        page_timings: record.browser.as_ref().map_or_else(|| loader_milestones(record), browser_milestones),
        run_id: &record.run_id,
        status: record.status,
        engine: record.engine,
        link: &record.spec.link.name,
    }
}

/// The loader's page is parsed when its document is there, as no script makes the parser wait, and loaded
/// when all objects are complete.
fn loader_milestones(record: &RunRecord) -> Milestones {
    let parsed_s = record.objects.first().map(|document| document.last_byte_s);
    Milestones {
        standard: page_timings(parsed_s, record.metrics.plt_s),
        first_contentful_paint: None,
        largest_contentful_paint: None,
        speed_index: None,
    }
}

fn browser_milestones(browser: &BrowserRecord) -> Milestones {
    Milestones {
        standard: page_timings(browser.parsed_s, browser.loaded_s),
        first_contentful_paint: browser.paint_fcp_s.map(millis),
        largest_contentful_paint: browser.paint_lcp_s.map(millis),
        speed_index: browser.speed_index_s.map(millis),
    }
}

fn page_timings(parsed_s: Option<f64>, loaded_s: Option<f64>) -> PageTimings {
    PageTimings {
        on_content_load: Some(parsed_s.map_or(NONE, millis)),
        on_load: Some(loaded_s.map_or(NONE, millis)),
        comment: None,
    }
}

/// Name and version, of which the version is the last word.
fn browser(record: &BrowserRecord) -> Creator {
    let (name, version) = record.version.rsplit_once(' ').unwrap_or((&record.version, ""));
    Creator { name: name.to_owned(), version: version.to_owned(), comment: None }
}

fn entry<'a>(
    record: &'a RunRecord,
    load: &PageLoadSpec,
    object: &ObjectTiming,
    start: WallClock,
) -> Entry<'a> {
    let connection = record.client_connections.get(object.connection);
    let http_version = connection.map_or_else(String::new, |c| http_version(&c.protocol));
    let opened = connection.filter(|_| is_first_on_connection(record, object));
    let standard = Entries {
        pageref: Some(PAGE_ID.to_owned()),
        started_date_time: (start + Duration::from_secs_f64(object.discovered_s)).to_string(),
        time: millis(object.last_byte_s - object.discovered_s),
        request: Request {
            method: "GET".to_owned(),
            url: object.url.clone(),
            http_version: http_version.clone(),
            query_string: query_string(&object.url),
            headers_size: size(object.request_header_bytes),
            body_size: 0,
            ..Request::default()
        },
        response: Response {
            status: i64::from(object.status),
            http_version,
            content: Content {
                size: size(object.bytes),
                mime_type: Some(mime_type(&load.page, &object.url).to_owned()),
                ..Content::default()
            },
            redirect_url: Some(String::new()),
            headers_size: size(object.response_header_bytes),
            body_size: size(object.bytes),
            ..Response::default()
        },
        timings: timings(object, opened),
        connection: connection.map(|c| c.client_port.to_string()),
        ..Entries::default()
    };
    Entry {
        standard,
        connection_index: object.connection,
        transport: connection.map(|c| c.transport.as_str()),
        congestion_control: connection.map(|c| c.congestion_control.as_str()),
    }
}

fn is_first_on_connection(record: &RunRecord, object: &ObjectTiming) -> bool {
    let siblings = record.objects.iter().filter(|other| other.connection == object.connection);
    let first = siblings.min_by(|a, b| a.request_s.total_cmp(&b.request_s));
    first.is_some_and(|first| std::ptr::eq(first, object))
}

/// Splits the object's span at its milestones; `opened` is the connection, when it was opened for this object.
fn timings(object: &ObjectTiming, opened: Option<&ConnectionReport>) -> Timings {
    let discovered = millis(object.discovered_s);
    let requested = millis(object.request_s).max(discovered);
    let connecting = opened.and_then(|connection| handshakes(connection, discovered, requested));
    let connect = connecting.as_ref().map(|c| c.connect);
    let dns = opened.and_then(|connection| name_lookup(connection, discovered, requested));
    Timings {
        blocked: Some(requested - discovered - connect.unwrap_or(0.0) - dns.unwrap_or(0.0)),
        dns: Some(dns.unwrap_or(NONE)),
        connect: Some(connect.unwrap_or(NONE)),
        ssl: Some(connecting.and_then(|c| c.ssl).unwrap_or(NONE)),
        send: 0.0,
        wait: millis(object.first_byte_s) - requested,
        receive: millis(object.last_byte_s) - millis(object.first_byte_s),
        comment: None,
    }
}

struct Handshakes {
    /// Transport and TLS together: HAR counts `ssl` inside `connect`.
    connect: f64,
    /// TLS over TCP; none in clear text and for QUIC, where transport and TLS are one (RFC 9001 section 4).
    ssl: Option<f64>,
}

/// The part of the handshakes between `from` and `to`, in milliseconds.
fn handshakes(connection: &ConnectionReport, from: f64, to: f64) -> Option<Handshakes> {
    let millis = |at: Time| (at.as_nanos() as f64 / 1e6).clamp(from, to);
    let (started, connected) = (millis(connection.started), millis(connection.connected?));
    let secured = connection.secured.map(millis);
    Some(Handshakes {
        connect: secured.unwrap_or(connected) - started,
        ssl: secured.map(|secured| secured - connected),
    })
}

/// The part between `from` and `to` of what a connection waited for the address of its host, in milliseconds.
fn name_lookup(connection: &ConnectionReport, from: f64, to: f64) -> Option<f64> {
    let started = connection.started.as_nanos() as f64 / 1e6;
    let asked = started - connection.name_lookup?.as_nanos() as f64 / 1e6;
    Some(started.clamp(from, to) - asked.clamp(from, to))
}

fn http_version(alpn: &str) -> String {
    match alpn {
        "http/1.0" => "HTTP/1.0",
        "http/1.1" => "HTTP/1.1",
        "h2" => "HTTP/2",
        "h3" => "HTTP/3",
        other => other,
    }
    .to_owned()
}

/// The parameters after the question mark, as they are written.
fn query_string(url: &str) -> Vec<QueryString> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            QueryString { name: name.to_owned(), value: value.to_owned(), comment: None }
        })
        .collect()
}

/// The type that the origin sends: that of the page's object, else by the path as a document or a file.
fn mime_type(page: &PageSpec, url: &str) -> &'static str {
    let mut parts = url.splitn(4, '/').skip(2);
    let host = parts.next().unwrap_or_default();
    let path = format!("/{}", parts.next().unwrap_or_default());
    let is_meant = |object: &&ObjectSpec| {
        let named = object.host.as_ref().or(page.host.as_ref());
        object.path == path && named.is_none_or(|named| named.eq_ignore_ascii_case(host))
    };
    if let Some(object) = page.objects.iter().find(is_meant) {
        return media::of_object(object);
    }
    match path.split(['?', '#']).next().unwrap_or_default() {
        document if document.ends_with('/') => media::HTML,
        file => media::of_file(file).unwrap_or(media::OTHER),
    }
}

fn millis(seconds: f64) -> f64 {
    seconds * 1e3
}

fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
