//! SPDY/3.1 at the origin.

use bentpipe_http::http2::window;
use bentpipe_http::spdy::driver::Driver;
use bentpipe_http::spdy::{
    Config, Event, Headers, Priority, Role, Session, StreamId, pushed, request_head, response,
};
use bentpipe_net::Net;
use bentpipe_run::{PageLoadSpec, Priorities, RunSpec, Workload};
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite};

use super::header::Circumstances;
use super::host::Host;
use super::respond::respond_of;
use super::served::Served;
use crate::page::INDEX;
use crate::push;

/// Serves SPDY/3.1 until the client closes.
pub(super) async fn serve<N: Net>(
    host: &Host<N>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    served: Served,
) {
    let spec = &host.config.spec;
    let config = Config {
        stream_window: window(spec.http2.stream_window_bytes),
        session_window: window(spec.http2.connection_window_bytes),
        max_concurrent_streams: spec.http2.max_concurrent_streams,
    };
    let mut driver = Driver::new(stream, Session::new(Role::Server, &config));
    // The client sees and reports what goes wrong with its connection.
    while let Ok(Some(event)) = driver.event().await {
        match event {
            Event::Opened { stream, headers, .. } => {
                let circumstances = Circumstances::of_stream(host.net.now());
                answer(&mut driver.session, &served, load(spec), stream, &headers, circumstances);
            }
            // No resource takes a body; it is read so that its sender gets done.
            Event::Data { stream, payload, .. } => driver.session.release(stream, payload.len()),
            Event::Headers { .. } | Event::Reset { .. } | Event::Goaway { .. } => {}
        }
    }
}

fn load(spec: &RunSpec) -> Option<&PageLoadSpec> {
    match &spec.workload {
        Workload::PageLoad(load) => Some(load),
        _ => None,
    }
}

fn answer(
    session: &mut Session,
    served: &Served,
    load: Option<&PageLoadSpec>,
    stream: StreamId,
    headers: &Headers,
    circumstances: Circumstances,
) {
    let Some((method, name, path)) = request_head(headers) else {
        // Draft 3.2.1.
        let mut bad = Response::new(());
        *bad.status_mut() = StatusCode::BAD_REQUEST;
        return session.respond(stream, response(&bad), Bytes::new());
    };
    let host = served.host(Some(&name));
    let is_document = method == Method::GET && path == INDEX && host == Some(0);
    if let Some(load) = load.filter(|_| is_document) {
        // Before the document, which names them (draft 3.3.1).
        push(session, served, load, &name, stream, circumstances);
    }
    respond_with(session, stream, respond_of(served, &method, host, &path, circumstances));
}

/// Pushes the first objects of the page's own host, which the client calls `name`, as mod_spdy does with
/// those of an `X-Associated-Content` field; as many as the client allows.
fn push(
    session: &mut Session,
    served: &Served,
    load: &PageLoadSpec,
    name: &str,
    document: StreamId,
    circumstances: Circumstances,
) {
    for object in push::objects(load) {
        let priority = match load.priorities {
            Priorities::On => Priority::of_path(&object.path),
            Priorities::Off | Priorities::Unstated => Priority::HIGHEST,
        };
        let Some(stream) = session.push(document, pushed(name, &object.path), priority) else { return };
        let answer = respond_of(served, &Method::GET, Some(0), &object.path, circumstances);
        respond_with(session, stream, answer);
    }
}

fn respond_with(session: &mut Session, stream: StreamId, answer: Response<Bytes>) {
    session.respond(stream, response(&answer), answer.into_body());
}
