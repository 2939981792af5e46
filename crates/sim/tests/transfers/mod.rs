//! Programs that send each other bytes over a simulated network and look at every one that comes.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::LazyLock;
use std::task::{Context, Poll};
use std::time::Instant;

use bentpipe_http::tls::Identity;
use bentpipe_net::{Listener, Net, Stream};
use bentpipe_run::{Algorithm, Dscp, RunSpec};
use bentpipe_sim::{Content, Network, SimNet, SimStream};
use bentpipe_units::Duration;
use bentpipe_web::HOST;
use bentpipe_web::pep::Pep;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2));
pub const PORT: u16 = 5001;
/// Prime, so that no segment or buffer size divides it.
const PERIOD: usize = 65_521;
/// Bytes of one write.
const CHUNK: usize = 64 * 1024;
/// Longer than a connection takes to repair what is lost; an end that waits so long has lost its peer with the peer's reset.
const LIMIT: Duration = Duration::from_secs(2_000);

/// Bytes without an order (xorshift), so that any that is missing, doubled or misplaced is noticed.
static NOISE: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let period: Vec<u8> = (0..PERIOD)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 56) as u8
        })
        .collect();
    period.iter().cycle().take(PERIOD + CHUNK).copied().collect()
});

/// What one end sends.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    phase: usize,
    pub length: u64,
}

impl Noise {
    /// So many, which differ from those of another number.
    pub fn new(number: usize, length: u64) -> Self {
        Self { phase: number.wrapping_mul(7_919) % PERIOD, length }
    }

    /// The next bytes from there on; none at the end.
    pub fn from(&self, at: u64) -> &'static [u8] {
        let start = (self.phase + (at % PERIOD as u64) as usize) % PERIOD;
        &NOISE[start..start + CHUNK.min((self.length - at) as usize)]
    }

    /// Whether `found` is what stands at `at`.
    pub fn matches(&self, mut at: u64, found: &[u8]) -> bool {
        found.chunks(CHUNK).all(|chunk| {
            let same = self.from(at).starts_with(chunk);
            at += chunk.len() as u64;
            same
        })
    }
}

/// A connection on which both ends send at once, and which one of them may reset once so many bytes have passed it.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub start: Duration,
    pub up: u64,
    pub down: u64,
    pub client_resets_after: Option<u64>,
    pub server_resets_after: Option<u64>,
}

impl Transfer {
    pub fn may_be_reset(&self) -> bool {
        self.client_resets_after.is_some() || self.server_resets_after.is_some()
    }

    fn parts(&self, number: usize) -> [Part; 2] {
        let (up, down) = (Noise::new(2 * number, self.up), Noise::new(2 * number + 1, self.down));
        [
            Part { sends: up, expects: down, resets_after: self.client_resets_after },
            Part { sends: down, expects: up, resets_after: self.server_resets_after },
        ]
    }
}

/// What one end of a connection does.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub sends: Noise,
    pub expects: Noise,
    /// Once so many bytes have been sent and received.
    pub resets_after: Option<u64>,
}

/// How a connection ended for one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Everything was sent, and everything came.
    Whole,
    /// An error ended it.
    Cut,
    /// This end reset it.
    Reset,
    /// Nothing came any more.
    Abandoned,
}

/// The network of a run with its proxies at work.
pub fn network(spec: &RunSpec) -> (Network, Vec<Pep>) {
    let network = Network::new(spec, Instant::now(), Content::Bytes);
    let peps = network.start_pep(&Identity::from_seed(&[HOST], spec.seed).unwrap()).unwrap();
    (network, peps)
}

/// Does what one end does, and counts what it has sent.
///
/// # Panics
/// When a byte is another one than was sent, or the stream ends before its end.
pub async fn take_part(net: &SimNet, stream: SimStream, part: Part, sent: &Cell<u64>) -> Fate {
    let mut stream = stream;
    let mut half = Progress { part, received: 0, is_shut_down: false, has_ended: false };
    let mut limit = pin!(net.sleep(LIMIT));
    let mut buffer = vec![0; CHUNK];
    let fate = poll_fn(|cx| {
        if limit.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Fate::Abandoned);
        }
        match half.poll(cx, &mut stream, &mut buffer, sent) {
            Ok(done) => done,
            Err(_) => Poll::Ready(Fate::Cut),
        }
    })
    .await;
    if fate == Fate::Reset {
        stream.reset();
    }
    fate
}

struct Progress {
    part: Part,
    received: u64,
    is_shut_down: bool,
    has_ended: bool,
}

