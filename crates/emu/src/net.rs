//! The kernel's network as the `Net` that client, origin and proxies run over: sockets, their knobs, the executor.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_net::{Net, Processor};
use bentpipe_run::{
    Algorithm, BbrSpec, Dscp, HostSpec, ResumeSpec, RunSpec, SlowStartChoice, Switch, TcpSpec,
};
use bentpipe_units::{Rate, Time};
use noq::Runtime;
use socket2::SockRef;
use tokio::net::TcpSocket;

use crate::marked_quic::MarkedSocket;
use crate::marking::mark;
use crate::pacing::pace;
use crate::processor::ThreadCore;
use crate::tcp::{KernelListener, KernelStream};
use crate::udp::{KernelDatagrams, enlarge_buffers};
use crate::{clock, fast_open};

/// Connections that may wait to be accepted.
pub(crate) const BACKLOG: u32 = 1024;

/// The kernel's network, clock and a tokio executor on one thread.
///
/// By default its sockets have no knobs turned: no Fast Open, no Nagle, no pacing.
#[derive(Clone, Debug, Default)]
pub struct KernelNet {
    pub(crate) fast_open: Switch,
    pub(crate) nagle: Switch,
    max_pacing_rate: Option<Rate>,
    slow_start: Option<SlowStartChoice>,
    bbr: Option<BbrSpec>,
    resume: Option<ResumeSpec>,
    processor: Option<Processor>,
}

impl KernelNet {
    /// Sockets with the settings of a run's TCP that are theirs alone; the others are the namespace's. The kernel's
    /// congestion controls are as they are: settings of a run's own make [`connect`](Net::connect) fail.
    pub fn new(spec: &RunSpec) -> Self {
        let (slow_start, bbr, resume) = (spec.slow_start, spec.bbr, spec.resume);
        Self { slow_start, bbr, resume, ..Self::default() }.with_tcp(&spec.tcp)
    }

    /// Sockets of a proxy, whose congestion controls end slow start as the run's do.
    pub(crate) fn of_proxy(spec: &RunSpec) -> Self {
        Self { slow_start: spec.slow_start, ..Self::default() }
    }

    /// The same host with a processor that takes as long for things as `costs` says, if it does.
    #[must_use]
    pub fn with_processor(self, costs: Option<HostSpec>) -> Self {
        let processor = costs.map(|costs| Processor::new(costs, Arc::new(ThreadCore::default())));
        Self { processor, ..self }
    }

    /// The same host on a processor.
    pub(crate) fn on(self, processor: Processor) -> Self {
        Self { processor: Some(processor), ..self }
    }

    /// What a run asks of a congestion control that the kernel's has not got.
    fn foreign_setting(&self, cc: Algorithm) -> Option<String> {
        if self.resume.is_some() {
            return Some("run.resume over TCP: expected none, found Careful Resume".to_owned());
        }
        match (cc, self.slow_start, self.bbr) {
            // CUBIC with SEARCH is loaded.
            (Algorithm::Cubic, Some(SlowStartChoice::Search), _) => None,
            // HyStart, of which the other choices are about, is CUBIC's.
            (_, Some(choice @ (SlowStartChoice::HyStartPlusPlus | SlowStartChoice::Search)), _)
            | (Algorithm::Cubic, Some(choice), _) => {
                Some(format!("run.slow_start over TCP: expected linux, found {}", choice.name()))
            }
            (Algorithm::Bbr, _, Some(BbrSpec { extra_acked: Switch::Off })) => {
                Some("run.bbr.extra_acked over TCP: expected true, found false".to_owned())
            }
            _ => None,
        }
    }

