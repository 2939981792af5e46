//! How handshakes went.

use bentpipe_run::{ConnectionReport, Handshake, RunSpec};
use rustls::{CommonState, HandshakeKind};

use super::key_exchange::name;

/// What became of a client's wish to send requests with its first flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyData {
    /// It did not try to.
    NotTried,
    /// The origin took them.
    Accepted,
    /// The origin ignored them; they were sent once more after the handshake.
    Refused,
}

/// What a complete handshake has settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secured {
    /// The application protocol (RFC 7301).
    pub protocol: String,
    /// How the handshake went.
    pub handshake: Option<Handshake>,
    /// The key exchange, by the name that records have for it.
    pub key_exchange: Option<String>,
}

impl Secured {
    /// Reads it back from the library.
    pub(super) fn of(session: &CommonState, early_data: EarlyData) -> Self {
        let protocol = session.alpn_protocol().unwrap_or_default();
        Self {
            protocol: String::from_utf8_lossy(protocol).into_owned(),
            handshake: handshake(session.handshake_kind(), early_data),
            key_exchange: session.negotiated_key_exchange_group().map(|group| name(group.name())),
        }
    }
}

/// Which facts of its handshakes a run's reports have: those that it has settings for.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    handshake: bool,
    key_exchange: bool,
}

impl Told {
    /// Those of a run.
    pub fn of(spec: &RunSpec) -> Self {
        Self { handshake: spec.tls.is_some(), key_exchange: spec.key_exchange.is_some() }
    }

    /// Writes them down.
    pub fn note(self, secured: &Secured, report: &mut ConnectionReport) {
        report.handshake = secured.handshake.filter(|_| self.handshake);
        report.key_exchange = secured.key_exchange.clone().filter(|_| self.key_exchange);
    }
}

/// How a handshake went; none of one that is not that far.
pub(crate) fn handshake(kind: Option<HandshakeKind>, early_data: EarlyData) -> Option<Handshake> {
    match (early_data, kind?) {
        (EarlyData::Accepted, _) => Some(Handshake::EarlyDataAccepted),
        (EarlyData::Refused, _) => Some(Handshake::EarlyDataRefused),
        (EarlyData::NotTried, HandshakeKind::Resumed) => Some(Handshake::Resumed),
        (EarlyData::NotTried, HandshakeKind::Full | HandshakeKind::FullWithHelloRetryRequest) => {
            Some(Handshake::Full)
        }
    }
}
