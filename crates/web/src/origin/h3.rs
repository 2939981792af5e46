use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use h3::quic::BidiStream;
use h3::server::RequestStream;
use http::{Request, Response};

use super::quic::{AcceptedQuic, accept};
use super::respond::respond;
use super::{Host, OriginError};
use crate::net::Net;
use crate::page::Site;
use crate::quic::{H3Connection, Sender};

/// HTTP/3 (RFC 9114).
pub(super) fn serve<N: Net>(host: &Rc<Host<N>>, site: &Arc<Site>) -> Result<(), OriginError> {
    let site = Arc::clone(site);
    accept(host, host.config.ports.https, "h3", Sender::of_run(&host.config.spec), move |accepted| {
        let site = Arc::clone(&site);
        async move {
            let AcceptedQuic { host, connection, .. } = accepted;
            // Grease frames have random lengths.
            let mut builder = h3::server::builder();
            builder.send_grease(false);
            let Ok(mut connection) = builder.build::<_, Bytes>(H3Connection::new(connection)).await else {
                return;
            };
            while let Ok(Some(resolver)) = connection.accept().await {
                let site = Arc::clone(&site);
                host.net.spawn(async move {
                    // A request that the client gives up ends here, the connection goes on.
                    if let Ok((request, stream)) = resolver.resolve_request().await {
                        let _ = answer(&site, &request, stream).await;
                    }
                });
            }
        }
    })
}

async fn answer<S: BidiStream<Bytes>>(
    site: &Site,
    request: &Request<()>,
    mut stream: RequestStream<S, Bytes>,
) -> Result<(), h3::error::StreamError> {
    let (head, body) = respond(site, request.method(), request.uri().path()).into_parts();
    stream.send_response(Response::from_parts(head, ())).await?;
    if !body.is_empty() {
        stream.send_data(body).await?;
    }
    stream.finish().await
}
