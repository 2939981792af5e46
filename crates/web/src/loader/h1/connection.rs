//! A connection of HTTP/1.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bentpipe_http::http1::{Piece, READ_BYTES, ResponseHead, Responses, encode_request};
use bentpipe_net::{ByteStream, Net};
use bytes::BytesMut;
use http::{HeaderValue, Request, Version, header};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::sync::{Mutex, OnceCell, oneshot, watch};

use super::error::H1Error;
use super::schedule::Place;
use crate::hosts::Remote;
use crate::loader::body::Received;
use crate::loader::fetch::{FetchError, Fetched};
use crate::loader::idle::{self, Rest};
use crate::loader::session::Session;
use crate::loader::{connect, request};

/// A connection on which requests are written as they come, and responses read in the same order.
///
/// Its first request opens it. It is closed, beside the caller, when nobody has it any more.
pub(super) struct Connection {
    open: OnceCell<Open>,
    /// Whether any of its requests had a response.
    has_answered: Cell<bool>,
    is_closed: Cell<bool>,
    /// Requests that have it.
    users: Cell<u32>,
    /// Since the last of them had its response.
    rest: RefCell<Option<Rest>>,
    /// The number of the request whose turn it is to be written.
    writing: watch::Sender<u32>,
    /// The number of the request whose response comes next.
    reading: watch::Sender<u32>,
}

/// Ends, and lets the next one be, when it is dropped.
struct Turn<'a>(&'a watch::Sender<u32>);

struct Open {
    halves: Rc<Halves>,
    /// The connection's place in the session's list.
    index: usize,
    /// Gone with the connection.
    _held: oneshot::Sender<Infallible>,
}

struct Halves {
    writer: Mutex<Writer>,
    reader: Mutex<Reader>,
}

type Writer = WriteHalf<Box<dyn ByteStream>>;

struct Reader {
    half: ReadHalf<Box<dyn ByteStream>>,
    buffer: BytesMut,
    responses: Responses,
}

impl Connection {
    pub(super) fn new() -> Self {
        Self {
            open: OnceCell::new(),
            has_answered: Cell::new(false),
            is_closed: Cell::new(false),
            users: Cell::new(0),
            rest: RefCell::default(),
            writing: watch::Sender::new(0),
            reading: watch::Sender::new(0),
        }
    }

    /// Whether it takes no requests any more.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Whether the origin has closed it, or said what it was not asked, while no request waited.
    pub(super) fn is_broken(&self) -> bool {
        let Some(open) = self.open.get() else { return false };
        open.halves.reader.try_lock().is_ok_and(|mut reader| !reader.is_silent())
    }

    /// Asks for a path, in its turn. The last request of a connection says so (RFC 9112 section 9.6).
    ///
    /// No response means that the connection closed before it started, after it had given others: another connection may
    /// give it.
    pub(super) async fn fetch<N: Net>(
        &self,
        session: &Session<N>,
        remote: &Remote,
        path: &str,
        place: &Place<Self>,
        on_data: &mut impl FnMut(&[u8]),
    ) -> Result<Option<Fetched>, FetchError> {
        let request = get(session, &remote.name, path, place.is_last);
        self.rest.take();
        self.users.update(|users| users + 1);
        let result = self.exchange(session, remote, &request, place.number, on_data).await;
        self.users.update(|users| users - 1);
        match result {
            Ok((fetched, closes)) => {
                self.has_answered.set(true);
                self.start_rest(session, fetched.connection);
                self.is_closed.set(closes || place.is_last);
                Ok(Some(fetched))
            }
            Err(error) => {
                self.is_closed.set(true);
                let is_unanswered = matches!(error, FetchError::H1(H1Error::Unanswered));
                if is_unanswered && self.has_answered.get() { Ok(None) } else { Err(error) }
            }
        }
    }

    /// Returns the response, and whether the origin closes the connection after it.
    async fn exchange<N: Net>(
        &self,
        session: &Session<N>,
        remote: &Remote,
        request: &Request<()>,
        number: u32,
        on_data: &mut impl FnMut(&[u8]),
    ) -> Result<(Fetched, bool), FetchError> {
        let net = &session.net;
        let Open { halves, index, .. } = self.open.get_or_try_init(|| self.open(session, remote)).await?;
        give_way().await;
        let turn = Turn::take(&self.writing, number).await;
        self.ensure_open()?;
        let requested = net.now();
        // What became of it shows where the response should be.
        let _ = send(&halves.writer, request).await;
        drop(turn);
        let _turn = Turn::take(&self.reading, number).await;
        self.ensure_open()?;
        let mut reader = halves.reader.lock().await;
        let head = reader.head().await?;
        let first_byte = net.now();
        let body = reader.body(on_data).await?;
        let fetched = Fetched {
            connection: *index,
            requested,
            first_byte,
            last_byte: net.now(),
            status: head.status.as_u16(),
            request_header_bytes: request::header_bytes(request.headers()),
            response_header_bytes: request::header_bytes(&head.fields),
            body,
        };
        Ok((fetched, head.is_last))
    }

