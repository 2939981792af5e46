//! Round trips before the first byte of a response, in closed form: of every protocol over every version of TLS.

use bentpipe_run::{Http, Resumption, Switch, TlsSpec, TlsVersion, Transport, Visit};

const VERSIONS: [TlsVersion; 2] = [TlsVersion::V1_2, TlsVersion::V1_3];
const RESUMPTIONS: [Resumption; 3] = [Resumption::None, Resumption::Ticket, Resumption::EarlyData];

/// A protocol over a version of TLS, if any, that saves so much of the handshake.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub http: Http,
    pub tls: Option<TlsSpec>,
}

/// Who visits, and how TCP starts.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub visit: Option<Visit>,
    pub fast_open: Switch,
}

pub const COLUMNS: [Column; 4] = [
    Column { visit: None, fast_open: Switch::Off },
    Column { visit: None, fast_open: Switch::On },
    Column { visit: Some(Visit::Repeat), fast_open: Switch::Off },
    Column { visit: Some(Visit::Repeat), fast_open: Switch::On },
];

/// Every combination that there is: no early data before TLS 1.3, and QUIC has that alone.
pub fn rows() -> Vec<Row> {
    let settings = |http: Http| -> Vec<Option<TlsSpec>> {
        if !http.is_tls() {
            return vec![None];
        }
        let each = VERSIONS
            .into_iter()
            .flat_map(|version| RESUMPTIONS.map(|resumption| TlsSpec { version, resumption }));
        let exists = |tls: &TlsSpec| match tls.version {
            TlsVersion::V1_2 => http != Http::H3 && tls.resumption != Resumption::EarlyData,
            TlsVersion::V1_3 => true,
        };
        each.filter(exists).map(Some).collect()
    };
    Http::ALL
        .into_iter()
        .flat_map(|http| settings(http).into_iter().map(move |tls| Row { http, tls }))
        .collect()
}

/// The closed form; none where TCP's way to start does not matter because there is no TCP.
pub fn round_trips(row: Row, column: Column) -> Option<u32> {
    // The request and its response.
    let request = 1;
    match row.http.transport() {
        // RFC 9001 section 4: TLS in the packets that open the connection, or with them (section 4.6).
        Transport::Quic if column.fast_open.is_on() => None,
        Transport::Quic => Some(tls(row, column).unwrap_or(1) + request),
        Transport::Tcp => Some(tcp(column) + tls(row, column).unwrap_or(0) + request),
    }
}

fn tcp(column: Column) -> u32 {
    match (column.fast_open, column.visit) {
        // RFC 7413 section 3: data travel with the SYN of a client that has a cookie.
        (Switch::On, Some(Visit::Repeat)) => 0,
        // RFC 9293 section 3.5: SYN there, SYN and ACK back.
        _ => 1,
    }
}

fn tls(row: Row, column: Column) -> Option<u32> {
    let TlsSpec { version, resumption } = row.tls?;
    // A first visit has nothing to resume.
    let resumption = column.visit.map_or(Resumption::None, |Visit::Repeat| resumption);
    Some(match (version, resumption) {
        // RFC 5246 section 7.3, figure 1: the client's Finished answers the server's flight, and is answered.
        (TlsVersion::V1_2, Resumption::None) => 2,
        // RFC 5077 section 3.1, figure 2: the server's Finished comes with its first flight.
        (TlsVersion::V1_2, _) => 1,
        // RFC 8446 section 2, figure 1, and section 2.2, figure 3.
        (TlsVersion::V1_3, Resumption::None | Resumption::Ticket) => 1,
        // RFC 8446 section 2.3, figure 4: the request travels with the ClientHello.
        (TlsVersion::V1_3, Resumption::EarlyData) => 0,
    })
}
