//! SPDY/3.1 with one host.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use bentpipe_http::http2::window;
use bentpipe_http::spdy::driver::Driver;
use bentpipe_http::spdy::{
    self, Config, Event, Fin, Headers, Priority, ResetStatus, Role, StreamId, fields, pushed_path, status,
};
use bentpipe_net::{ByteStream, Net};
use bentpipe_run::Priorities;
use bentpipe_units::{Bytes, Time};
use tokio::sync::{OnceCell, mpsc};

use super::body::Received;
use super::fetch::{FetchError, Fetched, MOST_REFUSALS};
use super::session::Session;
use super::{connect, request};
use crate::hosts::Remote;

/// SPDY/3.1 with one host: one connection for everything, requested or pushed.
pub(super) struct Client<N: Net> {
    session: Rc<Session<N>>,
    remote: Remote,
    connection: OnceCell<Open>,
}

struct Open {
    orders: mpsc::UnboundedSender<Order>,
    index: usize,
}

/// A resource that somebody wants.
struct Order {
    path: String,
    headers: Headers,
    priority: Priority,
    reader: Reader,
    /// How often the origin has refused it.
    refusals: u32,
}

type Reader = mpsc::UnboundedSender<Result<(Time, Part), String>>;

/// A part of a response.
enum Part {
    /// The request has left, or the push that makes it needless was announced.
    Asked(Asked),
    Headers(Headers),
    Data(bytes::Bytes),
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    ByRequest,
    ByNobody,
}

impl<N: Net> Client<N> {
    pub(super) fn new(session: &Rc<Session<N>>, remote: Remote) -> Self {
        Self { session: Rc::clone(session), remote, connection: OnceCell::new() }
    }

    pub(super) async fn fetch(
        &self,
        path: &str,
        mut on_data: impl FnMut(&[u8]),
    ) -> Result<Fetched, FetchError> {
        let open = self.connection.get_or_try_init(|| self.connect()).await?;
        let load = &self.session.load;
        let request = request::get(load.http, &self.remote.name, path);
        let priority = match load.priorities {
            Priorities::On => Priority::of_path(path),
            Priorities::Off | Priorities::Unstated => Priority::HIGHEST,
        };
        let (reader, mut parts) = mpsc::unbounded_channel();
        let order =
            Order { path: path.to_owned(), headers: spdy::request(&request), priority, reader, refusals: 0 };
        let closed = || FetchError::Spdy("the connection is closed".to_owned());
        open.orders.send(order).map_err(|_| closed())?;

        let mut requested = None;
        let mut request_header_bytes = Bytes::ZERO;
        let mut head = None;
        let mut received = Received::new();
        let last_byte = loop {
            let (at, part) = parts.recv().await.ok_or_else(closed)?.map_err(FetchError::Spdy)?;
            match part {
                Part::Asked(asked) => {
                    requested.get_or_insert(at);
                    if asked == Asked::ByRequest {
                        request_header_bytes = request::header_bytes(request.headers());
                    }
                }
                Part::Headers(headers) => {
                    head.get_or_insert((at, headers));
                }
                Part::Data(chunk) => {
                    received.add(&chunk);
                    on_data(&chunk);
                }
                Part::End => break at,
            }
        };
        let malformed = || FetchError::Spdy("a response without status or version".to_owned());
        let (first_byte, headers) = head.ok_or_else(malformed)?;
        Ok(Fetched {
            connection: open.index,
            requested: requested.unwrap_or(first_byte),
            first_byte,
            last_byte,
            status: status(&headers).ok_or_else(malformed)?,
            request_header_bytes,
            response_header_bytes: request::header_bytes(&fields(&headers)),
            body: received,
        })
    }

    /// The place of its connection in the session's list, once it has one.
    pub(super) fn connection_index(&self) -> Option<usize> {
        self.connection.get().map(|open| open.index)
    }

