//! The relay of a proxy between two streams in memory.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use bentpipe_run::Direction;
use bentpipe_web::pep::relay;
use futures_util::future::{Either, join, join_all, join3, select};
use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex};

const PIPE_BYTES: usize = 1000;
const BUFFER_BYTES: usize = 300;

/// Polls a task that something has woken, until it is done or nothing wakes it any more.
fn run<T>(task: impl Future<Output = T>) -> Poll<T> {
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let woken = Arc::new(Woken(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut task = pin!(task);
    while woken.0.swap(false, Ordering::Relaxed) {
        let polled = task.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            return polled;
        }
    }
    Poll::Pending
}

/// Client, the relay's two ends, and server.
fn wires(bytes: usize) -> [DuplexStream; 4] {
    let (client, near) = duplex(bytes);
    let (far, server) = duplex(bytes);
    [client, near, far, server]
}

fn uncounted(_direction: Direction, _bytes: usize) {}

/// Sends all of `content`, ends its direction, and returns what came in the other one.
async fn exchange(mut stream: DuplexStream, content: &[u8]) -> Vec<u8> {
    let (mut reader, mut writer) = tokio::io::split(&mut stream);
    let mut received = Vec::new();
    let send = async {
        writer.write_all(content).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let (_, read) = join(send, reader.read_to_end(&mut received)).await;
    read.unwrap();
    received
}

/// Bytes that tell places and connections apart.
fn content(length: usize, connection: usize) -> Vec<u8> {
    (0..length).map(|at| (at.wrapping_mul(31) ^ (at >> 8) ^ connection.wrapping_mul(97)) as u8).collect()
}

proptest! {
    #[test]
    fn what_is_sent_arrives_byte_for_byte_whatever_the_sizes(
        up in prop::collection::vec(any::<u8>(), 0..5000),
        down in prop::collection::vec(any::<u8>(), 0..5000),
        pipe in 1..2000usize,
        buffer in 1..2000usize,
    ) {
        let [client, mut near, mut far, server] = wires(pipe);
        let relaying = relay(&mut near, &mut far, buffer, uncounted);
        let all = join3(exchange(client, &up), relaying, exchange(server, &down));
        let Poll::Ready((at_client, result, at_server)) = run(all) else { panic!("it stands still") };
        prop_assert!(result.is_ok());
        prop_assert_eq!(at_client, down);
        prop_assert_eq!(at_server, up);
    }
}

#[test]
fn two_hundred_connections_at_once_do_not_mix() {
    let connections = (0..200).map(|number| async move {
        let (up, down) = (content(20_000 + number, number), content(90_000 - number, number + 1000));
        let [client, mut near, mut far, server] = wires(PIPE_BYTES);
        let relaying = relay(&mut near, &mut far, BUFFER_BYTES, uncounted);
        let (at_client, result, at_server) =
            join3(exchange(client, &up), relaying, exchange(server, &down)).await;
        assert!(result.is_ok());
        assert!(at_client == down && at_server == up, "connection {number}");
    });
    assert!(run(join_all(connections)).is_ready());
}

#[test]
fn the_end_of_one_direction_is_passed_on_and_the_other_goes_on() {
    let [mut client, mut near, mut far, mut server] = wires(PIPE_BYTES);
    let talk = async {
        client.write_all(b"all that I have").await.unwrap();
        client.shutdown().await.unwrap();
        let mut asked = String::new();
        // The server sees the end before it has said a word.
        server.read_to_string(&mut asked).await.unwrap();
        server.write_all(format!("you said: {asked}").as_bytes()).await.unwrap();
        server.shutdown().await.unwrap();
        let mut answered = String::new();
        client.read_to_string(&mut answered).await.unwrap();
        answered
    };
    let both = join(relay(&mut near, &mut far, BUFFER_BYTES, uncounted), talk);
    let Poll::Ready((result, answered)) = run(both) else { panic!("it stands still") };
    assert!(result.is_ok());
    assert_eq!(answered, "you said: all that I have");
}

#[test]
fn a_receiver_that_does_not_read_stops_the_sender_and_costs_no_more_than_the_buffer() {
    for direction in [Direction::Up, Direction::Down] {
        let [client, mut near, mut far, server] = wires(PIPE_BYTES);
        let (mut sender, _receiver) = match direction {
            Direction::Up => (client, server),
            Direction::Down => (server, client),
        };
        let sent = Cell::new(0);
        let send = async {
            while let Ok(bytes) = sender.write(&[7; 64]).await {
                sent.set(sent.get() + bytes);
            }
        };
        // `run` returns when nothing wakes anybody: there is no busy waiting either.
        let both = join(relay(&mut near, &mut far, BUFFER_BYTES, uncounted), send);
        assert!(run(both).is_pending());
        assert_eq!(sent.get(), PIPE_BYTES + BUFFER_BYTES + PIPE_BYTES, "{direction:?}");
    }
}

#[test]
fn a_direction_that_stands_still_does_not_stop_the_other() {
    let [client, mut near, mut far, mut server] = wires(PIPE_BYTES);
    let down = content(50_000, 1);
    let talk = async {
        let (mut reader, mut writer) = tokio::io::split(client);
        // Nobody reads this.
        let stuck = async { writer.write_all(&[7; 10 * PIPE_BYTES]).await };
        let mut received = vec![0; down.len()];
        let done = join(reader.read_exact(&mut received), server.write_all(&down));
        let is_stuck = matches!(select(pin!(stuck), pin!(done)).await, Either::Right(_));
        assert!(is_stuck);
        received
    };
    let relaying = relay(&mut near, &mut far, BUFFER_BYTES, uncounted);
    let mut talk = pin!(talk);
    let mut relaying = pin!(relaying);
    let Poll::Ready(Either::Right((received, _))) = run(select(&mut relaying, &mut talk)) else {
        panic!("it stands still")
    };
    assert_eq!(received, down);
}

/// A stream whose peer resets the connection after some bytes.
struct Reset {
    inner: DuplexStream,
    bytes_left: usize,
}

impl AsyncRead for Reset {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.bytes_left == 0 {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let mut part = buffer.take(self.bytes_left);
        let polled = Pin::new(&mut self.inner).poll_read(cx, &mut part);
        let bytes = part.filled().len();
        self.bytes_left -= bytes;
        buffer.advance(bytes);
        polled
    }
}

impl AsyncWrite for Reset {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[test]
fn a_reset_of_either_end_ends_the_relay_with_its_error() {
    for (at_client, at_server) in [(500, usize::MAX), (usize::MAX, 500), (0, usize::MAX), (usize::MAX, 0)] {
        let [mut client, near, far, mut server] = wires(PIPE_BYTES);
        let mut near = Reset { inner: near, bytes_left: at_client };
        let mut far = Reset { inner: far, bytes_left: at_server };
        let talk = async {
            client.write_all(&[1; 600]).await.unwrap();
            server.write_all(&[2; 600]).await.unwrap();
        };
        let both = join(relay(&mut near, &mut far, BUFFER_BYTES, uncounted), talk);
        let Poll::Ready((result, ())) = run(both) else { panic!("the reset is not passed on") };
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }
}

#[test]
fn an_end_that_takes_nothing_any_more_ends_the_relay_with_an_error() {
    let [mut client, mut near, mut far, server] = wires(PIPE_BYTES);
    drop(server);
    let talk = async { client.write_all(b"is anybody there?").await.unwrap() };
    let both = join(relay(&mut near, &mut far, BUFFER_BYTES, uncounted), talk);
    let Poll::Ready((result, ())) = run(both) else { panic!("it stands still") };
    assert_eq!(result.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn all_bytes_handed_over_are_counted_in_each_direction() {
    let [client, mut near, mut far, server] = wires(PIPE_BYTES);
    let counted = RefCell::new([0, 0]);
    let count = |direction, bytes| counted.borrow_mut()[usize::from(direction == Direction::Down)] += bytes;
    let (up, down) = (content(12_345, 1), content(54_321, 2));
    let relaying = relay(&mut near, &mut far, BUFFER_BYTES, count);
    let all = join3(exchange(client, &up), relaying, exchange(server, &down));
    assert!(run(all).is_ready());
    assert_eq!(counted.into_inner(), [12_345, 54_321]);
}
