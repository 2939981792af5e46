//! The h3 crate's transport traits over a noq connection.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bentpipe_run::Direction;
use bytes::{Buf, Bytes};
use h3::error::Code;
use h3::quic::{self, ConnectionErrorIncoming, StreamErrorIncoming, StreamId, WriteBuf};
use noq::{Connection, ConnectionError, ReadError, VarInt, WriteError};

use super::h3_frames::Frames;
use crate::account::{Meter, QuicStream};

type Pending<T> = Option<Pin<Box<dyn Future<Output = T>>>>;
type Pair = (noq::SendStream, noq::RecvStream);

/// A QUIC connection that HTTP/3 runs over.
pub struct H3Connection {
    opener: Opener,
    accepting_bi: Pending<Result<Pair, ConnectionError>>,
    accepting_uni: Pending<Result<noq::RecvStream, ConnectionError>>,
    priorities: StreamPriorities,
}

/// Priorities of streams that the peer has opened, which the h3 crate has in its hands: each is the library's from
/// the next data on.
#[derive(Clone, Debug, Default)]
pub struct StreamPriorities(Rc<RefCell<BTreeMap<StreamId, i32>>>);

/// Opens streams; each clone opens its own.
pub struct Opener {
    connection: Connection,
    opening_bi: Pending<Result<Pair, ConnectionError>>,
    opening_uni: Pending<Result<noq::SendStream, ConnectionError>>,
    /// Counts what all streams carry, at a client.
    meter: Option<Meter>,
}

/// Both directions of a request stream.
pub struct BidiStream<B: Buf> {
    send: SendStream<B>,
    recv: RecvStream,
}

/// The sending direction of a stream.
pub struct SendStream<B: Buf> {
    stream: noq::SendStream,
    writing: Option<WriteBuf<B>>,
    priorities: Option<StreamPriorities>,
    count: Option<QuicStream>,
}

/// The receiving direction of a stream.
pub struct RecvStream {
    stream: noq::RecvStream,
    frames: Frames,
    count: Option<QuicStream>,
}

impl H3Connection {
    /// An end that counts nothing.
    pub fn new(connection: Connection) -> Self {
        Self::with(Opener::new(connection, None))
    }

    /// A client's end, which counts what its streams carry.
    pub fn counted(connection: Connection, meter: &Meter) -> Self {
        Self::with(Opener::new(connection, Some(meter.clone())))
    }

    fn with(opener: Opener) -> Self {
        let priorities = StreamPriorities::default();
        Self { opener, accepting_bi: None, accepting_uni: None, priorities }
    }

    /// Where to set what the streams of requests are worth.
    pub fn priorities(&self) -> StreamPriorities {
        self.priorities.clone()
    }
}

impl StreamPriorities {
    /// Sets a stream's priority, higher first, from its next data on.
    pub fn set(&self, stream: StreamId, priority: i32) {
        self.0.borrow_mut().insert(stream, priority);
    }

    fn take(&self, stream: StreamId) -> Option<i32> {
        self.0.borrow_mut().remove(&stream)
    }
}

impl Opener {
    fn new(connection: Connection, meter: Option<Meter>) -> Self {
        Self { connection, opening_bi: None, opening_uni: None, meter }
    }

    fn count(&self, direction: Direction, of: fn(&Meter, Direction) -> QuicStream) -> Option<QuicStream> {
        self.meter.as_ref().map(|meter| of(meter, direction))
    }

    fn request<B: Buf>(&self, (send, recv): Pair, priorities: Option<StreamPriorities>) -> BidiStream<B> {
        let sent = self.count(Direction::Up, QuicStream::of_request);
        let received = self.count(Direction::Down, QuicStream::of_request);
        BidiStream {
            send: SendStream::new(send, priorities, sent),
            recv: RecvStream::new(recv, Frames::bidirectional(), received),
        }
    }
}

impl Clone for Opener {
    fn clone(&self) -> Self {
        Self::new(self.connection.clone(), self.meter.clone())
    }
}

/// Polls the operation in `slot`, starting it first when there is none.
fn poll_slot<T>(
    slot: &mut Pending<T>,
    cx: &mut Context<'_>,
    start: impl FnOnce() -> Pin<Box<dyn Future<Output = T>>>,
) -> Poll<T> {
    let result = ready!(slot.get_or_insert_with(start).as_mut().poll(cx));
    *slot = None;
    Poll::Ready(result)
}

impl<B: Buf> quic::Connection<B> for H3Connection {
    type RecvStream = RecvStream;
    type OpenStreams = Opener;

