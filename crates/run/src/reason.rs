//! Why a run has no number, or none to be trusted: a code with fields, whose sentence is made where it is shown.

use bentpipe_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a run failed or is invalid. `Display` is its sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(tag = "code", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reason {
    /// The engine broke before there were reports.
    #[error("{error}")]
    EngineFailed {
        /// What it said.
        error: String,
    },
    /// An engine raised what it has no reason for: its defect.
    #[error("the engine raised {exception}: {error} ({function}, line {line})")]
    EngineRaised {
        /// The exception's class.
        exception: String,
        /// Its text.
        error: String,
        /// Which function raised it.
        function: String,
        /// Line in its file.
        line: u32,
    },
    /// A server, iperf3 or another program of the run ended before its time.
    #[error("{error}")]
    ProgramFailed {
        /// Its name, its exit status and its last words.
        error: String,
    },
    /// The browser did not do what it was told.
    #[error("{browser}: {error}")]
    BrowserFailed {
        /// Its name.
        browser: String,
        /// What the connection to it said.
        error: String,
    },
    /// The workload did not end in its time.
    #[error("timed out after {timeout_ns}{}", loaded(*loaded_objects))]
    TimedOut {
        /// The time that it had.
        timeout_ns: Duration,
        /// Objects that had been loaded; none of a workload without objects.
        loaded_objects: Option<u64>,
    },
    /// The visit before the load did not end in its time.
    #[error("the visit before the load timed out after {timeout_ns}")]
    VisitTimedOut {
        /// The time that it had.
        timeout_ns: Duration,
    },
    /// The connection of the visit before the load failed.
    #[error("the visit before the load: {error}")]
    VisitFailed {
        /// Of the socket, TLS or HTTP.
        error: String,
    },
    /// The page could not be drawn or read.
    #[error("{error}")]
    PageUnreadable {
        /// Why not.
        error: String,
    },
    /// An object did not come.
    #[error("object {object}: {error}")]
    FetchFailed {
        /// Its path, with the host where that is not the page's own.
        object: String,
        /// Of the socket, TLS, QUIC or HTTP.
        error: String,
    },
    /// A flow broke.
    #[error("{}{error}", of_flows(*flow, *flows))]
    FlowFailed {
        /// Its place, from 0.
        flow: u16,
        /// The number of flows.
        flows: u16,
        /// Of the socket or QUIC.
        error: String,
    },
    /// The echoes broke.
    #[error("ping: {error}")]
    PingFailed {
        /// Of the socket.
        error: String,
    },
    /// A service of the origin broke.
    #[error("origin: {error}")]
    OriginFailed {
        /// Of the socket.
        error: String,
    },
    /// The built-in endpoints were to run iperf3.
    #[error("iperf3 brings its own client and server, which run on the emulate engine")]
    Iperf3IsForeign,
    /// iperf3 ended without having transferred a byte.
    #[error("iperf3 transferred nothing")]
    NothingTransferred,
    /// The kernel did not tell of the server's connections.
    #[error("the server's connections cannot be looked at: {error}")]
    ConnectionsUnreadable {
        /// Of `sock_diag`.
        error: String,
    },
    /// A server had no connection, or its congestion control was not seen.
    #[error("no connection of {server} was seen, nor its congestion control")]
    ServerUnseen {
        /// Its name.
        server: String,
    },
    /// A response is not of the page.
    #[error("object {object}: not of this page")]
    ObjectUnknown {
        /// Its path.
        object: String,
    },
    /// A response has another status than 200.
    #[error("object {object}: expected status {expected_status}, found {found_status}")]
    WrongStatus {
        /// Its path.
        object: String,
        /// HTTP status code.
        expected_status: u16,
        /// HTTP status code.
        found_status: u16,
    },
    /// A response is longer or shorter than the object.
    #[error("object {object}: expected {} bytes, received {}", expected_bytes.get(), found_bytes.get())]
    WrongLength {
        /// Its path.
        object: String,
        /// Of the page's object.
        expected_bytes: Bytes,
        /// Of the body received.
        found_bytes: Bytes,
    },
    /// A response has other bytes than the object.
    #[error("object {object}: content differs from the origin's")]
    WrongContent {
        /// Its path.
        object: String,
    },
    /// An object of the page was not loaded.
    #[error("object {object}: not loaded")]
    ObjectMissing {
        /// Its path.
        object: String,
    },
    /// The origin pushed what the page does not have.
    #[error("push of {url}: not of this page")]
    PushUnknown {
        /// The promised URL.
        url: String,
    },
    /// The origin promised an object twice.
    #[error("push of {url}: promised twice")]
    PushRepeated {
        /// The promised URL.
        url: String,
    },
    /// The origin pushed an object that the document does not name.
    #[error("object {object}: pushed, but not part of the document")]
    PushUnused {
        /// Its path.
        object: String,
    },
    /// The link process released packets too late.
    #[error("emulator late: p99.9 of release lateness {p999_ns} above {bound_ns}{}", blame(*latest_ns, *timer_ns))]
    EmulatorLate {
        /// 99.9th percentile of the lateness of releases.
        p999_ns: Duration,
        /// The run's bound for it.
        bound_ns: Duration,
        /// Lateness of the latest release.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        latest_ns: Option<Duration>,
        /// How much of that a bare timer on the same cores was late too, or the link woke late; none where nothing tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timer_ns: Option<Duration>,
    },
    /// A receiving device did not take packets.
    #[error("{packets} packets refused by the receiving device")]
    PacketsRefused {
        /// How many.
        packets: u64,
    },
    /// A device lost packets that the link process had not read.
    #[error("{packets} packets lost before the link process read them")]
    PacketsUnread {
        /// How many.
        packets: u64,
    },
    /// Origin, client or proxies had to wait for a core of the machine.
    #[error("waited for a core: origin, client and proxies {} {waited_ns}, above {bound_ns}", how(*is_in_series))]
    CoreAwaited {
        /// The time that all waited.
        waited_ns: Duration,
        /// The run's bound for it.
        bound_ns: Duration,
        /// Whether only waits count that follow one another, as in a flow.
        is_in_series: bool,
    },
    /// A connection has another congestion control than its flow.
    #[error("wrong congestion control at the {end}: expected {expected}, found {found}")]
    WrongCongestionControl {
        /// Whose.
        end: End,
        /// Of the spec.
        expected: String,
        /// Of the kernel or of QUIC.
        found: String,
    },
    /// A connection has another application protocol than the load.
    #[error("wrong protocol at the {end}: expected {expected}, found {found}")]
    WrongProtocol {
        /// Whose.
        end: End,
        /// Its name in ALPN.
        expected: String,
        /// Its name in ALPN.
        found: String,
    },
    /// A TLS handshake went another way than the settings want.
    #[error("wrong TLS handshake at the {end}: expected {expected}, found {found}")]
    WrongHandshake {
        /// Whose.
        end: End,
        /// The way that the settings want.
        expected: String,
        /// The way that it went.
        found: String,
    },
    /// TLS or QUIC has agreed on keys by another way than the run asks for.
    #[error("wrong key exchange at the {end}: expected {expected}, found {found}")]
    WrongKeyExchange {
        /// Whose.
        end: End,
        /// Of the spec.
        expected: String,
        /// Of the library.
        found: String,
    },
    /// A browser opened connections that its protocol does not need.
    #[error("the browser opened {connections} connections, expected at most {most_connections}")]
    SpareConnections {
        /// Connections that the origin accepted.
        connections: u64,
        /// Connections that the protocol needs.
        most_connections: u64,
    },
    /// Two flows cannot be told apart.
    #[error("two flows have the same client port, by which series tell them apart")]
    SharedPort,
    /// The window of the browser was hidden.
    #[error("the browser did not show the page")]
    PageHidden,
    /// A host sent packets to addresses that the testbed does not have.
    #[error("{packets} packets to addresses outside the world")]
    PacketsOutside {
        /// How many.
        packets: u64,
    },
    /// The wall clock was set while instants were taken by it.
    #[error("the machine's clock was set during the load, by {step_ns}")]
    ClockStepped {
        /// By how much, either way.
        step_ns: Duration,
    },
    /// The browser did not load the document.
    #[error("the browser did not load {url}")]
    DocumentMissing {
        /// The document's URL.
        url: String,
    },
    /// The browser did not load resources of the page.
    #[error("{} of {page_resources} missing: {}", count(*resources), some(*resources, such_as))]
    ResourcesMissing {
        /// How many.
        resources: u64,
        /// Of how many of the page.
        page_resources: u64,
        /// The first of them.
        such_as: Vec<String>,
    },
    /// The browser loaded resources that are not of the page.
    #[error("{} that the page does not have: {}", count(*resources), some(*resources, such_as))]
    ResourcesUnknown {
        /// How many.
        resources: u64,
        /// The first of them.
        such_as: Vec<String>,
    },
    /// The browser loaded resources more than once.
    #[error("{} loaded more than once: {}", count(*resources), some(*resources, such_as))]
    ResourcesRepeated {
        /// How many.
        resources: u64,
        /// The first of them.
        such_as: Vec<String>,
    },
    /// The browser loaded resources by another protocol.
    #[error("wrong protocol of {resources} resources: expected {expected}, found {}", found.as_deref().unwrap_or("none"))]
    ResourcesByOtherProtocol {
        /// How many.
        resources: u64,
        /// As browsers name the load's.
        expected: String,
        /// As the browser named it.
        found: Option<String>,
    },
    /// A resource came with another status or length than it has.
    #[error("{url}: status {status}, {} bytes of {}", found_bytes.get(), expected_bytes.get())]
    ResourceDiffers {
        /// Its URL.
        url: String,
        /// HTTP status code.
        status: u16,
        /// Of the body received.
        found_bytes: Bytes,
        /// Of the page's object.
        expected_bytes: Bytes,
    },
    /// More resources than are named differ.
    #[error("{resources} further resources came otherwise than the page has them")]
    FurtherResourcesDiffer {
        /// How many.
        resources: u64,
    },
    /// The browser could not get a resource.
    #[error("{url}: {error}")]
    ResourceFailed {
        /// Its URL.
        url: String,
        /// As the browser says it.
        error: String,
    },
    /// The browser asked for what is not of the page.
    #[error("the browser asked for {url}, which is not of the page")]
    RequestUnknown {
        /// The URL.
        url: String,
    },
    /// The browser did not say when the page was loaded.
    #[error("the browser has not reported the load event")]
    LoadEventMissing,
    /// A series of an attempt is not in the ledger as it was written.
    #[error("series lost: {series} of attempt {attempt} {}", left(*found_bytes, *expected_bytes))]
    SeriesLost {
        /// The series' name.
        series: String,
        /// Number of the attempt.
        attempt: u64,
        /// As it was written.
        expected_bytes: Bytes,
        /// As it is; none where it is not there.
        found_bytes: Option<Bytes>,
    },
}

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// Who opened it.
    Client,
    /// Who accepted it.
    Origin,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Client => "client",
            Self::Origin => "origin",
        })
    }
}

