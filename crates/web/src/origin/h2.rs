//! HTTP/2 at the origin.

mod bodies;
mod push;

use std::pin::pin;
use std::rc::Rc;

use bentpipe_http::http2;
use bentpipe_http::priority::Priority;
use bentpipe_net::Net;
use bentpipe_run::{PageLoadSpec, Workload};
use futures_util::future::select;
use h2::RecvStream;
use h2::server::SendResponse;
use http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};

use super::header::Circumstances;
use super::host::Host;
use super::respond::respond;
use super::served::Served;
use bodies::{Bodies, Chunk};
use push::Pushes;

/// What the requests of one connection share.
struct Connection<N: Net> {
    net: N,
    served: Served,
    load: PageLoadSpec,
    /// Streams that the client may have open, and this end as well (`Http2Spec`).
    most_streams: u32,
    bodies: Bodies,
}

/// Serves HTTP/2 (RFC 9113) until the client closes.
pub(super) async fn serve<N: Net>(
    host: &Host<N>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    served: Served,
) {
    let spec = &host.config.spec;
    let Workload::PageLoad(load) = &spec.workload else { return };
    let Ok(mut accepting) = http2::server(&spec.http2).handshake::<_, Chunk>(stream).await else { return };
    let connection = Rc::new(Connection {
        net: host.net.clone(),
        served,
        load: load.clone(),
        most_streams: spec.http2.max_concurrent_streams,
        bodies: Bodies::new(load.priorities),
    });
    let accept = async {
        while let Some(Ok((request, response))) = accepting.accept().await {
            let connection = Rc::clone(&connection);
            host.net.spawn(async move {
                // A stream that the client resets ends here, the connection goes on.
                let _ = connection.answer(request, response).await;
            });
        }
    };
    select(pin!(accept), pin!(connection.bodies.send_scheduled())).await;
    connection.bodies.abandon();
}

impl<N: Net> Connection<N> {
    async fn answer(
        &self,
        mut request: Request<RecvStream>,
        mut sender: SendResponse<Chunk>,
    ) -> Result<(), h2::Error> {
        pass_over(request.body_mut()).await?;
        // Promises go before what names their objects (RFC 9113 section 8.4.1).
        let pushes = Pushes::promise(&self.load, &self.served, &request, &mut sender);
        let response = respond(
            &self.served,
            request.method(),
            request.uri(),
            request.headers(),
            Circumstances::of_stream(self.net.now()),
        );
        let (head, body) = response.into_parts();
        let stream = sender.send_response(Response::from_parts(head, ()), body.is_empty())?;
        let sent = self.bodies.send(stream, body, Priority::of_request(request.headers())).await?;
        if !pushes.is_empty() {
            sent.departure().await;
            self.push(pushes);
        }
        Ok(())
    }

    /// Answers what was promised, as many at a time as the client may have streams.
    fn push(&self, pushes: Pushes) {
        let pushes = Rc::new(pushes);
        for _ in 0..self.most_streams.min(u32::try_from(pushes.len()).unwrap_or(u32::MAX)) {
            let (pushes, served, bodies) = (Rc::clone(&pushes), self.served.clone(), self.bodies.clone());
            let net = self.net.clone();
            self.net.spawn(async move {
                while let Some(promise) = pushes.next() {
                    // What the client does not want is left out.
                    let _ = promise.fulfil(&served, &bodies, net.now()).await;
                }
            });
        }
    }
}

/// Waits for the end of a request's content, which the origin has no use for. One whose content or trailers are
/// malformed, or whose stream the client has reset, is not answered (RFC 9113 section 8.1.1).
async fn pass_over(content: &mut RecvStream) -> Result<(), h2::Error> {
    while let Some(chunk) = content.data().await {
        let length = chunk?.len();
        content.flow_control().release_capacity(length)?;
    }
    content.trailers().await?;
    Ok(())
}