    async fn connect(&self) -> Result<Open, FetchError> {
        let spec = &self.session.client.spec.http2;
        let connected = connect::tcp(&self.session, &self.remote).await?;
        let objects = self.session.load.page.objects.len();
        let config = Config {
            stream_window: window(spec.stream_window_bytes),
            session_window: window(spec.connection_window_bytes),
            // Pushes; Firefox 24 sets no limit, and a page has no more of use.
            max_concurrent_streams: u32::try_from(objects).unwrap_or(u32::MAX),
        };
        let (orders, receiver) = mpsc::unbounded_channel();
        let driver = Driver::new(connected.stream, spdy::Session::new(Role::Client, &config));
        let connection = Connection {
            host: self.remote.name.clone(),
            net: self.session.net.clone(),
            driver,
            orders: receiver,
            waiting: VecDeque::new(),
            streams: BTreeMap::new(),
            pushed: BTreeMap::new(),
            goaway: None,
        };
        self.session.net.spawn(connection.run());
        Ok(Open { orders, index: connected.index })
    }
}

/// Brings the session and those who want something of it together.
struct Connection<N: Net> {
    host: String,
    net: N,
    driver: Driver<Box<dyn ByteStream>>,
    orders: mpsc::UnboundedReceiver<Order>,
    /// Orders that the origin's limit of concurrent streams keeps back.
    waiting: VecDeque<Order>,
    streams: BTreeMap<StreamId, Response>,
    /// Pushed streams that nobody has wanted yet, by path.
    pushed: BTreeMap<String, StreamId>,
    /// Why the origin takes no more requests.
    goaway: Option<String>,
}

/// Where the parts of a response go.
enum Response {
    To(Order),
    /// Nobody has asked yet: they wait. The stream's window bounds them.
    Kept(Vec<(Time, Part)>),
}

enum Step {
    Ordered(Order),
    Happened(Event),
    /// Nobody wants anything any more.
    Done,
    Failed(String),
}

