use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};

use super::served::Served;

/// Any origin.
const EVERYBODY: HeaderValue = HeaderValue::from_static("*");

/// The answer to a request for a path, with its query, of the host that the request names; the same whatever the protocol.
pub(super) fn respond(
    served: &Served,
    method: &Method,
    authority: Option<&str>,
    path: &str,
) -> Response<Bytes> {
    let Some(host) = served.host(authority) else {
        // RFC 9110 section 15.5.20.
        return plain(StatusCode::MISDIRECTED_REQUEST, "no such host\n");
    };
    let mut response = respond_on(served, host, method, path);
    if served.has_several_hosts() {
        // Fonts and what scripts fetch come from other origins only so (Fetch standard section 3.2.5), and browsers tell
        // how long they took (Resource Timing section 3.5).
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
        headers.insert("timing-allow-origin", EVERYBODY);
    }
    response
}

fn respond_on(served: &Served, host: usize, method: &Method, path: &str) -> Response<Bytes> {
    match served.resource(host, path) {
        _ if method != Method::GET && method != Method::HEAD => {
            plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n")
        }
        None => plain(StatusCode::NOT_FOUND, "no such resource\n"),
        Some(resource) => {
            let body = if method == Method::HEAD { Bytes::new() } else { resource.body.clone() };
            answer(StatusCode::OK, resource.content_type, resource.body.len(), body)
        }
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Bytes> {
    answer(status, "text/plain; charset=utf-8", text.len(), Bytes::from_static(text.as_bytes()))
}

fn answer(status: StatusCode, content_type: &'static str, length: usize, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::SERVER, HeaderValue::from_static("bentpipe"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
