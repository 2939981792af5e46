//! HTTP messages as header blocks (draft 3.1, section 3.2).

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, uri};

use super::Headers;

/// What both directions say of themselves (draft 3.2.1, 3.2.2).
const VERSION: &str = "HTTP/1.1";
const SCHEME: &str = "https";
/// Fields about the connection, which SPDY has no use for (draft 3.2.1, 3.2.2).
const NOT_SENT: [&str; 5] = ["connection", "host", "keep-alive", "proxy-connection", "transfer-encoding"];

/// A request for a resource, whose URI names the host.
pub fn request(request: &Request<()>) -> Headers {
    let path = request.uri().path_and_query().map_or("/", uri::PathAndQuery::as_str);
    let host = request.uri().authority().map_or("", uri::Authority::as_str);
    let first = [
        (":method", request.method().as_str()),
        (":path", path),
        (":version", VERSION),
        (":host", host),
        (":scheme", SCHEME),
    ];
    with_fields(first, request.headers())
}

/// Method, host, and path with query of a request; none when anything is missing that must be there.
pub fn request_head(headers: &Headers) -> Option<(Method, String, String)> {
    let all = [":method", ":path", ":version", ":host", ":scheme"];
    let [method, path, _, host, _] = all.map(|name| headers.text(name).filter(|value| !value.is_empty()));
    if all.iter().any(|name| headers.get(name).is_none()) {
        return None;
    }
    let path: uri::PathAndQuery = path?.parse().ok()?;
    Some((method?.parse().ok()?, host.unwrap_or_default().to_owned(), path.as_str().to_owned()))
}

/// A response without its body.
pub fn response<B>(response: &Response<B>) -> Headers {
    let status = response.status().to_string();
    with_fields([(":status", status.as_str()), (":version", VERSION)], response.headers())
}

/// The status of a response; none when it, or the version, is missing.
pub fn status(headers: &Headers) -> Option<u16> {
    headers.get(":version")?;
    headers.text(":status")?.split(' ').next()?.parse().ok()
}

/// The identity of a resource that is pushed (draft 3.3.1).
pub fn pushed(host: &str, path: &str) -> Headers {
    Headers::from_iter([(":host", host), (":path", path), (":scheme", SCHEME)])
}

/// The path of what is pushed; none when it is not of `host`.
pub fn pushed_path<'a>(headers: &'a Headers, host: &str) -> Option<&'a str> {
    let ours = headers.text(":host") == Some(host) && headers.text(":scheme") == Some(SCHEME);
    headers.text(":path").filter(|_| ours)
}

/// The header fields proper.
pub fn fields(headers: &Headers) -> HeaderMap {
    let mut fields = HeaderMap::new();
    for (name, values) in headers.iter().filter(|(name, _)| !name.starts_with(':')) {
        for value in values.split(|byte| *byte == 0) {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(value)) {
                fields.append(name, value);
            }
        }
    }
    fields
}

fn with_fields<const N: usize>(first: [(&str, &str); N], fields: &HeaderMap) -> Headers {
    let mut headers = Headers::from_iter(first);
    for (name, value) in fields.iter().filter(|(name, _)| !NOT_SENT.contains(&name.as_str())) {
        headers.add(name.as_str(), value.as_bytes());
    }
    headers
}

#[cfg(test)]
mod tests {
    use http::{StatusCode, header};

    use super::*;

    const HOST: &str = "origin.bentpipe.test";

    #[test]
    fn a_request_has_the_five_names_of_the_draft_and_the_path_is_found_again() {
        let mut asked = Request::new(());
        *asked.uri_mut() = format!("https://{HOST}/a.jpg?size=1").parse().unwrap();
        asked.headers_mut().insert(header::HOST, HeaderValue::from_static(HOST));
        asked.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("image/webp"));
        let headers = request(&asked);
        let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
        assert_eq!(names, [":method", ":path", ":version", ":host", ":scheme", "accept"]);
        assert_eq!(headers.text(":path"), Some("/a.jpg?size=1"));
        assert_eq!(request_head(&headers), Some((Method::GET, HOST.to_owned(), "/a.jpg?size=1".to_owned())));
    }

    #[test]
    fn a_request_without_any_of_the_five_names_is_none() {
        let complete =
            [(":method", "GET"), (":path", "/"), (":version", VERSION), (":host", HOST), (":scheme", SCHEME)];
        assert!(request_head(&Headers::from_iter(complete)).is_some());
        for missing in 0..complete.len() {
            let pairs = complete.iter().enumerate().filter(|(i, _)| *i != missing).map(|(_, pair)| *pair);
            assert_eq!(request_head(&Headers::from_iter(pairs)), None, "{}", complete[missing].0);
        }
    }

    #[test]
    fn a_response_keeps_its_status_and_all_values_of_a_field() {
        let mut answer = Response::new(());
        *answer.status_mut() = StatusCode::NOT_FOUND;
        for cookie in ["a=1", "b=2"] {
            answer.headers_mut().append(header::SET_COOKIE, HeaderValue::from_static(cookie));
        }
        let headers = response(&answer);
        assert_eq!(headers.text(":status"), Some("404 Not Found"));
        assert_eq!(headers.get("set-cookie"), Some(&b"a=1\0b=2"[..]));
        assert_eq!(status(&headers), Some(404));
        assert_eq!(&fields(&headers), answer.headers());
    }

    #[test]
    fn what_is_pushed_belongs_to_the_host() {
        assert_eq!(pushed_path(&pushed(HOST, "/a.jpg"), HOST), Some("/a.jpg"));
        let foreign = [(":host", "evil.test"), (":path", "/a.jpg"), (":scheme", SCHEME)];
        assert_eq!(pushed_path(&Headers::from_iter(foreign), HOST), None);
    }
}
