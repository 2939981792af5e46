//! DNS over HTTPS (RFC 8484), by HTTP/2.

use bentpipe_http::http2;
use bentpipe_net::Net;
use bytes::Bytes;
use h2::RecvStream;
use h2::client::SendRequest;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request};

use super::super::error::LookupError;
use super::super::message::{Answer, Question, Unusable, read_answer};
use super::super::{DOH_PATH, MEDIA_TYPE, MOST_BYTES};
use super::Resolver;
use crate::RESOLVER;

/// A connection to a resolver.
pub(in super::super) struct Connection(SendRequest<Bytes>);

impl Connection {
    pub(super) async fn open<N: Net>(net: &N, resolver: &Resolver) -> Result<Self, LookupError> {
        let stream = resolver.stream(net, "h2").await?;
        let (sender, driver) = http2::client(&resolver.spec.http2, None).handshake(stream).await?;
        net.spawn(async move {
            // Errors reach the questions that meet them.
            let _ = driver.await;
        });
        Ok(Self(sender))
    }

    pub(super) async fn ask(&self, question: &Question) -> Result<Answer, LookupError> {
        // Number zero, by which caches of HTTP know equal questions (RFC 8484 section 4.1).
        let message = question.message(0);
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("https://{RESOLVER}{DOH_PATH}"))
            .header(ACCEPT, MEDIA_TYPE)
            .header(CONTENT_TYPE, MEDIA_TYPE)
            .header(CONTENT_LENGTH, message.len())
            .body(())
            .expect("a request of constants");
        // Waits while the resolver's limit of concurrent streams is reached.
        let mut sender = self.0.clone().ready().await?;
        let (response, mut body) = sender.send_request(request, false)?;
        body.send_data(message.into(), true)?;
        let (head, body) = response.await?.into_parts();
        if head.status != http::StatusCode::OK {
            return Err(LookupError::Http(head.status));
        }
        let message = read_body(body).await?.ok_or(LookupError::Nonsense)?;
        read_answer(&message, 0, question).map_err(Unusable::on_connection)
    }
}

/// A message; none of what is longer than one can be.
pub(in super::super) async fn read_body(mut body: RecvStream) -> Result<Option<Vec<u8>>, h2::Error> {
    let mut message = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        message.extend_from_slice(&data);
        if message.len() > MOST_BYTES {
            return Ok(None);
        }
    }
    Ok(Some(message))
}
