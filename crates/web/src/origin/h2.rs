use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::poll_fn;
use h2::server::{Builder, SendResponse};
use h2::{Reason, SendStream};
use http::Request;
use tokio::io::{AsyncRead, AsyncWrite};

use super::Host;
use super::respond::respond;
use crate::http2::{RESET_STREAM_DURATION, window};
use crate::net::Net;
use crate::page::Site;

/// Serves HTTP/2 (RFC 9113) until the client closes.
pub(super) async fn serve<N: Net>(
    host: &Host<N>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    site: Arc<Site>,
) {
    let spec = &host.config.spec.http2;
    let mut builder = Builder::new();
    builder
        .initial_window_size(window(spec.stream_window_bytes))
        .initial_connection_window_size(window(spec.connection_window_bytes))
        .max_concurrent_streams(spec.max_concurrent_streams)
        .reset_stream_duration(RESET_STREAM_DURATION);
    let Ok(mut connection) = builder.handshake::<_, Bytes>(stream).await else { return };
    while let Some(Ok((request, response))) = connection.accept().await {
        let site = Arc::clone(&site);
        host.net.spawn(async move {
            // A stream that the client resets ends here, the connection goes on.
            let _ = answer(&site, &request, response).await;
        });
    }
}

async fn answer<T>(
    site: &Site,
    request: &Request<T>,
    mut sender: SendResponse<Bytes>,
) -> Result<(), h2::Error> {
    let (head, body) = respond(site, request.method(), request.uri().path()).into_parts();
    let mut stream = sender.send_response(http::Response::from_parts(head, ()), body.is_empty())?;
    send(&mut stream, body).await
}

/// Sends the body as the flow-control windows allow.
async fn send(stream: &mut SendStream<Bytes>, mut body: Bytes) -> Result<(), h2::Error> {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        let granted = poll_fn(|cx| stream.poll_capacity(cx)).await.unwrap_or(Err(Reason::CANCEL.into()))?;
        let chunk = body.split_to(granted.min(body.len()));
        stream.send_data(chunk, body.is_empty())?;
    }
    Ok(())
}
