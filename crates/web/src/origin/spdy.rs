use std::sync::Arc;

use bentpipe_run::{PageLoadSpec, RunSpec, Switch, Workload};
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Host;
use super::respond::respond;
use crate::http2::window;
use crate::net::Net;
use crate::page::{INDEX, Site};
use crate::spdy::driver::Driver;
use crate::spdy::{
    Config, Event, Headers, Priority, Role, Session, StreamId, pushed, request_head, response,
};

/// Serves SPDY/3.1 until the client closes.
pub(super) async fn serve<N: Net>(
    host: &Host<N>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    site: Arc<Site>,
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
                answer(&mut driver.session, &site, load(spec), stream, &headers);
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
    site: &Site,
    load: Option<&PageLoadSpec>,
    stream: StreamId,
    headers: &Headers,
) {
    let Some((method, path)) = request_head(headers) else {
        // Draft 3.2.1.
        let mut bad = Response::new(());
        *bad.status_mut() = StatusCode::BAD_REQUEST;
        return session.respond(stream, response(&bad), Bytes::new());
    };
    if let Some(load) = load.filter(|_| method == Method::GET && path == INDEX) {
        // Before the document, which names them (draft 3.3.1).
        push(session, site, load, stream);
    }
    respond_with(session, stream, respond(site, &method, &path));
}

/// Pushes the page's first objects, as mod_spdy does with those of an `X-Associated-Content` field; as many as the
/// client allows.
fn push(session: &mut Session, site: &Site, load: &PageLoadSpec, document: StreamId) {
    let count = push_count(load.page.objects.len(), load.push_percent.unwrap_or(0));
    for object in &load.page.objects[..count] {
        let priority = match load.priorities {
            Switch::On => Priority::of_path(&object.path),
            Switch::Off => Priority::HIGHEST,
        };
        let Some(stream) = session.push(document, pushed(&object.path), priority) else { return };
        respond_with(session, stream, respond(site, &Method::GET, &object.path));
    }
}

fn respond_with(session: &mut Session, stream: StreamId, answer: Response<Bytes>) {
    session.respond(stream, response(&answer), answer.into_body());
}

/// `percent` of `objects`, half of one rounded up; no more than there are.
fn push_count(objects: usize, percent: u32) -> usize {
    ((objects * percent as usize + 50) / 100).min(objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_of_the_objects_is_pushed_half_of_one_rounded_up() {
        for (objects, percent, expected) in [
            (640, 0, 0),
            (640, 25, 160),
            (640, 100, 640),
            (3, 50, 2),
            (3, 49, 1),
            (1, 49, 0),
            (1, 50, 1),
            (10, 250, 10),
            (0, 100, 0),
        ] {
            assert_eq!(push_count(objects, percent), expected, "{percent} % of {objects}");
        }
    }
}