impl<N: Net> Connection<N> {
    async fn run(mut self) {
        loop {
            self.request_waiting();
            match poll_fn(|cx| self.poll_step(cx)).await {
                Step::Ordered(order) => self.take(order),
                Step::Happened(event) => self.happened(event),
                Step::Done => {
                    // The load is over.
                    let _ = self.driver.close().await;
                    return;
                }
                Step::Failed(reason) => return self.fail(&reason),
            }
        }
    }

    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        match self.orders.poll_recv(cx) {
            Poll::Ready(Some(order)) => return Poll::Ready(Step::Ordered(order)),
            Poll::Ready(None) => return Poll::Ready(Step::Done),
            Poll::Pending => {}
        }
        self.driver.poll_event(cx).map(|event| match event {
            Ok(Some(event)) => Step::Happened(event),
            Ok(None) => Step::Failed("the origin has closed the connection".to_owned()),
            Err(error) => Step::Failed(error.to_string()),
        })
    }

    /// Hands over a pushed response, or puts the order in the queue.
    fn take(&mut self, order: Order) {
        let Some(stream) = self.pushed.remove(&order.path) else {
            match &self.goaway {
                None => self.waiting.push_back(order),
                Some(reason) => drop(order.reader.send(Err(reason.clone()))),
            }
            return;
        };
        let Some(Response::Kept(parts)) = self.streams.remove(&stream) else { return };
        let ended = parts.iter().any(|(_, part)| matches!(part, Part::End));
        for (at, part) in parts {
            if let Part::Data(chunk) = &part {
                self.driver.session.release(stream, chunk.len());
            }
            let _ = order.reader.send(Ok((at, part)));
        }
        if !ended {
            self.streams.insert(stream, Response::To(order));
        }
    }

    fn request_waiting(&mut self) {
        while self.driver.session.can_open() {
            let Some(order) = self.waiting.pop_front() else { return };
            let (headers, priority) = (order.headers.clone(), order.priority);
            let stream = self.driver.session.request(headers, priority).expect("a stream can be opened");
            let _ = order.reader.send(Ok((self.net.now(), Part::Asked(Asked::ByRequest))));
            self.streams.insert(stream, Response::To(order));
        }
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Opened { stream, headers, fin, .. } => self.announced(stream, &headers, fin),
            Event::Headers { stream, headers, fin } => self.part(stream, Part::Headers(headers), fin),
            Event::Data { stream, payload, fin } => self.part(stream, Part::Data(payload), fin),
            Event::Reset { stream, status } => {
                self.pushed.retain(|_, pushed| *pushed != stream);
                if status == ResetStatus::RefusedStream.wire() && self.request_again(stream) {
                    return;
                }
                self.refuse(stream, &format!("the stream was reset with status {status}"));
            }
            Event::Goaway { last_good, status } => {
                let reason = format!("the origin goes away with status {status}");
                let is_gone = |stream: &StreamId| stream % 2 == 1 && *stream > last_good;
                let gone: Vec<_> = self.streams.keys().copied().filter(is_gone).collect();
                for stream in gone {
                    self.refuse(stream, &reason);
                }
                for order in self.waiting.drain(..) {
                    let _ = order.reader.send(Err(reason.clone()));
                }
                self.goaway = Some(reason);
            }
        }
    }

    /// Keeps what is pushed until it is wanted. It was not requested already: the origin announces a push before the
    /// content that names the object (draft 3.3.1). What is not of the origin, or is there twice, is refused.
    fn announced(&mut self, stream: StreamId, headers: &Headers, fin: Fin) {
        let Some(path) = pushed_path(headers, &self.host).filter(|path| !self.pushed.contains_key(*path))
        else {
            self.driver.session.reset(stream, ResetStatus::RefusedStream);
            return;
        };
        self.pushed.insert(path.to_owned(), stream);
        self.streams.insert(stream, Response::Kept(Vec::new()));
        self.part(stream, Part::Asked(Asked::ByNobody), fin);
    }

    fn part(&mut self, stream: StreamId, part: Part, fin: Fin) {
        let now = self.net.now();
        let end = (fin == Fin::Present).then_some((now, Part::End));
        match self.streams.get_mut(&stream) {
            None => {}
            Some(Response::Kept(parts)) => {
                parts.push((now, part));
                parts.extend(end);
            }
            Some(Response::To(Order { reader, .. })) => {
                if let Part::Data(chunk) = &part {
                    self.driver.session.release(stream, chunk.len());
                }
                // A reader that has left wants no more.
                let _ = reader.send(Ok((now, part)));
                if let Some(end) = end {
                    let _ = reader.send(Ok(end));
                    self.streams.remove(&stream);
                }
            }
        }
    }

    /// Puts in the queue again what the origin has done nothing for (draft 2.4.2); by now its limit of streams is known.
    fn request_again(&mut self, stream: StreamId) -> bool {
        match self.streams.remove(&stream) {
            Some(Response::To(order)) if order.refusals < MOST_REFUSALS => {
                self.waiting.push_back(Order { refusals: order.refusals + 1, ..order });
                true
            }
            Some(other) => {
                self.streams.insert(stream, other);
                false
            }
            None => false,
        }
    }

    fn refuse(&mut self, stream: StreamId, reason: &str) {
        if let Some(Response::To(Order { reader, .. })) = self.streams.remove(&stream) {
            let _ = reader.send(Err(reason.to_owned()));
        }
    }

    /// Tells all who wait.
    fn fail(mut self, reason: &str) {
        let readers = self.streams.into_values().filter_map(|response| match response {
            Response::To(order) => Some(order.reader),
            Response::Kept(_) => None,
        });
        let orders = self.waiting.drain(..).map(|order| order.reader);
        for reader in readers.chain(orders) {
            let _ = reader.send(Err(reason.to_owned()));
        }
    }
}
