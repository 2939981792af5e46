//! HTTP/2 frames by hand (RFC 9113 section 4.1), and a peer that sends whatever it likes.

use std::pin::pin;

use bentpipe_net::Net;
use bentpipe_net::testing::{MemoryNet, MemoryStream};
use bentpipe_units::Duration;
use futures_util::future::{Either, join, select};
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 0x01;
pub const ACK: u8 = 0x01;
pub const END_HEADERS: u8 = 0x04;
pub const PADDED: u8 = 0x08;
pub const WHOLE: u8 = END_STREAM | END_HEADERS;

// Error codes (RFC 9113 section 7).
pub const PROTOCOL_ERROR: u32 = 1;
pub const FLOW_CONTROL_ERROR: u32 = 3;
pub const STREAM_CLOSED: u32 = 5;
pub const FRAME_SIZE_ERROR: u32 = 6;
pub const REFUSED_STREAM: u32 = 7;
pub const COMPRESSION_ERROR: u32 = 9;
pub const ENHANCE_YOUR_CALM: u32 = 11;

/// GET http://test/ (RFC 7541 appendix A: 2 is the method, 6 the scheme, 4 the path, 1 the authority's name).
pub const GET: &[u8] = &[0x82, 0x86, 0x84, 0x01, 4, b't', b'e', b's', b't'];
/// The same by POST, with a body to come.
pub const POST: &[u8] = &[0x83, 0x86, 0x84, 0x01, 4, b't', b'e', b's', b't'];
/// `:status: 200`.
pub const STATUS_200: u8 = 0x88;

/// Longer than anything takes on a network without distances.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub frames: Vec<Frame>,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The peer closed the connection.
    Closed,
    /// It is open, and nothing more comes.
    Quiet,
}

/// A peer that sends bytes.
pub struct Peer {
    net: MemoryNet,
    stream: MemoryStream,
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A setting's identifier and value (RFC 9113 section 6.5.1).
pub fn setting(identifier: u16, value: u32) -> Vec<u8> {
    let mut payload = identifier.to_be_bytes().to_vec();
    payload.extend(value.to_be_bytes());
    frame(SETTINGS, 0, 0, &payload)
}

/// What a client sends first.
pub fn hello() -> Vec<u8> {
    [PREFACE.to_vec(), frame(SETTINGS, 0, 0, &[])].concat()
}

/// A field that is in no table, without Huffman coding (RFC 7541 section 6.2.2).
pub fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut field = vec![0x00];
    for text in [name, value] {
        field.extend(string(text.as_bytes()));
    }
    field
}

/// A string (RFC 7541 section 5.2) of up to 2^21 bytes.
pub fn string(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    if text.len() < 127 {
        bytes.push(text.len() as u8);
    } else {
        let mut rest = text.len() - 127;
        bytes.push(127);
        while rest >= 128 {
            bytes.push((rest % 128) as u8 | 0x80);
            rest /= 128;
        }
        bytes.push(rest as u8);
    }
    bytes.extend(text);
    bytes
}

impl Peer {
    pub fn new(net: &MemoryNet, stream: MemoryStream) -> Self {
        Self { net: net.clone(), stream }
    }

    /// Sends all of it, and receives at the same time until the other end closes or has nothing to say.
    pub async fn exchange(&mut self, bytes: &[u8]) -> Answer {
        let (mut reading, mut writing) = split(&mut self.stream);
        let send = async {
            // The other end may have had enough.
            let _ = writing.write_all(bytes).await;
        };
        let receive = async {
            let (mut received, mut buffer) = (Vec::new(), [0; 16_384]);
            loop {
                let patience = pin!(self.net.sleep(PATIENCE));
                match select(pin!(reading.read(&mut buffer)), patience).await {
                    Either::Left((Ok(0) | Err(_), _)) => return (received, End::Closed),
                    Either::Left((Ok(count), _)) => received.extend(&buffer[..count]),
                    Either::Right(_) => return (received, End::Quiet),
                }
            }
        };
        let sending = pin!(async {
            select(pin!(send), pin!(self.net.sleep(PATIENCE * 2))).await;
        });
        let ((), (received, end)) = join(sending, receive).await;
        Answer { frames: frames(&received), end }
    }

    /// Sends `bytes` again and again without reading, and says how many the other end has taken when it takes no more.
    pub async fn flood(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut taken = 0;
        while taken < most {
            let writing = pin!(self.stream.write(bytes));
            match select(writing, pin!(self.net.sleep(PATIENCE))).await {
                Either::Left((Ok(count), _)) if count > 0 => taken += count,
                _ => break,
            }
        }
        taken
    }
}

impl Answer {
    /// The error that ended the connection.
    pub fn connection_error(&self) -> Option<u32> {
        let goaway = self.frames.iter().find(|frame| frame.kind == GOAWAY)?;
        Some(u32::from_be_bytes(goaway.payload[4..8].try_into().unwrap()))
    }

    /// The error that ended a stream.
    pub fn stream_error(&self, stream: u32) -> Option<u32> {
        let reset = self.frames.iter().find(|frame| frame.kind == RST_STREAM && frame.stream == stream)?;
        Some(u32::from_be_bytes(reset.payload[..4].try_into().unwrap()))
    }

    /// The first error that ended anything; closing without one is none.
    pub fn error(&self) -> Option<u32> {
        let codes = self.frames.iter().filter_map(|frame| match frame.kind {
            GOAWAY => frame.payload.get(4..8),
            RST_STREAM => frame.payload.get(..4),
            _ => None,
        });
        codes.map(|code| u32::from_be_bytes(code.try_into().unwrap())).find(|code| *code != 0)
    }

    /// Whether a request was answered by status 200.
    pub fn is_success(&self, stream: u32) -> bool {
        let header = self.frames.iter().find(|frame| frame.kind == HEADERS && frame.stream == stream);
        header.is_some_and(|frame| frame.payload.contains(&STATUS_200))
    }
}

fn frames(mut bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(9) {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let Some((payload, rest)) = rest.split_at_checked(length) else { break };
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        frames.push(Frame { kind: head[3], flags: head[4], stream, payload: payload.to_vec() });
        bytes = rest;
    }
    frames
}
