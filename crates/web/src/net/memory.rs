//! A network in memory: no delay, and a clock that moves when nothing else does.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use bentpipe_run::{Algorithm, Dscp, TcpSpec};
use bentpipe_units::Time;
use tokio::io::{DuplexStream, duplex};
use tokio::sync::mpsc;

use super::{Bulk, Datagrams, Listener, Net, Probe, Stream, TcpSample};

/// Octets that a connection holds in each direction.
const WINDOW_BYTES: usize = 64 * 1024;

/// One network of which every program is a part.
#[derive(Clone, Default)]
pub(crate) struct MemoryNet(Rc<State>);

#[derive(Default)]
struct State {
    now: Cell<Time>,
    sleepers: RefCell<Vec<(Time, Waker)>>,
    tasks: RefCell<Vec<Pin<Box<dyn Future<Output = ()>>>>>,
    listeners: RefCell<BTreeMap<u16, mpsc::UnboundedSender<DuplexStream>>>,
}

/// Where connections to a port arrive.
pub(crate) struct MemoryListener(mpsc::UnboundedReceiver<DuplexStream>);

/// There are none.
pub(crate) struct NoDatagrams;

/// Nothing is known of a connection.
pub struct Blind;

struct Woken(AtomicBool);

impl MemoryNet {
    /// Runs `main`, and the tasks beside it, to its end.
    pub(crate) fn run<T>(&self, main: impl Future<Output = T>) -> T {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        let mut main = pin!(main);
        loop {
            while woken.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(result) = main.as_mut().poll(&mut cx) {
                    return result;
                }
                let mut tasks = self.0.tasks.take();
                tasks.retain_mut(|task| task.as_mut().poll(&mut cx).is_pending());
                let spawned = self.0.tasks.replace(tasks);
                woken.0.fetch_or(!spawned.is_empty(), Ordering::Relaxed);
                self.0.tasks.borrow_mut().extend(spawned);
            }
            self.move_clock();
        }
    }

    fn move_clock(&self) {
        let sleepers = self.0.sleepers.take();
        let next = sleepers.iter().map(|(at, _)| *at).min().expect("somebody waits for the clock");
        self.0.now.set(self.0.now.get().max(next));
        sleepers.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Net for MemoryNet {
    type Stream = DuplexStream;
    type Listener = MemoryListener;
    type Datagrams = NoDatagrams;

    fn now(&self) -> Time {
        self.0.now.get()
    }

    async fn sleep_until(&self, at: Time) {
        poll_fn(|cx| {
            if self.now() >= at {
                return Poll::Ready(());
            }
            self.0.sleepers.borrow_mut().push((at, cx.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.0.tasks.borrow_mut().push(Box::pin(task));
    }

    async fn connect(&self, to: SocketAddr, _: Algorithm, _: Dscp) -> io::Result<DuplexStream> {
        let (near, far) = duplex(WINDOW_BYTES);
        let listeners = self.0.listeners.borrow();
        let listener = listeners.get(&to.port()).ok_or(io::ErrorKind::ConnectionRefused)?;
        listener.send(far).map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(near)
    }

    fn listen(&self, at: SocketAddr, _: Algorithm, _: Dscp) -> io::Result<MemoryListener> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.0.listeners.borrow_mut().insert(at.port(), sender);
        Ok(MemoryListener(receiver))
    }

    fn datagrams(&self, _: SocketAddr, _: Dscp) -> io::Result<NoDatagrams> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn with_tcp(&self, _: &TcpSpec) -> Self {
        self.clone()
    }

    fn quic_socket(
        &self,
        _: SocketAddr,
        _: Dscp,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn noq::Runtime>)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Listener for MemoryListener {
    type Stream = DuplexStream;

    async fn accept(&mut self) -> io::Result<(DuplexStream, SocketAddr)> {
        let stream = self.0.recv().await.ok_or(io::ErrorKind::NotConnected)?;
        Ok((stream, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
    }
}

impl Bulk for DuplexStream {}

impl Stream for DuplexStream {
    type Probe = Blind;

    fn local_port(&self) -> io::Result<u16> {
        Ok(0)
    }

    fn probe(&self) -> Blind {
        Blind
    }
}

impl Probe for Blind {
    fn sample(&self) -> Option<TcpSample> {
        None
    }

    fn reset(&self) {}
}

impl Datagrams for NoDatagrams {
    async fn send_to(&self, _: &[u8], _: SocketAddr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    async fn recv_from(&self, _: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
