//! docs/round-trips.md, from the closed form.

use std::fmt::Write as _;

use bentpipe_run::{Resumption, TlsVersion};

use super::closed_form::{COLUMNS, round_trips, rows};

/// The whole page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for row in rows() {
        let (version, resumption) = match row.tls {
            None => ("", ""),
            Some(tls) => (
                match tls.version {
                    TlsVersion::V1_2 => "1.2",
                    TlsVersion::V1_3 => "1.3",
                },
                match tls.resumption {
                    Resumption::None => "`none`",
                    Resumption::Ticket => "`ticket`",
                    Resumption::EarlyData => "`early-data`",
                },
            ),
        };
        let name = serde_json::to_value(row.http).unwrap();
        write!(page, "| `{}` | {version} | {resumption} |", name.as_str().unwrap()).unwrap();
        for column in COLUMNS {
            match round_trips(row, column) {
                Some(round_trips) => write!(page, " {round_trips} |").unwrap(),
                None => page.push_str(" |"),
            }
        }
        page.push('\n');
    }
    page + TAIL
}

const HEAD: &str = "\
# Round trips before the first byte

Round trips from the start of a page load to the first byte of the document, without loss and server time.
`crates/sim/tests/round_trips` computes the table and measures each number in simulate over a round trip of 500 ms;
`tests/emulate/test_resumption.py` measures some on the real kernel.

- **first**: the client knows nothing of the origin. **repeat** (`visit = \"repeat\"`): it has session tickets, the
  Fast Open cookie and the address token of an earlier visit, and no connection.
- **TFO**: TCP Fast Open (`tcp.fast_open`, RFC 7413), not of QUIC.

The sum of TCP, TLS and the request (1):

| | full | with a ticket | with early data |
| --- | --- | --- | --- |
| TCP (RFC 9293 section 3.5) | 1; with a cookie 0 (RFC 7413 section 3) | | |
| TLS 1.2 | 2 (RFC 5246 section 7.3) | 1 (RFC 5077 section 3.1) | |
| TLS 1.3 | 1 (RFC 8446 section 2) | 1 (section 2.2) | 0 (section 2.3) |
| QUIC with TLS 1.3 (RFC 9001 section 4) | 1 | 1 | 0 (section 4.6) |

| `http` | `tls.version` | `tls.resumption` | first | first, TFO | repeat | repeat, TFO |
| --- | --- | --- | --- | --- | --- | --- |
";

const TAIL: &str = "
Settings: [tls](models/tls.md), [tcp](models/tcp.md), [quic](models/quic.md).
";