impl Progress {
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        stream: &mut SimStream,
        buffer: &mut [u8],
        sent: &Cell<u64>,
    ) -> io::Result<Poll<Fate>> {
        loop {
            let resets = self.part.resets_after.is_some_and(|after| sent.get() + self.received >= after);
            if resets {
                return Ok(Poll::Ready(Fate::Reset));
            }
            let moved = [self.poll_send(cx, stream, sent)?, self.poll_receive(cx, stream, buffer)?];
            if self.is_shut_down && self.has_ended {
                return Ok(Poll::Ready(Fate::Whole));
            }
            if moved == [Poll::Pending; 2] {
                return Ok(Poll::Pending);
            }
        }
    }

    fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        stream: &mut SimStream,
        sent: &Cell<u64>,
    ) -> io::Result<Poll<()>> {
        if self.is_shut_down {
            return Ok(Poll::Pending);
        }
        let bytes = self.part.sends.from(sent.get());
        if bytes.is_empty() {
            self.is_shut_down = Pin::new(stream).poll_shutdown(cx)?.is_ready();
            return Ok(Poll::Ready(()));
        }
        let Poll::Ready(taken) = Pin::new(stream).poll_write(cx, bytes)? else { return Ok(Poll::Pending) };
        sent.set(sent.get() + taken as u64);
        Ok(Poll::Ready(()))
    }

    fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        stream: &mut SimStream,
        buffer: &mut [u8],
    ) -> io::Result<Poll<()>> {
        if self.has_ended {
            return Ok(Poll::Pending);
        }
        let mut buffer = ReadBuf::new(buffer);
        if Pin::new(stream).poll_read(cx, &mut buffer)?.is_pending() {
            return Ok(Poll::Pending);
        }
        let (found, expected) = (buffer.filled(), self.part.expects);
        assert!(self.received + found.len() as u64 <= expected.length, "more bytes than were sent");
        assert!(expected.matches(self.received, found), "a wrong byte near {}", self.received);
        self.received += found.len() as u64;
        if found.is_empty() {
            assert_eq!(self.received, expected.length, "the stream ends before its end");
            self.has_ended = true;
        }
        Ok(Poll::Ready(()))
    }
}

/// How each transfer ended for client and server, if it came to that.
pub fn run_all(network: &Network, transfers: &[Transfer]) -> Vec<[Option<Fate>; 2]> {
    let state = Rc::new(State {
        parts: transfers.iter().enumerate().map(|(number, transfer)| transfer.parts(number)).collect(),
        numbers: RefCell::default(),
        fates: RefCell::new(vec![[None; 2]; transfers.len()]),
    });
    serve(network, &state);
    let at = SocketAddr::new(SERVER, PORT);
    for (number, transfer) in transfers.iter().enumerate() {
        let (net, state, start) = (network.client(), Rc::clone(&state), transfer.start);
        network.client().spawn(async move {
            net.sleep(start).await;
            let connected = net.connect(at, Algorithm::Cubic, Dscp::DEFAULT).await;
            let fate = match connected {
                Ok(stream) => {
                    state.numbers.borrow_mut().insert(stream.local_port().unwrap(), number);
                    take_part(&net, stream, state.parts[number][0], &Cell::default()).await
                }
                Err(_) => Fate::Cut,
            };
            state.fates.borrow_mut()[number][0] = Some(fate);
        });
    }
    let last = transfers.iter().map(|transfer| transfer.start).max().unwrap_or(Duration::ZERO);
    network.run_for(last + LIMIT * 2);
    state.fates.take()
}

struct State {
    /// Of client and server.
    parts: Vec<[Part; 2]>,
    /// Transfers by the client's port.
    numbers: RefCell<BTreeMap<u16, usize>>,
    fates: RefCell<Vec<[Option<Fate>; 2]>>,
}

fn serve(network: &Network, state: &Rc<State>) {
    let (net, state) = (network.server(), Rc::clone(state));
    let at = SocketAddr::new(SERVER, PORT);
    let mut listener = net.listen(at, Algorithm::Cubic, Dscp::DEFAULT).unwrap();
    network.server().spawn(async move {
        while let Ok((stream, peer)) = listener.accept().await {
            let number = state.numbers.borrow()[&peer.port()];
            let (host, state) = (net.clone(), Rc::clone(&state));
            net.spawn(async move {
                let fate = take_part(&host, stream, state.parts[number][1], &Cell::default()).await;
                state.fates.borrow_mut()[number][1] = Some(fate);
            });
        }
    });
}
