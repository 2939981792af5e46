//! Requests as a browser makes them.

use bentpipe_run::Http;
use bentpipe_units::Bytes;
use http::{HeaderMap, HeaderValue, Request, Version, header};

/// Header fields of a desktop browser, so that requests weigh what they weigh on the return link.
const BROWSER: [(header::HeaderName, &str); 4] = [
    (header::USER_AGENT, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    (header::ACCEPT, "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"),
    (header::ACCEPT_LANGUAGE, "en-US,en;q=0.5"),
    (header::ACCEPT_ENCODING, "identity"),
];

/// A GET request; HTTP/1.1 names the host in a field, the others in the URI.
pub(super) fn get(http: Http, host: &str, path: &str) -> Request<()> {
    let mut request = Request::new(());
    let uri = match http {
        Http::Http10 | Http::Http10s | Http::H1 | Http::H1s => path.to_owned(),
        Http::H2 | Http::H2c | Http::H3 | Http::Spdy => url(http, host, path),
    };
    *request.uri_mut() = uri.parse().expect("paths come from parsed URLs");
    if matches!(http, Http::Http10 | Http::Http10s) {
        *request.version_mut() = Version::HTTP_10;
    }
    let headers = request.headers_mut();
    if matches!(http, Http::H1 | Http::H1s) {
        headers.insert(header::HOST, HeaderValue::from_str(host).expect("hosts come from parsed URLs"));
    }
    for (name, value) in BROWSER {
        headers.insert(name, HeaderValue::from_static(value));
    }
    request
}

/// The absolute URL of a path on a host.
pub(crate) fn url(http: Http, host: &str, path: &str) -> String {
    let scheme = if http.is_tls() { "https" } else { "http" };
    format!("{scheme}://{host}{path}")
}

/// Header fields as text: name, colon, space, value, line end (RFC 9112 section 5).
pub(super) fn header_bytes(headers: &HeaderMap) -> Bytes {
    let length = |(name, value): (&header::HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    Bytes::new(headers.iter().map(length).sum::<usize>() as u64)
}
