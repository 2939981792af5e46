//! How handshakes went.

use bentpipe_run::Handshake;
use rustls::{CommonState, HandshakeKind};

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
}

impl Secured {
    /// Reads it back from the library.
    pub(super) fn of(session: &CommonState, early_data: EarlyData) -> Self {
        let protocol = session.alpn_protocol().unwrap_or_default();
        Self {
            protocol: String::from_utf8_lossy(protocol).into_owned(),
            handshake: handshake(session.handshake_kind(), early_data),
        }
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
