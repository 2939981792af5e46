//! HTTP/3 at the origin.

use std::rc::Rc;

use bentpipe_http::limits::HEADER_LIST_BYTES;
use bentpipe_http::priority::{Delivery, Priority};
use bentpipe_http::quic::{H3Connection, Sender, StreamPriorities};
use bentpipe_net::Net;
use bytes::Bytes;
use h3::quic::{BidiStream, StreamId};
use h3::server::RequestStream;
use http::{HeaderValue, Request, Response, header};

use super::error::OriginError;
use super::header::Circumstances;
use super::host::Host;
use super::quic::{AcceptedQuic, accept};
use super::respond::respond;
use super::served::Served;

/// Of one urgency: streams before it are in order, those at it share.
const LAST_PLACE: u64 = (1 << 24) - 1;

/// HTTP/3 (RFC 9114).
pub(super) fn serve<N: Net>(host: &Rc<Host<N>>, served: &Served) -> Result<(), OriginError> {
    let (number, served) = (served.number(), served.clone());
    let sender = Sender::with_host(&host.config.spec, number);
    accept(host, number, host.config.ports.https, "h3", sender, move |accepted| {
        let served = served.clone();
        async move {
            let AcceptedQuic { host, connection, .. } = accepted;
            let connection = H3Connection::new(connection);
            let priorities = (!host.priorities().is_off()).then(|| connection.priorities());
            let alternative = host.config.spec.client.map(|_| alternative(host.config.ports.https));
            // Grease frames have random lengths.
            let mut builder = h3::server::builder();
            builder.send_grease(false).max_field_section_size(HEADER_LIST_BYTES.into());
            let Ok(mut connection) = builder.build::<_, Bytes>(connection).await else { return };
            while let Ok(Some(resolver)) = connection.accept().await {
                let (served, priorities) = (served.clone(), priorities.clone());
                let (alternative, net) = (alternative.clone(), host.net.clone());
                host.net.spawn(async move {
                    // A request that the client gives up ends here, the connection goes on.
                    if let Ok((request, stream)) = resolver.resolve_request().await {
                        if let Some(priorities) = priorities {
                            heed(&priorities, &request, stream.id());
                        }
                        let circumstances = Circumstances::of_stream(net.now());
                        let _ = answer(&served, &request, stream, alternative, circumstances).await;
                    }
                });
            }
        }
    })
}

/// Gives the response's stream the place in the library's order that `Schedule` would give it.
///
/// The library sends the data of the highest priority first, and that of equal ones by turns, packet by packet.
fn heed(priorities: &StreamPriorities, request: &Request<()>, stream: StreamId) {
    priorities.set(stream, stream_priority(Priority::of_request(request.headers()), stream.index()));
}

/// Below that of the connection's own streams, which is 0.
fn stream_priority(priority: Priority, order: u64) -> i32 {
    let place = match priority.delivery {
        Delivery::Whole => order.min(LAST_PLACE - 1),
        Delivery::Incremental => LAST_PLACE,
    };
    let before = u64::from(priority.urgency) * (LAST_PLACE + 1) + place;
    -1 - i32::try_from(before).expect("eight urgencies of 2^24 places")
}

/// That there is HTTP/3 here (RFC 7838), which a browser that has been told to use it does not know by that: Chromium
/// keeps six requests in flight to a server that has not said so.
fn alternative(port: u16) -> HeaderValue {
    HeaderValue::try_from(format!("h3=\":{port}\"; ma=86400")).expect("digits and quotation marks")
}

async fn answer<S: BidiStream<Bytes>>(
    served: &Served,
    request: &Request<()>,
    mut stream: RequestStream<S, Bytes>,
    alternative: Option<HeaderValue>,
    circumstances: Circumstances,
) -> Result<(), h3::error::StreamError> {
    let response = respond(served, request.method(), request.uri(), request.headers(), circumstances);
    let (mut head, body) = response.into_parts();
    head.headers.extend(alternative.map(|value| (header::ALT_SVC, value)));
    stream.send_response(Response::from_parts(head, ())).await?;
    if !body.is_empty() {
        stream.send_data(body).await?;
    }
    stream.finish().await?;
    pass_over(&mut stream).await
}

/// Reads a request to its end. The library asks the client to stop a stream whose end nobody has read, by error 0, which
/// is none of HTTP/3 (RFC 9114 section 8.1): curl 8 takes its request for reset by that.
async fn pass_over<S: BidiStream<Bytes>>(
    stream: &mut RequestStream<S, Bytes>,
) -> Result<(), h3::error::StreamError> {
    while stream.recv_data().await?.is_some() {}
    stream.recv_trailers().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_priorities_are_in_the_order_of_the_rfc_and_of_the_schedule() {
        // RFC 9218 section 10, most urgent first; the library sends the highest number first.
        let (whole, incremental) = (Delivery::Whole, Delivery::Incremental);
        let in_order = [
            (0, whole, 7),
            (0, incremental, 0),
            (3, whole, 0),
            (3, whole, 1),
            (3, incremental, 0),
            (7, whole, 0),
        ];
        let numbers =
            in_order.map(|(urgency, delivery, order)| stream_priority(Priority { urgency, delivery }, order));
        assert!(numbers.is_sorted_by(|first, second| first > second), "{numbers:?}");
        assert!(numbers[0] < 0, "{numbers:?}");
    }

    #[test]
    fn incremental_streams_of_equal_urgency_have_equal_priorities() {
        let priority = Priority { urgency: 5, delivery: Delivery::Incremental };
        assert_eq!(stream_priority(priority, 1), stream_priority(priority, 1000));
    }

    #[test]
    fn streams_beyond_all_places_are_still_of_their_urgency() {
        // The largest index of a stream (RFC 9000 section 2.1).
        let last = stream_priority(Priority { urgency: 0, delivery: Delivery::Whole }, (1 << 60) - 1);
        assert!(last > stream_priority(Priority { urgency: 1, delivery: Delivery::Whole }, 0));
        assert!(last > stream_priority(Priority { urgency: 0, delivery: Delivery::Incremental }, 0));
    }
}