    /// A TCP socket that uses `cc` and marks with `dscp`. The kernel reads back which algorithm it uses in `TcpSample`.
    pub(crate) fn tcp_socket(&self, peer: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<TcpSocket> {
        let socket = match peer {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // As browsers and servers do (RFC 9110 leaves it to them): requests must not wait for acknowledgements.
        socket.set_nodelay(!self.nagle.is_on())?;
        if let Some(rate) = self.max_pacing_rate {
            pace(&socket, rate)?;
        }
        mark(SockRef::from(&socket), peer, dscp)?;
        let name = kernel_name(cc, self.slow_start)?;
        SockRef::from(&socket).set_tcp_congestion(name.as_bytes()).map_err(|error| {
            io::Error::new(error.kind(), format!("congestion control {name} is not to be had: {error}"))
        })?;
        Ok(socket)
    }
}

impl Net for KernelNet {
    type Stream = KernelStream;
    type Listener = KernelListener;
    type Datagrams = KernelDatagrams;

    fn now(&self) -> Time {
        clock::now()
    }

    async fn sleep_until(&self, at: Time) {
        tokio::time::sleep(at.since(clock::now()).into()).await;
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        tokio::task::spawn_local(task);
    }

    async fn connect(&self, to: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<KernelStream> {
        if let Some(setting) = self.foreign_setting(cc) {
            let message = format!("{setting}: the kernel has not got it");
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        let socket = self.tcp_socket(to, cc, dscp)?;
        if self.fast_open.is_on() {
            fast_open::defer_connect(&socket)?;
        }
        KernelStream::connected(socket.connect(to).await?)
    }

    fn listen(&self, at: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<KernelListener> {
        let socket = self.tcp_socket(at, cc, dscp)?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        if self.fast_open.is_on() {
            fast_open::accept(&socket, BACKLOG)?;
        }
        // Accepted sockets inherit congestion control and mark; the SYN-ACK has the mark too.
        Ok(KernelListener { socket: socket.listen(BACKLOG)?, nagle: self.nagle })
    }

    fn datagrams(&self, at: SocketAddr, dscp: Dscp) -> io::Result<KernelDatagrams> {
        KernelDatagrams::bind(at, dscp)
    }

    fn with_tcp(&self, tcp: &TcpSpec) -> Self {
        // The routes and the sysctls of a namespace have the others.
        let TcpSpec { fast_open, nagle, .. } = *tcp;
        Self { fast_open, nagle, max_pacing_rate: tcp.max_pacing_rate(), ..self.clone() }
    }

    fn processor(&self) -> Option<Processor> {
        self.processor.clone()
    }

    fn quic_socket(
        &self,
        at: SocketAddr,
        dscp: Dscp,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn Runtime>)> {
        let socket = std::net::UdpSocket::bind(at)?;
        enlarge_buffers(&socket)?;
        let runtime = self.quic_runtime();
        let socket: Box<dyn noq::AsyncUdpSocket> = match dscp {
            Dscp::DEFAULT => runtime.wrap_udp_socket(socket)?,
            dscp => Box::new(MarkedSocket::new(socket, dscp)?),
        };
        Ok((socket, runtime))
    }

    fn quic_runtime(&self) -> Arc<dyn Runtime> {
        Arc::new(noq::TokioRuntime)
    }
}

/// The kernel's name of an algorithm whose slow start ends in this way.
///
/// # Errors
/// When the kernel has not got it.
fn kernel_name(cc: Algorithm, slow_start: Option<SlowStartChoice>) -> io::Result<&'static str> {
    cc.kernel_name_with(slow_start).ok_or_else(|| {
        let known: Vec<_> = Algorithm::ALL.into_iter().filter_map(Algorithm::kernel_name).collect();
        let message = format!("run.cc over TCP: expected one of {}, found {}", known.join(", "), cc.name());
        io::Error::new(io::ErrorKind::Unsupported, message)
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use bentpipe_net::Listener;
    use tokio::runtime;

    use super::*;
    use crate::pacing::max_bytes_per_second;

    #[test]
    fn both_ends_of_a_tcp_connection_have_the_mark_that_was_asked_for() {
        // Expedited forwarding (RFC 3246), and none.
        for dscp in [46, 0].map(|code_point| Dscp::new(code_point).unwrap()) {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let tos = runtime.block_on(async {
                let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let cc = Algorithm::Reno;
                let net = KernelNet::default();
                let mut listener = net.listen(any, cc, dscp).unwrap();
                let at = listener.socket.local_addr().unwrap();
                let client = net.connect(at, cc, dscp).await.unwrap();
                let (server, _) = listener.accept().await.unwrap();
                [client, server].map(|end| end.socket().tos_v4().unwrap())
            });
            assert_eq!(tos, [u32::from(dscp.get()) << 2; 2]);
        }
    }

    #[test]
    fn both_ends_of_a_connection_send_small_segments_at_once_unless_nagle_is_on() {
        for nagle in [Switch::Off, Switch::On] {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let immediate = runtime.block_on(async {
                let net = KernelNet { nagle, ..KernelNet::default() };
                let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let mut listener = net.listen(any, Algorithm::Reno, Dscp::DEFAULT).unwrap();
                let at = listener.socket.local_addr().unwrap();
                let client = net.connect(at, Algorithm::Reno, Dscp::DEFAULT).await.unwrap();
                let (server, _) = listener.accept().await.unwrap();
                [client, server].map(|end| end.socket().tcp_nodelay().unwrap())
            });
            assert_eq!(immediate, [!nagle.is_on(); 2]);
        }
    }

    #[test]
    fn both_ends_of_a_connection_have_the_rate_that_is_asked_for_and_none_otherwise() {
        // socket(7): SO_MAX_PACING_RATE is handed on to accepted sockets; ~0 is no limit, and no pacing, as is zero.
        let cases =
            [(None, u64::MAX), (Some(1), 1), (Some(8_000_000), 1_000_000), (Some(u64::MAX), u64::MAX / 8)];
        for (bps, expected) in cases {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let found = runtime.block_on(async {
                let net = KernelNet { max_pacing_rate: bps.map(Rate::from_bps), ..KernelNet::default() };
                let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let mut listener = net.listen(any, Algorithm::Reno, Dscp::DEFAULT).unwrap();
                let at = listener.socket.local_addr().unwrap();
                let client = net.connect(at, Algorithm::Reno, Dscp::DEFAULT).await.unwrap();
                let (server, _) = listener.accept().await.unwrap();
                [client, server].map(|end| max_bytes_per_second(&*end.socket()))
            });
            assert_eq!(found, [expected; 2]);
        }
    }

    #[test]
    fn a_socket_of_the_other_version_of_ip_is_marked_too() {
        let dscp = Dscp::new(46).unwrap();
        let socket = TcpSocket::new_v6().unwrap();
        let at = SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, 0));
        mark(SockRef::from(&socket), at, dscp).unwrap();
        assert_eq!(SockRef::from(&socket).tclass_v6().unwrap(), 46 << 2);
    }

    #[test]
    fn a_slow_start_that_the_kernel_has_not_got_is_refused_by_name() {
        let net = KernelNet { slow_start: Some(SlowStartChoice::HyStartPlusPlus), ..KernelNet::default() };
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
        let error = runtime.block_on(net.connect(at, Algorithm::Cubic, Dscp::DEFAULT)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        assert!(error.to_string().starts_with("run.slow_start over TCP:"), "{error}");
    }

    #[test]
    fn search_is_loaded_for_cubic_and_refused_for_reno() {
        let net = KernelNet { slow_start: Some(SlowStartChoice::Search), ..KernelNet::default() };
        assert_eq!(net.foreign_setting(Algorithm::Cubic), None);
        assert_eq!(kernel_name(Algorithm::Cubic, net.slow_start).unwrap(), "bp_cubic_search");
        let refused = net.foreign_setting(Algorithm::Reno).unwrap();
        assert_eq!(refused, "run.slow_start over TCP: expected linux, found search");
    }

    #[test]
    fn what_is_asked_of_another_congestion_control_is_not_refused() {
        let bbr = Some(BbrSpec { extra_acked: Switch::Off });
        let net = KernelNet { slow_start: Some(SlowStartChoice::Linux4_15), bbr, ..KernelNet::default() };
        let found = |cc| net.foreign_setting(cc).unwrap_or_default();
        assert_eq!(found(Algorithm::Cubic), "run.slow_start over TCP: expected linux, found linux-4.15");
        assert_eq!(found(Algorithm::Bbr), "run.bbr.extra_acked over TCP: expected true, found false");
        assert_eq!(found(Algorithm::Reno), "");
    }

    #[test]
    fn what_the_kernel_has_not_got_is_refused_by_name() {
        let error = kernel_name(Algorithm::Bbr3, None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let message = error.to_string();
        assert!(message.starts_with("run.cc over TCP: expected one of reno, cubic, bbr"), "{message}");
        assert!(message.ends_with("found bbr3"), "{message}");
    }
}
