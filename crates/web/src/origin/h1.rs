//! HTTP/1 at the origin.

use std::io;

use bentpipe_http::http1::{Malformed, READ_BYTES, RequestHead, Requests, encode_response};
use bentpipe_net::{Net, within};
use bentpipe_run::Workload;
use bentpipe_units::{Duration, Time};
use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Response, StatusCode, Version, header};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::header::{Afterwards, Circumstances};
use super::host::Host;
use super::respond::respond;
use super::served::Served;

/// Bytes of responses that are gathered while further requests are there: a larger write gains nothing.
const GATHERED_BYTES: usize = 64 * 1024;

/// Serves HTTP/1.0 (RFC 1945) and HTTP/1.1 (RFC 9112) until either end closes.
pub(super) async fn serve<N: Net>(
    host: &Host<N>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    served: &Served,
) {
    let spec = &host.config.spec;
    let requests = match &spec.workload {
        Workload::PageLoad(load) => load.requests_per_connection,
        Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => None,
    };
    // No request of the run takes longer, because the run ends by then.
    let terms = Terms { requests, patience: spec.validity.timeout_ns };
    // The client sees and reports what goes wrong with its connection.
    let _ = Conversation::new(&host.net, stream, terms).run(served).await;
}

/// What a client may take for granted.
#[derive(Clone, Copy, Debug)]
struct Terms {
    /// Requests after which the connection is closed; without it none are too many.
    requests: Option<u32>,
    /// How long a request may take to arrive whole, a response to be taken, and the client to close at last.
    patience: Duration,
}

/// One connection.
struct Conversation<'a, N, S> {
    net: &'a N,
    stream: S,
    terms: Terms,
    received: BytesMut,
    requests: Requests,
    /// Responses not sent yet.
    gathered: Vec<u8>,
}

/// The conversation is over: the client is gone, or has taken too long.
struct Over;

impl<'a, N: Net, S: AsyncRead + AsyncWrite + Unpin> Conversation<'a, N, S> {
    fn new(net: &'a N, stream: S, terms: Terms) -> Self {
        let (received, requests, gathered) = (BytesMut::new(), Requests::default(), Vec::new());
        Self { net, stream, terms, received, requests, gathered }
    }

    async fn run(mut self, served: &Served) -> Result<(), Over> {
        let mut left = self.terms.requests;
        loop {
            let Some(request) = self.request().await? else { return self.close().await };
            left = left.map(|left| left.saturating_sub(1));
            let is_last = left == Some(0) || request.as_ref().map_or(true, |request| request.is_last);
            let response = match &request {
                Ok(request) => {
                    let afterwards = if is_last { Afterwards::Close } else { Afterwards::Requests(left) };
                    answer(served, request, Circumstances { now: self.net.now(), afterwards })
                }
                Err(error) => refusal(error),
            };
            encode_response(&response, &mut self.gathered);
            if is_last {
                self.send().await?;
                return self.close().await;
            }
            if self.gathered.len() >= GATHERED_BYTES {
                self.send().await?;
            }
        }
    }

    /// The next request, none when the client has closed. While it is not there, what is gathered is sent.
    async fn request(&mut self) -> Result<Option<Result<RequestHead, Malformed>>, Over> {
        let mut deadline = None;
        loop {
            if let Some(result) = self.requests.next(&mut self.received).transpose() {
                return Ok(Some(result));
            }
            if !self.gathered.is_empty() {
                self.send().await?;
            }
            let deadline =
                *deadline.get_or_insert_with(|| self.net.now().saturating_add(self.terms.patience));
            if self.read(deadline).await? == 0 {
                return Ok(None);
            }
        }
    }

    async fn read(&mut self, deadline: Time) -> Result<usize, Over> {
        self.received.reserve(READ_BYTES);
        let patience = deadline.since(self.net.now());
        in_time(self.net, patience, self.stream.read_buf(&mut self.received)).await
    }

    async fn send(&mut self) -> Result<(), Over> {
        let sending = async {
            self.stream.write_all(&self.gathered).await?;
            self.stream.flush().await
        };
        in_time(self.net, self.terms.patience, sending).await?;
        self.gathered.clear();
        Ok(())
    }

    /// Closes, and waits for the client to do the same: closed at once, with requests unread, the connection would be
    /// reset and the response lost (RFC 9112 section 9.6).
    async fn close(mut self) -> Result<(), Over> {
        in_time(self.net, self.terms.patience, self.stream.shutdown()).await?;
        let deadline = self.net.now().saturating_add(self.terms.patience);
        while self.read(deadline).await? > 0 {
            self.received.clear();
        }
        Ok(())
    }
}

async fn in_time<N: Net, T>(
    net: &N,
    patience: Duration,
    work: impl Future<Output = io::Result<T>>,
) -> Result<T, Over> {
    within(net, patience, work).await.and_then(Result::ok).ok_or(Over)
}

fn answer(served: &Served, request: &RequestHead, circumstances: Circumstances) -> Response<Bytes> {
    let mut response = respond(served, &request.method, &request.target, &request.fields, circumstances);
    *response.version_mut() = request.version;
    if matches!(circumstances.afterwards, Afterwards::Close) && request.version == Version::HTTP_11 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// The answer to what is no request, after which nothing can be understood.
fn refusal(error: &Malformed) -> Response<Bytes> {
    let status = match error {
        Malformed::HeadTooLarge | Malformed::TooManyFields => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        Malformed::Version => StatusCode::HTTP_VERSION_NOT_SUPPORTED,
        _ => StatusCode::BAD_REQUEST,
    };
    let mut response = Response::new(Bytes::from(format!("{error}\n")));
    *response.status_mut() = status;
    let length = response.body().len();
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    fields.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests;
