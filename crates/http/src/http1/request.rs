//! Requests as an origin reads and a client writes them (RFC 9112 section 3).

use bytes::BytesMut;
use http::{HeaderMap, Method, Request, Uri, Version, header};

use super::head::{
    Heads, Malformed, NO_FIELDS, complete, content_length, encode_fields, fields, is_last, version,
};

/// A request as an origin needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// The method.
    pub method: Method,
    /// The target, in any of its forms (RFC 9112 section 3.2).
    pub target: Uri,
    /// The client's version.
    pub version: Version,
    /// The header fields.
    pub fields: HeaderMap,
    /// Whether the client sends no request after it, or none that could be found behind its body.
    pub is_last: bool,
}

/// Takes requests from the bytes of one connection.
#[derive(Debug, Default)]
pub struct Requests {
    heads: Heads,
}

impl Requests {
    /// Takes the next request from the buffer's start; none while it is not all there.
    ///
    /// # Errors
    /// When the bytes are no request, or one that is too large; what follows is none either.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<RequestHead>, Malformed> {
        self.heads.take(buffer)?.map(|head| parse(&head)).transpose()
    }
}

fn parse(head: &[u8]) -> Result<RequestHead, Malformed> {
    let mut room = NO_FIELDS;
    let mut request = httparse::Request::new(&mut room);
    complete(request.parse(head))?;
    let fields = fields(request.headers)?;
    let method = Method::from_bytes(request.method.unwrap_or_default().as_bytes())
        .map_err(|error| Malformed::Head(error.to_string()))?;
    let target: Uri = request
        .path
        .unwrap_or_default()
        .parse()
        .map_err(|error: http::uri::InvalidUri| Malformed::Target(error.to_string()))?;
    let version = version(request.version);
    let hosts = fields.get_all(header::HOST).iter().count();
    if version == Version::HTTP_11 && hosts != 1 {
        return Err(Malformed::Host(hosts));
    }
    // Bodies are not read: nothing that the origin answers has one.
    let has_body = content_length(&fields)?.is_some_and(|length| length > 0)
        || fields.contains_key(header::TRANSFER_ENCODING);
    let is_last = has_body || is_last(version, &fields);
    Ok(RequestHead { method, target, version, fields, is_last })
}

/// Writes a request without a body.
pub fn encode(request: &Request<()>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    let line = format!("{} {} {:?}\r\n", request.method(), request.uri(), request.version());
    bytes.extend_from_slice(line.as_bytes());
    encode_fields(request.headers(), &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http1::{MAX_FIELDS, MAX_HEAD_BYTES};

    fn one(bytes: &[u8]) -> Result<Option<RequestHead>, Malformed> {
        Requests::default().next(&mut BytesMut::from(bytes))
    }

    #[test]
    fn requests_that_share_a_segment_are_taken_one_by_one() {
        let mut buffer = BytesMut::from(
            &b"\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\nHEAD /b HTTP/1.1\nhost: x\nConnection: Close\n\nGET /c"
                [..],
        );
        let mut requests = Requests::default();
        let first = requests.next(&mut buffer).unwrap().unwrap();
        assert_eq!((first.method, first.target.path(), first.is_last), (Method::GET, "/a", false));
        let second = requests.next(&mut buffer).unwrap().unwrap();
        assert_eq!((second.method, second.target.path(), second.is_last), (Method::HEAD, "/b", true));
        assert_eq!(requests.next(&mut buffer), Ok(None));
        assert_eq!(&buffer[..], b"GET /c");
    }

    #[test]
    fn a_request_of_http_1_0_is_the_last_and_needs_no_host() {
        // RFC 1945 sections 1.3 and 10; RFC 9112 section 3.2 asks HTTP/1.1 alone for a Host.
        let request = one(b"GET / HTTP/1.0\r\n\r\n").unwrap().unwrap();
        assert_eq!((request.version, request.is_last), (Version::HTTP_10, true));
        assert_eq!(one(b"GET / HTTP/1.1\r\n\r\n"), Err(Malformed::Host(0)));
        assert_eq!(one(b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"), Err(Malformed::Host(2)));
    }

    #[test]
    fn nothing_is_read_behind_a_body() {
        let request = one(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc").unwrap().unwrap();
        assert!(request.is_last);
        let request =
            one(b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n").unwrap().unwrap();
        assert!(request.is_last);
    }

    #[test]
    fn an_absolute_target_names_the_same_resource() {
        // RFC 9112 section 3.2.2: "a server MUST accept the absolute-form in requests".
        let request = one(b"GET http://x.test/a?b HTTP/1.1\r\nhost: x.test\r\n\r\n").unwrap().unwrap();
        assert_eq!(request.target.path(), "/a");
    }

    #[test]
    fn other_versions_and_other_protocols_are_no_requests() {
        assert_eq!(one(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Err(Malformed::Version));
        assert!(matches!(one(b"\x16\x03\x01\x02\x00\x01\n\n"), Err(Malformed::Head(_))));
    }

    #[test]
    fn a_head_is_bounded_whether_or_not_it_ends() {
        let field = |length: usize| [b"GET / HTTP/1.0\r\na: ".to_vec(), vec![b'x'; length]].concat();
        let rest = field(0).len() + b"\r\n\r\n".len();
        let ended = |length| [field(length), b"\r\n\r\n".to_vec()].concat();
        assert!(one(&ended(MAX_HEAD_BYTES - rest)).unwrap().is_some());
        assert_eq!(one(&ended(MAX_HEAD_BYTES - rest + 1)), Err(Malformed::HeadTooLarge));
        assert_eq!(one(&field(MAX_HEAD_BYTES)), Err(Malformed::HeadTooLarge));
        let fields =
            |count| [b"GET / HTTP/1.0\r\n".to_vec(), b"a: b\r\n".repeat(count), b"\r\n".to_vec()].concat();
        assert!(one(&fields(MAX_FIELDS)).unwrap().is_some());
        assert_eq!(one(&fields(MAX_FIELDS + 1)), Err(Malformed::TooManyFields));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let request = Request::get("/a?b").header("host", "x").header("accept", "*/*").body(()).unwrap();
        let bytes = encode(&request);
        assert_eq!(bytes, b"GET /a?b HTTP/1.1\r\nhost: x\r\naccept: */*\r\n\r\n");
        let read = one(&bytes).unwrap().unwrap();
        assert_eq!((&read.target, &read.fields), (request.uri(), request.headers()));
    }

    proptest! {
        #[test]
        fn any_bytes_give_requests_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut buffer = BytesMut::from(&bytes[..]);
            let mut requests = Requests::default();
            while let Ok(Some(request)) = requests.next(&mut buffer) {
                prop_assert!(request.fields.len() <= MAX_FIELDS);
            }
        }
    }
}
