use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};

use crate::page::Site;

/// The answer to a request, the same whatever the protocol.
pub(super) fn respond(site: &Site, method: &Method, path: &str) -> Response<Bytes> {
    match site.get(path) {
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
