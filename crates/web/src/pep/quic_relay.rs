//! The streams of two QUIC connections, carried to each other.

use std::pin::{Pin, pin};

use bentpipe_run::Direction;
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use noq::{
    ApplicationClose, Connection, ConnectionError, ReadError, RecvStream, SendStream, VarInt, WriteError,
};

/// What an application is told whose connection goes on no further, by a code that HTTP/3 has for it
/// (H3_INTERNAL_ERROR, RFC 9114 section 8.1): an application cannot be told the transport's own reason.
pub const LOST: VarInt = VarInt::from_u32(0x102);

/// Bytes of a stream that are handed over at once, and all that is held of it here: what else there is waits in the
/// receive window of one connection, or in the send window of the other.
const CHUNK: usize = 64 * 1024;

/// An end of the two connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Client,
    Server,
}

/// One direction of a stream: where it comes from, and where it goes on.
type Half = (RecvStream, SendStream);

/// What one of the tasks of a relay has come to.
enum Done {
    /// An end has opened a stream, and it was opened at the other one too.
    Opened { by: End, kind: Kind, onwards: Half, back: Option<Half> },
    /// An end opens no more streams of one kind.
    Exhausted { by: End },
    /// One direction of a stream is over. Where a connection was lost in the midst, its ends are not to be dropped before
    /// the other connection is closed: dropped they would say that all is well.
    Carried(Option<Half>),
    /// The connection with this end is over.
    Closed { with: End, why: ConnectionError },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bidirectional,
    Unidirectional,
}

/// Carries the streams of two connections to each other until one of these is closed, and closes the other.
///
/// Streams are opened in the order in which they were opened, so that each has its number on both connections (RFC 9000
/// section 2.1); their ends (FIN), resets and what their receivers refuse (STOP_SENDING) are passed on with their codes.
/// What cannot be handed over is not read, so that flow control reaches back to the sender. When one connection is
/// closed, the streams that had ended before are completed on the other one; then that is closed with the same code and
/// reason. `carried` is told of all bytes that were handed over.
///
/// # Errors
/// When one of the connections was not closed by its application but lost. The other one is told [`LOST`].
pub async fn relay(
    client: &Connection,
    server: &Connection,
    carried: impl Fn(Direction, usize),
) -> Result<(), ConnectionError> {
    let carried = &carried;
    let mut tasks = FuturesUnordered::<Pin<Box<dyn Future<Output = Done> + '_>>>::new();
    // What one end may still open, and the directions of streams that are not over.
    let (mut kinds_left, mut carrying) = ([2, 2], 0_usize);
    for (by, from, to) in [(End::Client, client, server), (End::Server, server, client)] {
        tasks.push(Box::pin(next_stream(by, Kind::Bidirectional, from, to)));
        tasks.push(Box::pin(next_stream(by, Kind::Unidirectional, from, to)));
        tasks.push(Box::pin(async move { Done::Closed { with: by, why: from.closed().await } }));
    }
    let (mut over, mut cut_off) = (None, Vec::new());
    let (with, why) = loop {
        match tasks.next().await.expect("both connections are waited for") {
            Done::Opened { by, kind, onwards, back } => {
                let (from, to) = match by {
                    End::Client => (client, server),
                    End::Server => (server, client),
                };
                tasks.push(Box::pin(next_stream(by, kind, from, to)));
                for (by, half) in [(by, Some(onwards)), (by.other(), back)] {
                    let Some(half) = half else { continue };
                    carrying += 1;
                    tasks.push(Box::pin(async move {
                        Done::Carried(carry(half, |bytes| carried(by.direction(), bytes)).await)
                    }));
                }
            }
            Done::Exhausted { by } => kinds_left[by as usize] -= 1,
            Done::Carried(half) => {
                carrying -= 1;
                cut_off.extend(half);
            }
            Done::Closed { with, why } => match over.take() {
                None => over = Some((with, why)),
                Some(first) => break first,
            },
        }
        if let Some((with, _)) = &over
            && carrying == 0
            && kinds_left[*with as usize] == 0
        {
            break over.take().expect("it is there");
        }
    };
    let other = match with {
        End::Client => server,
        End::Server => client,
    };
    match why {
        ConnectionError::ApplicationClosed(ApplicationClose { error_code, reason }) => {
            other.close(error_code, &reason);
            Ok(())
        }
        why => {
            other.close(LOST, why.to_string().as_bytes());
            Err(why)
        }
    }
}

impl End {
    const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// That of what this end sends.
    const fn direction(self) -> Direction {
        match self {
            Self::Client => Direction::Up,
            Self::Server => Direction::Down,
        }
    }
}

/// Awaits the next stream of one kind that an end opens, and opens it at the other one, as soon as that allows it.
async fn next_stream(by: End, kind: Kind, from: &Connection, to: &Connection) -> Done {
    let opened = async {
        Ok::<_, ConnectionError>(match kind {
            Kind::Bidirectional => {
                let (answer, question) = from.accept_bi().await?;
                let (onwards, back) = to.open_bi().await?;
                ((question, onwards), Some((back, answer)))
            }
            Kind::Unidirectional => ((from.accept_uni().await?, to.open_uni().await?), None),
        })
    };
    match opened.await {
        Ok((onwards, back)) => Done::Opened { by, kind, onwards, back },
        Err(_) => Done::Exhausted { by },
    }
}

/// Carries one direction of a stream to its end; what is returned was cut off.
async fn carry((mut from, mut to): Half, carried: impl Fn(usize)) -> Option<Half> {
    let mut stopped = pin!(to.stopped());
    loop {
        let read = match select(pin!(from.read_chunk(CHUNK)), stopped.as_mut()).await {
            Either::Left((read, _)) => read,
            Either::Right((Ok(Some(code)), _)) => Err(ReadError::Reset(code)),
            Either::Right((Ok(None) | Err(_), _)) => Err(ReadError::ClosedStream),
        };
        // A receiver that wants no more and a sender that has no more are told alike.
        let chunk = match read {
            Ok(Some(chunk)) => chunk,
            Ok(None) => {
                // It is over when the next host has all of it, or wants no more.
                let _ = to.finish();
                let _ = stopped.await;
                return None;
            }
            Err(ReadError::Reset(code)) => return end(from, to, code),
            Err(_) => return Some((from, to)),
        };
        let bytes = chunk.len();
        match to.write_chunk(chunk).await {
            Ok(()) => carried(bytes),
            Err(WriteError::Stopped(code)) => return end(from, to, code),
            Err(_) => return Some((from, to)),
        }
    }
}

/// Ends both sides of a direction with the code of the one that has ended it: the sender is asked to stop, the receiver
/// told that there is no more. For the one that has ended it itself that says nothing new.
fn end(mut from: RecvStream, mut to: SendStream, code: VarInt) -> Option<Half> {
    let _ = from.stop(code);
    let _ = to.reset(code);
    None
}
