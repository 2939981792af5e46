//! Responses as a client reads and an origin writes them (RFC 9112 section 4).

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, Response, StatusCode, Version, header};

use super::head::{
    Heads, Malformed, NO_FIELDS, complete, content_length, encode_fields, fields, is_last, list, version,
};

/// Bytes that the line with a chunk's size may have, its extensions included.
const MAX_CHUNK_LINE_BYTES: usize = 1024;

/// A final response's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status.
    pub status: StatusCode,
    /// The origin's version.
    pub version: Version,
    /// The header fields.
    pub fields: HeaderMap,
    /// Whether the origin closes the connection after it.
    pub is_last: bool,
}

/// What a response consists of, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Once.
    Head(ResponseHead),
    /// Some bytes of the body, decoded; any number of times.
    Data(Bytes),
    /// Once.
    End,
}

/// Takes responses to GET requests from the bytes of one connection, one after the other.
#[derive(Debug, Default)]
pub struct Responses {
    state: State,
    heads: Heads,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    /// A body with so many bytes to come.
    Length(u64),
    /// A body that ends with the connection.
    UntilClose,
    ChunkSize,
    /// A chunk with so many bytes to come.
    Chunk(u64),
    ChunkEnd,
    Trailers,
}

impl Responses {
    /// Takes the next piece from the buffer's start; none while it is not there. Informational responses are
    /// skipped (RFC 9110 section 15.2), trailers are dropped.
    ///
    /// # Errors
    /// When the bytes are no response, or one that is too large; what follows is none either.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Piece>, Malformed> {
        loop {
            match self.state {
                State::Head => {
                    let Some(head) = self.heads.take(buffer)? else { return Ok(None) };
                    let head = parse(&head)?;
                    if head.status == StatusCode::SWITCHING_PROTOCOLS {
                        return Err(Malformed::Upgrade);
                    }
                    if head.status.is_informational() {
                        continue;
                    }
                    self.state = body(&head)?;
                    let is_last = head.is_last || self.state == State::UntilClose;
                    return Ok(Some(Piece::Head(ResponseHead { is_last, ..head })));
                }
                State::Length(0) => return Ok(Some(self.end())),
                State::Length(left) => {
                    return Ok(self.data(buffer, left, State::Length));
                }
                State::UntilClose => return Ok(self.data(buffer, u64::MAX, |_| State::UntilClose)),
                State::ChunkSize => match chunk_size(buffer)? {
                    None => return Ok(None),
                    Some(0) => self.state = State::Trailers,
                    Some(size) => self.state = State::Chunk(size),
                },
                State::Chunk(0) => self.state = State::ChunkEnd,
                State::Chunk(left) => return Ok(self.data(buffer, left, State::Chunk)),
                State::ChunkEnd => match buffer[..] {
                    [b'\r', b'\n', ..] => {
                        buffer.advance(2);
                        self.state = State::ChunkSize;
                    }
                    [] | [b'\r'] => return Ok(None),
                    _ => return Err(Malformed::Chunk("longer than its size")),
                },
                State::Trailers => {
                    let Some(trailers) = self.heads.take_trailers(buffer)? else { return Ok(None) };
                    let mut room = NO_FIELDS;
                    complete(httparse::parse_headers(&trailers, &mut room))?;
                    return Ok(Some(self.end()));
                }
            }
        }
    }

    /// The last piece of a response that the end of the connection ends.
    ///
    /// # Errors
    /// When the connection ends within a response, or before one.
    pub fn close(&mut self) -> Result<Piece, Malformed> {
        match self.state {
            State::UntilClose => Ok(self.end()),
            _ => Err(Malformed::Truncated),
        }
    }

    /// Whether nothing of the next response has come.
    pub fn is_between(&self, buffer: &[u8]) -> bool {
        self.state == State::Head && buffer.is_empty()
    }

    fn end(&mut self) -> Piece {
        self.state = State::Head;
        Piece::End
    }

    /// Takes up to `left` bytes of a body.
    fn data(&mut self, buffer: &mut BytesMut, left: u64, rest: impl Fn(u64) -> State) -> Option<Piece> {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        self.state = rest(left - taken as u64);
        (taken > 0).then(|| Piece::Data(buffer.split_to(taken).freeze()))
    }
}

/// Writes a response and its body, for a client of the given version.
pub fn encode(response: &Response<Bytes>, bytes: &mut Vec<u8>) {
    let (status, version) = (response.status(), response.version());
    let reason = status.canonical_reason().unwrap_or_default();
    bytes.extend_from_slice(format!("{version:?} {} {reason}\r\n", status.as_str()).as_bytes());
    encode_fields(response.headers(), bytes);
    bytes.extend_from_slice(response.body());
}

fn parse(head: &[u8]) -> Result<ResponseHead, Malformed> {
    let mut room = NO_FIELDS;
    let mut response = httparse::Response::new(&mut room);
    complete(response.parse(head))?;
    let fields = fields(response.headers)?;
    let status = StatusCode::from_u16(response.code.unwrap_or_default())
        .map_err(|error| Malformed::Head(error.to_string()))?;
    let version = version(response.version);
    let is_last = is_last(version, &fields);
    Ok(ResponseHead { status, version, fields, is_last })
}

/// How the body's end is found (RFC 9112 section 6.3, in its order).
fn body(head: &ResponseHead) -> Result<State, Malformed> {
    if matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        return Ok(State::Length(0));
    }
    let length = content_length(&head.fields)?;
    if head.fields.contains_key(header::TRANSFER_ENCODING) {
        let codings: Vec<String> = list(&head.fields, &header::TRANSFER_ENCODING).collect();
        let is_known = codings == ["chunked"] && length.is_none() && head.version == Version::HTTP_11;
        let found = || Malformed::TransferEncoding(codings.join(", "));
        return is_known.then_some(State::ChunkSize).ok_or_else(found);
    }
    Ok(length.map_or(State::UntilClose, State::Length))
}

/// Takes the line with a chunk's size.
fn chunk_size(buffer: &mut BytesMut) -> Result<Option<u64>, Malformed> {
    if buffer.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
        return Err(Malformed::Chunk("a size that is no number"));
    }
    let line = &buffer[..buffer.len().min(MAX_CHUNK_LINE_BYTES)];
    match httparse::parse_chunk_size(line) {
        Ok(httparse::Status::Complete((length, size))) => {
            buffer.advance(length);
            Ok(Some(size))
        }
        Ok(httparse::Status::Partial) if line.len() == MAX_CHUNK_LINE_BYTES => {
            Err(Malformed::Chunk("a size longer than a line"))
        }
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::InvalidChunkSize) => Err(Malformed::Chunk("a size that is no number")),
    }
}

#[cfg(test)]
mod tests;