    /// Where nobody uses it any more it may be reset, which shows as its being broken.
    fn start_rest<N: Net>(&self, session: &Session<N>, index: usize) {
        if self.users.get() == 0 {
            let limit = session.client.spec.tcp.idle_reset_ns;
            *self.rest.borrow_mut() = Some(idle::rest(&session.net, &session.connections, limit, index));
        }
    }

    fn ensure_open(&self) -> Result<(), H1Error> {
        if self.is_closed() { Err(H1Error::Unanswered) } else { Ok(()) }
    }

    async fn open<N: Net>(&self, session: &Session<N>, remote: &Remote) -> Result<Open, FetchError> {
        self.ensure_open()?;
        let connected = connect::tcp(session, remote).await?;
        let (half, writer) = split(connected.stream);
        let reader = Reader { half, buffer: BytesMut::new(), responses: Responses::default() };
        let halves = Rc::new(Halves { writer: Mutex::new(writer), reader: Mutex::new(reader) });
        let (held, released) = oneshot::channel();
        session.net.spawn(close(Rc::clone(&halves), released));
        Ok(Open { halves, index: connected.index, _held: held })
    }
}

impl<'a> Turn<'a> {
    async fn take(line: &'a watch::Sender<u32>, number: u32) -> Self {
        // Whoever has the line has the sender.
        let _ = line.subscribe().wait_for(|turn| *turn == number).await;
        Self(line)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|turn| *turn += 1);
    }
}

impl Reader {
    /// The next response's head.
    async fn head(&mut self) -> Result<ResponseHead, H1Error> {
        loop {
            match self.responses.next(&mut self.buffer)? {
                Some(Piece::Head(head)) => return Ok(head),
                Some(Piece::Data(_) | Piece::End) => unreachable!("a body is read to its end"),
                None if self.responses.is_between(&self.buffer) => match self.read().await {
                    Ok(bytes) if bytes > 0 => {}
                    _ => return Err(H1Error::Unanswered),
                },
                None => {
                    if self.read().await? == 0 {
                        self.responses.close()?;
                    }
                }
            }
        }
    }

    /// The body after its head.
    async fn body(&mut self, on_data: &mut impl FnMut(&[u8])) -> Result<Received, H1Error> {
        let mut received = Received::new();
        loop {
            match self.responses.next(&mut self.buffer)? {
                Some(Piece::Data(chunk)) => {
                    received.add(&chunk);
                    on_data(&chunk);
                }
                Some(Piece::End) => return Ok(received),
                Some(Piece::Head(_)) => unreachable!("a response has one head"),
                None => {
                    if self.read().await? == 0 {
                        self.responses.close()?;
                        return Ok(received);
                    }
                }
            }
        }
    }

    async fn read(&mut self) -> io::Result<usize> {
        self.buffer.reserve(READ_BYTES);
        self.half.read_buf(&mut self.buffer).await
    }

    /// Whether nothing has come, not even the end.
    fn is_silent(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        self.buffer.is_empty() && pin!(self.read()).poll(&mut cx).is_pending()
    }
}

/// A GET request; the last on its connection says so.
fn get<N: Net>(session: &Session<N>, host: &str, path: &str, is_last: bool) -> Request<()> {
    let http = session.load.http;
    let mut request = request::get(http, host, path);
    if is_last && request.version() == Version::HTTP_11 {
        request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    request
}

/// Lets everything else happen that is due now: a SYN leaves before the request whose response its answer would meet.
async fn give_way() {
    let mut has_waited = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

async fn send(writer: &Mutex<Writer>, request: &Request<()>) -> io::Result<()> {
    let mut writer = writer.lock().await;
    writer.write_all(&encode_request(request)).await?;
    writer.flush().await
}

/// Closes a connection once it is released.
async fn close(halves: Rc<Halves>, released: oneshot::Receiver<Infallible>) {
    let _ = released.await;
    // The origin may have gone before.
    let _ = halves.writer.lock().await.shutdown().await;
}
