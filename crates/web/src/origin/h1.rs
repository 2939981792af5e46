use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::respond::respond;
use crate::page::Site;

/// Serves HTTP/1.1 (RFC 9112) until the client closes.
pub(super) async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, site: Arc<Site>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = respond(&site, request.method(), request.uri().path());
        ready(Ok::<_, Infallible>(response.map(Full::<Bytes>::new)))
    });
    // A date would make responses depend on the day of the run.
    let serving =
        http1::Builder::new().auto_date_header(false).serve_connection(TokioIo::new(stream), service);
    // The client sees and reports what goes wrong with its connection.
    let _ = serving.await;
}