fn loaded(objects: Option<u64>) -> String {
    objects.map_or_else(String::new, |objects| format!(" with {objects} objects loaded"))
}

fn of_flows(flow: u16, flows: u16) -> String {
    if flows == 1 { "bulk flow: ".to_owned() } else { format!("flow {} of {flows}: ", flow + 1) }
}

fn how(is_in_series: bool) -> &'static str {
    if is_in_series { "one after the other" } else { "together" }
}

/// Who was late: the machine, if it held up a timer or the link's sleep for most of what the latest packet waited.
fn blame(latest: Option<Duration>, timer: Option<Duration>) -> String {
    let (Some(latest), Some(timer)) = (latest, timer) else { return String::new() };
    let who = if timer.as_nanos() * 2 > latest.as_nanos() { "machine" } else { "link" };
    format!(
        "; the link was late by {latest} at most, for {timer} of which it or a bare timer woke late: the {who}"
    )
}

fn count(resources: u64) -> String {
    if resources == 1 { "1 resource".to_owned() } else { format!("{resources} resources") }
}

fn some(number: u64, such_as: &[String]) -> String {
    let rest = if number > such_as.len() as u64 { ", ..." } else { "" };
    format!("{}{rest}", such_as.join(", "))
}

fn left(found_bytes: Option<Bytes>, expected_bytes: Bytes) -> String {
    found_bytes.map_or_else(
        || "is not there".to_owned(),
        |found| format!("has {} bytes of {}", found.get(), expected_bytes.get()),
    )
}
