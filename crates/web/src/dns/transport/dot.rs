//! DNS over TLS (RFC 7858): questions one after the other on one connection, answers in any order (RFC 7766 section 7).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bentpipe_net::Net;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::sync::{mpsc, oneshot};

use super::super::DOT_ALPN;
use super::super::error::LookupError;
use super::super::message::{Answer, Question, read_answer};
use super::Resolver;

/// Questions whose answers have not come, by their numbers; none any more when the connection has ended.
type Waiting = Rc<RefCell<Option<BTreeMap<u16, oneshot::Sender<Vec<u8>>>>>>;

/// A connection to a resolver.
pub(in super::super) struct Connection {
    questions: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Waiting,
}

impl Connection {
    pub(super) async fn open<N: Net>(net: &N, resolver: &Resolver) -> Result<Self, LookupError> {
        let (reading, writing) = split(resolver.stream(net, DOT_ALPN).await?);
        let waiting = Waiting::new(RefCell::new(Some(BTreeMap::new())));
        let (questions, asked) = mpsc::unbounded_channel();
        net.spawn(write(writing, asked));
        net.spawn(read(reading, Rc::clone(&waiting)));
        Ok(Self { questions, waiting })
    }

    pub(super) async fn ask(&self, id: u16, question: &Question) -> Result<Answer, LookupError> {
        let (give, answer) = oneshot::channel();
        let id = {
            let mut waiting = self.waiting.borrow_mut();
            let waiting = waiting.as_mut().ok_or(LookupError::Closed)?;
            let id = unused(id, waiting);
            waiting.insert(id, give);
            id
        };
        self.questions.send(framed(&question.message(id))).map_err(|_| LookupError::Closed)?;
        let bytes = answer.await.map_err(|_| LookupError::Closed)?;
        read_answer(&bytes, id, question).map_err(super::Unusable::on_connection)
    }
}

/// The first number from `id` on that no question under way has: by it alone its answer is known (RFC 7766 section 6.2.1).
fn unused<T>(id: u16, waiting: &BTreeMap<u16, T>) -> u16 {
    // There are fewer questions than numbers: a page has not so many hosts.
    (0..=u16::MAX).map(|more| id.wrapping_add(more)).find(|id| !waiting.contains_key(id)).unwrap_or(id)
}

/// A message with its length before it (RFC 1035 section 4.2.2), to be written at once (RFC 7766 section 8).
pub(in super::super) fn framed(message: &[u8]) -> Vec<u8> {
    let length = u16::try_from(message.len()).expect("a message is at most 65 535 bytes long");
    [&length.to_be_bytes()[..], message].concat()
}

/// The next message of a stream.
///
/// # Errors
/// When the stream ends.
pub(in super::super) async fn read_framed(
    stream: &mut (impl AsyncReadExt + Unpin),
) -> std::io::Result<Vec<u8>> {
    let mut message = vec![0; usize::from(stream.read_u16().await?)];
    stream.read_exact(&mut message).await?;
    Ok(message)
}

async fn write<S: AsyncWriteExt>(mut stream: WriteHalf<S>, mut asked: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(mut question) = asked.recv().await {
        // What is asked at one instant travels together.
        while let Ok(more) = asked.try_recv() {
            question.extend(more);
        }
        if stream.write_all(&question).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
    // The load is over; that the resolver hears of it changes nothing.
    let _ = stream.shutdown().await;
}

async fn read<S: AsyncReadExt>(mut stream: ReadHalf<S>, waiting: Waiting) {
    while let Ok(message) = read_framed(&mut stream).await {
        let Some((number, _)) = message.split_first_chunk() else { break };
        // An answer that nobody waits for is nobody's.
        let waits =
            waiting.borrow_mut().as_mut().and_then(|waiting| waiting.remove(&u16::from_be_bytes(*number)));
        if let Some(waits) = waits {
            let _ = waits.send(message);
        }
    }
    waiting.borrow_mut().take();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_questions_under_way_have_one_number() {
        let waiting = BTreeMap::from([(7, ()), (8, ()), (u16::MAX, ()), (0, ())]);
        let numbers = [6, 7, u16::MAX].map(|id| unused(id, &waiting));
        assert_eq!(numbers, [6, 9, 1]);
    }
}
