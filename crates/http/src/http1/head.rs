//! The head of a message (RFC 9112 section 2.1), with its limits.

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Version, header};

/// Bytes that a head may have: its first line, its fields and the empty line.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Fields that a head may have.
pub const MAX_FIELDS: usize = 100;

/// How a peer broke the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A head longer than [`MAX_HEAD_BYTES`].
    #[error("expected a header of at most {MAX_HEAD_BYTES} bytes, found more")]
    HeadTooLarge,
    /// More fields than [`MAX_FIELDS`].
    #[error("expected at most {MAX_FIELDS} header fields, found more")]
    TooManyFields,
    /// A version other than 1.0 and 1.1.
    #[error("expected HTTP/1.0 or HTTP/1.1, found another version")]
    Version,
    /// A head that is none.
    #[error("header: {0}")]
    Head(String),
    /// A target that is no URI.
    #[error("request target: {0}")]
    Target(String),
    /// No Host, or several (RFC 9112 section 3.2).
    #[error("expected one Host field, found {0}")]
    Host(usize),
    /// A length that is none, or two that differ (RFC 9112 section 6.3).
    #[error("content-length: expected one decimal number, found {0:?}")]
    ContentLength(String),
    /// An encoding that was not asked for, or that stands beside a length (RFC 9112 section 6.1).
    #[error("transfer-encoding: expected chunked alone, found {0:?}")]
    TransferEncoding(String),
    /// A protocol that was not asked for (RFC 9110 section 15.2.2).
    #[error("expected a final response, found 101 Switching Protocols")]
    Upgrade,
    /// A chunk whose size is none, or that is longer than its size (RFC 9112 section 7.1).
    #[error("chunked body: {0}")]
    Chunk(&'static str),
    /// The end of the connection within a message.
    #[error("connection closed before the end of the message")]
    Truncated,
}

/// Finds heads in bytes that arrive in pieces.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Bytes known not to hold the end: none is looked at again and again by a peer that sends one at a time.
    searched: usize,
}

impl Heads {
    /// Takes the head at the buffer's start, with its empty line; none while that is missing.
    pub(super) fn take(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Malformed> {
        if self.searched == 0 {
            // RFC 9112 section 2.2: empty lines before a message are ignored.
            let empty = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            buffer.advance(empty);
            // Either message starts with a token (RFC 9112 sections 3 and 4): TLS in clear text does not, and need not be
            // waited for.
            if buffer.first().is_some_and(|byte| !byte.is_ascii_graphic()) {
                return Err(Malformed::Head("expected a method or a version, found no text".to_owned()));
            }
        }
        self.take_lines(buffer)
    }

    /// As [`take`](Self::take), of lines of which there may be none but the empty one.
    pub(super) fn take_trailers(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Malformed> {
        match buffer[..] {
            [b'\r', b'\n', ..] => Ok(Some(self.split(buffer, 2))),
            [b'\n', ..] => Ok(Some(self.split(buffer, 1))),
            _ => self.take_lines(buffer),
        }
    }

    fn take_lines(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Malformed> {
        let end = self.end(buffer);
        if end.unwrap_or(buffer.len()) > MAX_HEAD_BYTES {
            return Err(Malformed::HeadTooLarge);
        }
        Ok(end.map(|end| self.split(buffer, end)))
    }

    fn split(&mut self, buffer: &mut BytesMut, end: usize) -> Bytes {
        self.searched = 0;
        buffer.split_to(end).freeze()
    }

    /// Where the first empty line ends. A line may end by a lone line feed (RFC 9112 section 2.2).
    fn end(&mut self, buffer: &[u8]) -> Option<usize> {
        for at in self.searched..buffer.len() {
            self.searched = at;
            match buffer[at..] {
                [b'\n', b'\n', ..] => return Some(at + 2),
                [b'\n', b'\r', b'\n', ..] => return Some(at + 3),
                // Whether the next line is empty is not known yet.
                [b'\n'] | [b'\n', b'\r'] => return None,
                _ => {}
            }
        }
        self.searched = buffer.len();
        None
    }
}

/// Room for the fields of one head.
pub(super) const NO_FIELDS: [httparse::Header<'_>; MAX_FIELDS] = [httparse::EMPTY_HEADER; MAX_FIELDS];

/// What the parser says of a head that has its empty line.
pub(super) fn complete<T>(result: httparse::Result<T>) -> Result<T, Malformed> {
    match result {
        Ok(httparse::Status::Complete(value)) => Ok(value),
        Ok(httparse::Status::Partial) => Err(Malformed::Head("a line that never ends".to_owned())),
        Err(httparse::Error::TooManyHeaders) => Err(Malformed::TooManyFields),
        Err(httparse::Error::Version) => Err(Malformed::Version),
        Err(error) => Err(Malformed::Head(error.to_string())),
    }
}

/// The parser's minor version, of which it knows two.
pub(super) fn version(minor: Option<u8>) -> Version {
    if minor == Some(0) { Version::HTTP_10 } else { Version::HTTP_11 }
}

/// The parser's fields, copied.
pub(super) fn fields(parsed: &[httparse::Header<'_>]) -> Result<HeaderMap, Malformed> {
    let mut fields = HeaderMap::with_capacity(parsed.len());
    for field in parsed {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        let name = name.map_err(|error| Malformed::Head(error.to_string()))?;
        let value =
            HeaderValue::from_bytes(field.value).map_err(|error| Malformed::Head(error.to_string()))?;
        fields.append(name, value);
    }
    Ok(fields)
}

/// Whether no message follows on the connection (RFC 9112 section 9.3; in HTTP/1.0 none ever does).
pub(super) fn is_last(version: Version, fields: &HeaderMap) -> bool {
    version == Version::HTTP_10 || list(fields, &header::CONNECTION).any(|option| option == "close")
}

/// The members of a list field in lower case (RFC 9110 section 5.6.1).
pub(super) fn list(fields: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
    fields
        .get_all(name)
        .iter()
        .flat_map(move |value| {
            text(value).split(',').map(|member| member.trim().to_owned()).collect::<Vec<_>>()
        })
        .filter(|member| !member.is_empty())
}

/// The body's length by its field (RFC 9112 section 6.3); the same length may stand there twice.
pub(super) fn content_length(fields: &HeaderMap) -> Result<Option<u64>, Malformed> {
    let mut found = None;
    for value in fields.get_all(header::CONTENT_LENGTH) {
        for member in String::from_utf8_lossy(value.as_bytes()).split(',') {
            let member = member.trim();
            let digits = !member.is_empty() && member.bytes().all(|byte| byte.is_ascii_digit());
            let length = member.parse::<u64>().ok().filter(|_| digits);
            match (length, found) {
                (Some(length), None) => found = Some(length),
                (Some(length), Some(other)) if length == other => {}
                _ => return Err(Malformed::ContentLength(member.to_owned())),
            }
        }
    }
    Ok(found)
}

/// Writes the fields and the empty line.
pub(super) fn encode_fields(fields: &HeaderMap, bytes: &mut Vec<u8>) {
    for (name, value) in fields {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(part);
        }
    }
    bytes.extend_from_slice(b"\r\n");
}
