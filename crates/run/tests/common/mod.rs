//! A run that went well, for tests to spoil: the page of `data/spec.json` over a GEO link with 530 ms of RTT.

use bentpipe_run::{
    Algorithm, BulkSpec, ClientReport, ConnectionReport, Direction, Engine, FlowSpec, FlowsSpec,
    LatenessReport, LinkReport, ObjectSighting, OriginReport, Provenance, RunRecord, RunReports, RunSpec,
    TransferReport, Transport, Workload, assemble,
};
use bentpipe_units::{Bytes, Duration, Time};

/// The sample spec, as JSON.
pub const SPEC: &str = include_str!("../data/spec.json");

/// When the workload starts on the run's clock.
pub const START: Time = Time::from_nanos(100_000_000_000);

pub fn spec() -> RunSpec {
    serde_json::from_str(SPEC).unwrap()
}

pub fn bulk_spec(direction: Direction, bytes: Option<Bytes>, duration: Option<Duration>) -> RunSpec {
    let flow = BulkSpec { transport: Transport::Tcp, direction, bytes, duration_ns: duration };
    RunSpec { workload: Workload::Bulk(flow), ..spec() }
}

/// The instant `ms` milliseconds after the start of the workload.
pub fn at_ms(ms: u64) -> Time {
    START + Duration::from_millis(ms)
}

/// An object by its milestones in milliseconds: discovered, requested, first byte, last byte.
pub fn object(path: &str, bytes: u64, [discovered, requested, first, last]: [u64; 4]) -> ObjectSighting {
    ObjectSighting {
        url: format!("https://origin.bentpipe.test{path}"),
        bytes: Bytes::new(bytes),
        connection: 0,
        discovered: at_ms(discovered),
        requested: at_ms(requested),
        first_byte: at_ms(first),
        last_byte: at_ms(last),
        status: 200,
        response_header_bytes: Bytes::new(120),
        request_header_bytes: Bytes::new(300),
    }
}

/// TCP after one round trip, TLS 1.3 after another.
pub fn connection() -> ConnectionReport {
    ConnectionReport {
        transport: "tcp".to_owned(),
        protocol: "h2".to_owned(),
        client_port: 40_001,
        started: START,
        connected: Some(at_ms(530)),
        secured: Some(at_ms(1_060)),
        congestion_control: "cubic".to_owned(),
        ..ConnectionReport::default()
    }
}

pub fn page_load() -> RunReports {
    RunReports {
        client: ClientReport {
            started: START,
            objects: vec![
                object("/", 1_000, [0, 1_060, 1_590, 1_600]),
                object("/object-1.jpg", 20_000, [1_600, 1_610, 2_150, 2_200]),
                object("/object-2.jpg", 50_000, [1_600, 1_611, 2_160, 3_000]),
            ],
            connections: vec![connection()],
            ..ClientReport::default()
        },
        origin: OriginReport { connections: vec![connection()], ..OriginReport::default() },
        link: LinkReport {
            lateness: Some(LatenessReport { count: 100, ..LatenessReport::default() }),
            ..LinkReport::default()
        },
    }
}

/// A flow of `bytes` whose first and last byte arrive at these milliseconds.
pub fn transfer(bytes: u64, first: u64, last: u64) -> TransferReport {
    TransferReport {
        flow: 0,
        bytes: Bytes::new(bytes),
        first_byte: at_ms(first),
        last_byte: at_ms(last),
        progress: bentpipe_run::Table::default(),
    }
}

/// A flow that the client received.
pub fn download(transfer: TransferReport) -> RunReports {
    let mut reports = page_load();
    reports.client.objects.clear();
    reports.client.transfers = vec![transfer];
    reports
}

/// Two flows down of 10 s over TCP by the given algorithms, the second from a second port: bytes, first and last byte in
/// milliseconds.
pub fn two_flows(cc: [Algorithm; 2], received: [(u64, u64, u64); 2]) -> (RunSpec, RunReports) {
    let flow = |cc| FlowSpec { cc, transport: Transport::Tcp, start_ns: Duration::ZERO, dscp: None };
    let flows = FlowsSpec {
        direction: Direction::Down,
        bytes: None,
        duration_ns: Some(Duration::from_secs(10)),
        flows: cc.map(flow).to_vec(),
    };
    let mut reports = page_load();
    reports.client.objects.clear();
    let connections = (0..).zip(cc).map(|(flow, cc)| ConnectionReport {
        flow: Some(flow),
        client_port: 40_001 + flow,
        protocol: "bulk".to_owned(),
        congestion_control: cc.name().to_owned(),
        ..connection()
    });
    reports.client.connections = connections.collect();
    reports.origin.connections.clone_from(&reports.client.connections);
    let transfers = (0..).zip(received);
    reports.client.transfers = transfers
        .map(|(flow, (bytes, first, last))| TransferReport { flow, ..transfer(bytes, first, last) })
        .collect();
    (RunSpec { workload: Workload::Flows(flows), ..spec() }, reports)
}

pub fn record(spec: RunSpec, reports: RunReports) -> RunRecord {
    assemble("0123abcd".to_owned(), Engine::Emulate, spec, Provenance::default(), reports)
}
