//! The answer to a request, whatever the protocol.

use bytes::Bytes;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};

use super::header::{Circumstances, fill};
use super::served::Served;
use crate::page::INDEX;

/// Any origin.
const EVERYBODY: HeaderValue = HeaderValue::from_static("*");

/// The answer to a request, the same whatever the protocol.
pub(super) fn respond(
    served: &Served,
    method: &Method,
    target: &Uri,
    fields: &HeaderMap,
    circumstances: Circumstances,
) -> Response<Bytes> {
    let path = target.path_and_query().map_or(INDEX, PathAndQuery::as_str);
    respond_of(served, method, asked_host(served, target, fields), path, circumstances)
}

/// The number of the host that a request names, or none where that is not served: a target that names a host
/// goes before the field (RFC 9112 section 3.2.2, RFC 9113 section 8.3.1).
pub(super) fn asked_host(served: &Served, target: &Uri, fields: &HeaderMap) -> Option<usize> {
    let named = fields.get(header::HOST).and_then(|host| host.to_str().ok());
    served.host(target.authority().map(Authority::as_str).or(named))
}

/// The answer to a request for a path, with its query, of a host, or of one that is not served.
pub(super) fn respond_of(
    served: &Served,
    method: &Method,
    host: Option<usize>,
    path: &str,
    circumstances: Circumstances,
) -> Response<Bytes> {
    let Some(host) = host else {
        // RFC 9110 section 15.5.20.
        return plain(StatusCode::MISDIRECTED_REQUEST, "no such host\n");
    };
    let mut response = resource(served, method, host, path);
    if served.has_several_hosts() {
        // Fonts and what scripts fetch come from other origins only so (Fetch standard section 3.2.5), and
        // browsers tell how long they took (Resource Timing section 3.5).
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
        headers.insert("timing-allow-origin", EVERYBODY);
    }
    let found = served.resource(host, path).filter(|_| response.status() == StatusCode::OK);
    if let (Some(size), Some(found)) = (served.response_header_bytes(), found) {
        // Of ours those stay that say what the body is, and who may read it.
        response.headers_mut().remove(header::SERVER);
        response.headers_mut().remove(header::CACHE_CONTROL);
        fill(&mut response, found, size, circumstances);
    }
    response
}

fn resource(served: &Served, method: &Method, host: usize, path: &str) -> Response<Bytes> {
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