    fn poll_accept_recv(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<RecvStream, ConnectionErrorIncoming>> {
        let connection = &self.opener.connection;
        let accepted = ready!(poll_slot(&mut self.accepting_uni, cx, || {
            let connection = connection.clone();
            Box::pin(async move { connection.accept_uni().await })
        }));
        let count = self.opener.count(Direction::Down, QuicStream::of_control);
        let stream = accepted.map(|stream| RecvStream::new(stream, Frames::unidirectional(), count));
        Poll::Ready(stream.map_err(connection_error))
    }

    fn poll_accept_bidi(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Self::BidiStream, ConnectionErrorIncoming>> {
        let connection = &self.opener.connection;
        let accepted = ready!(poll_slot(&mut self.accepting_bi, cx, || {
            let connection = connection.clone();
            Box::pin(async move { connection.accept_bi().await })
        }));
        let stream = accepted.map(|pair| self.opener.request(pair, Some(self.priorities.clone())));
        Poll::Ready(stream.map_err(connection_error))
    }

    fn opener(&self) -> Opener {
        self.opener.clone()
    }
}

impl<B: Buf> quic::OpenStreams<B> for H3Connection {
    type BidiStream = BidiStream<B>;
    type SendStream = SendStream<B>;

    fn poll_open_bidi(&mut self, cx: &mut Context<'_>) -> Poll<Result<BidiStream<B>, StreamErrorIncoming>> {
        self.opener.poll_open_bidi(cx)
    }

    fn poll_open_send(&mut self, cx: &mut Context<'_>) -> Poll<Result<SendStream<B>, StreamErrorIncoming>> {
        self.opener.poll_open_send(cx)
    }

    fn close(&mut self, code: Code, reason: &[u8]) {
        quic::OpenStreams::<B>::close(&mut self.opener, code, reason);
    }
}

impl<B: Buf> quic::OpenStreams<B> for Opener {
    type BidiStream = BidiStream<B>;
    type SendStream = SendStream<B>;

    fn poll_open_bidi(&mut self, cx: &mut Context<'_>) -> Poll<Result<BidiStream<B>, StreamErrorIncoming>> {
        let connection = &self.connection;
        let opened = ready!(poll_slot(&mut self.opening_bi, cx, || {
            let connection = connection.clone();
            Box::pin(async move { connection.open_bi().await })
        }));
        Poll::Ready(opened.map(|pair| self.request(pair, None)).map_err(lost_connection))
    }

    fn poll_open_send(&mut self, cx: &mut Context<'_>) -> Poll<Result<SendStream<B>, StreamErrorIncoming>> {
        let connection = &self.connection;
        let opened = ready!(poll_slot(&mut self.opening_uni, cx, || {
            let connection = connection.clone();
            Box::pin(async move { connection.open_uni().await })
        }));
        let count = self.count(Direction::Up, QuicStream::of_control);
        Poll::Ready(opened.map(|stream| SendStream::new(stream, None, count)).map_err(lost_connection))
    }

    fn close(&mut self, code: Code, reason: &[u8]) {
        self.connection.close(VarInt::from_u64(code.value()).unwrap_or(VarInt::MAX), reason);
    }
}

impl<B: Buf> quic::BidiStream<B> for BidiStream<B> {
    type SendStream = SendStream<B>;
    type RecvStream = RecvStream;

    fn split(self) -> (SendStream<B>, RecvStream) {
        (self.send, self.recv)
    }
}

impl<B: Buf> quic::SendStream<B> for BidiStream<B> {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StreamErrorIncoming>> {
        self.send.poll_ready(cx)
    }

    fn send_data<T: Into<WriteBuf<B>>>(&mut self, data: T) -> Result<(), StreamErrorIncoming> {
        self.send.send_data(data)
    }

    fn poll_finish(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StreamErrorIncoming>> {
        self.send.poll_finish(cx)
    }

    fn reset(&mut self, reset_code: u64) {
        self.send.reset(reset_code);
    }

    fn send_id(&self) -> StreamId {
        self.send.send_id()
    }
}

impl<B: Buf> quic::RecvStream for BidiStream<B> {
    type Buf = Bytes;

    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, StreamErrorIncoming>> {
        self.recv.poll_data(cx)
    }

    fn stop_sending(&mut self, error_code: u64) {
        self.recv.stop_sending(error_code);
    }

    fn recv_id(&self) -> StreamId {
        self.recv.recv_id()
    }
}

impl<B: Buf> SendStream<B> {
    fn new(stream: noq::SendStream, priorities: Option<StreamPriorities>, count: Option<QuicStream>) -> Self {
        Self { stream, writing: None, priorities, count }
    }
}

impl<B: Buf> quic::SendStream<B> for SendStream<B> {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StreamErrorIncoming>> {
        if let Some(data) = &mut self.writing {
            while data.has_remaining() {
                let written =
                    ready!(Pin::new(&mut self.stream).poll_write(cx, data.chunk())).map_err(write_error)?;
                if let Some(count) = &mut self.count {
                    count.passed(&data.chunk()[..written]);
                }
                data.advance(written);
            }
        }
        self.writing = None;
        Poll::Ready(Ok(()))
    }

    fn send_data<T: Into<WriteBuf<B>>>(&mut self, data: T) -> Result<(), StreamErrorIncoming> {
        if self.writing.is_some() {
            return Err(internal_error("send_data before the data before it was written"));
        }
        if let Some(priority) = self.priorities.as_ref().and_then(|all| all.take(self.send_id())) {
            // A stream that is already closed needs no priority.
            let _ = self.stream.set_priority(priority);
        }
        self.writing = Some(data.into());
        Ok(())
    }

    fn poll_finish(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), StreamErrorIncoming>> {
        Poll::Ready(self.stream.finish().map_err(|error| StreamErrorIncoming::Unknown(Box::new(error))))
    }

    fn reset(&mut self, reset_code: u64) {
        // A stream that is already closed needs no reset.
        let _ = self.stream.reset(VarInt::from_u64(reset_code).unwrap_or(VarInt::MAX));
    }

    fn send_id(&self) -> StreamId {
        stream_id(self.stream.id())
    }
}

impl RecvStream {
    fn new(stream: noq::RecvStream, frames: Frames, count: Option<QuicStream>) -> Self {
        Self { stream, frames, count }
    }
}

impl quic::RecvStream for RecvStream {
    type Buf = Bytes;

    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, StreamErrorIncoming>> {
        // `read_chunk` is cancel-safe: it may be dropped pending, the waker stays with the stream.
        let chunk = ready!(pin!(self.stream.read_chunk(usize::MAX)).poll(cx)).map_err(read_error)?;
        if let (Some(count), Some(bytes)) = (&mut self.count, &chunk) {
            count.passed(bytes);
        }
        self.frames.follow(chunk.as_deref().unwrap_or_default()).map_err(internal_error)?;
        Poll::Ready(Ok(chunk))
    }

    fn stop_sending(&mut self, error_code: u64) {
        // A stream that has ended has nothing to stop.
        let _ = self.stream.stop(VarInt::from_u64(error_code).unwrap_or(VarInt::MAX));
    }

    fn recv_id(&self) -> StreamId {
        stream_id(self.stream.id())
    }
}

fn stream_id(id: noq::StreamId) -> StreamId {
    u64::from(id).try_into().expect("noq's stream ids are QUIC's")
}

fn connection_error(error: ConnectionError) -> ConnectionErrorIncoming {
    match error {
        ConnectionError::ApplicationClosed(close) => {
            ConnectionErrorIncoming::ApplicationClose { error_code: close.error_code.into_inner() }
        }
        ConnectionError::TimedOut => ConnectionErrorIncoming::Timeout,
        other => ConnectionErrorIncoming::Undefined(Arc::new(other)),
    }
}

/// Has the h3 crate close the connection.
fn internal_error(message: impl ToString) -> StreamErrorIncoming {
    let connection_error = ConnectionErrorIncoming::InternalError(message.to_string());
    StreamErrorIncoming::ConnectionErrorIncoming { connection_error }
}

fn lost_connection(error: ConnectionError) -> StreamErrorIncoming {
    StreamErrorIncoming::ConnectionErrorIncoming { connection_error: connection_error(error) }
}

fn read_error(error: ReadError) -> StreamErrorIncoming {
    match error {
        ReadError::Reset(code) => StreamErrorIncoming::StreamTerminated { error_code: code.into_inner() },
        ReadError::ConnectionLost(error) => lost_connection(error),
        other => StreamErrorIncoming::Unknown(Box::new(other)),
    }
}

fn write_error(error: WriteError) -> StreamErrorIncoming {
    match error {
        WriteError::Stopped(code) => StreamErrorIncoming::StreamTerminated { error_code: code.into_inner() },
        WriteError::ConnectionLost(error) => lost_connection(error),
        other => StreamErrorIncoming::Unknown(Box::new(other)),
    }
}
