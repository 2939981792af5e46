//! DNS over QUIC (RFC 9250): a stream for each question.

use bentpipe_http::quic::{self, Client, Host, Sender};
use bentpipe_net::Net;

use super::super::error::LookupError;
use super::super::message::{Answer, Question, Unusable, read_answer};
use super::super::{CC, DOQ_ALPN, MOST_BYTES};
use super::Resolver;
use super::dot::framed;
use crate::RESOLVER;

/// A connection to a resolver.
pub(in super::super) struct Connection {
    connection: noq::Connection,
    /// Keeps the socket open.
    _endpoint: noq::Endpoint,
}

impl Connection {
    pub(super) async fn open<N: Net>(net: &N, resolver: &Resolver) -> Result<Self, LookupError> {
        let client = Client { tls: resolver.tls(), local: resolver.local, qlog: None };
        let host = Host { name: RESOLVER, at: resolver.at };
        let sender = Sender { cc: CC, ..Sender::with_host(&resolver.spec, resolver.number) };
        let opened = quic::connect(net, &client, host, DOQ_ALPN, sender).await?;
        Ok(Self { connection: opened.connection, _endpoint: opened.endpoint })
    }

    pub(super) async fn ask(&self, question: &Question) -> Result<Answer, LookupError> {
        let (mut sending, mut receiving) = self.connection.open_bi().await.map_err(lost)?;
        // Number zero (RFC 9250 section 4.2.1).
        sending.write_all(&framed(&question.message(0))).await.map_err(lost)?;
        sending.finish().map_err(lost)?;
        let bytes = receiving.read_to_end(2 + MOST_BYTES).await.map_err(lost)?;
        let message = unframed(&bytes).ok_or(LookupError::Nonsense)?;
        read_answer(message, 0, question).map_err(Unusable::on_connection)
    }
}

/// The one message of a stream (RFC 9250 section 4.2).
pub(in super::super) fn unframed(bytes: &[u8]) -> Option<&[u8]> {
    let (length, message) = bytes.split_first_chunk()?;
    (usize::from(u16::from_be_bytes(*length)) == message.len()).then_some(message)
}

fn lost(error: impl std::fmt::Display) -> LookupError {
    LookupError::Stream(error.to_string())
}
