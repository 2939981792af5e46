//! A response, requested or pushed, as it comes.

use std::task::Context;

use bentpipe_net::Net;
use futures_util::future::poll_fn;
use h2::RecvStream;
use http::Response;

use crate::loader::body::Received;
use crate::loader::fetch::{FetchError, Fetched};
use crate::loader::request;

/// Receives a response from its header on, which has come now.
pub(super) async fn receive<N: Net>(
    net: &N,
    connection: usize,
    response: Response<RecvStream>,
    mut alongside: impl FnMut(&mut Context<'_>),
    mut on_data: impl FnMut(&[u8]),
) -> Result<Fetched, FetchError> {
    let first_byte = net.now();
    let (head, mut body) = response.into_parts();
    let mut received = Received::new();
    let mut next = |body: &mut RecvStream, cx: &mut Context<'_>| {
        alongside(cx);
        body.poll_data(cx)
    };
    while let Some(chunk) = poll_fn(|cx| next(&mut body, cx)).await {
        let chunk = chunk?;
        body.flow_control().release_capacity(chunk.len())?;
        received.add(&chunk);
        on_data(&chunk);
    }
    Ok(Fetched {
        connection,
        requested: first_byte,
        first_byte,
        last_byte: net.now(),
        status: head.status.as_u16(),
        request_header_bytes: bentpipe_units::Bytes::ZERO,
        response_header_bytes: request::header_bytes(&head.headers),
        body: received,
    })
}
