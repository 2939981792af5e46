//! Pings: UDP echo requests at a fixed interval.

use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use bentpipe_net::{Datagrams, Net};
use bentpipe_run::{ClientReport, Dscp, PingReport, PingSpec, Reason};
use bentpipe_units::{Duration, Time};

/// Largest datagram answered.
pub(crate) const BUFFER: usize = 65_536;
/// A request carries its sequence number in its first bytes.
const SEQUENCE: usize = 4;

/// Sends the requests, marked with `dscp`, to the origin's echo service, waits for the last answer as long as `patience`,
/// and reports the round trips.
pub async fn run<N: Net>(
    net: &N,
    ping: &PingSpec,
    origin: SocketAddr,
    local: IpAddr,
    dscp: Dscp,
    patience: Duration,
) -> ClientReport {
    let mut report = ClientReport { started: net.now(), ..ClientReport::default() };
    let rtts = match net.datagrams(SocketAddr::new(local, 0), dscp) {
        Ok(socket) => round_trips(net, ping, origin, Rc::new(socket), patience).await,
        Err(error) => Err(error),
    };
    match rtts {
        Ok(rtts) => report.ping = Some(PingReport { rtts }),
        Err(error) => report.faults.push(Reason::PingFailed { error: error.to_string() }),
    }
    report
}

async fn round_trips<N: Net>(
    net: &N,
    ping: &PingSpec,
    origin: SocketAddr,
    socket: Rc<N::Datagrams>,
    patience: Duration,
) -> std::io::Result<Vec<Option<Duration>>> {
    let rtts = Rc::new(RefCell::new(vec![None; ping.count as usize]));
    let sent = Rc::new(RefCell::new(Vec::<Time>::new()));
    collect(net, Rc::clone(&socket), &sent, &rtts);

    let length = usize::try_from(ping.payload_bytes.get()).unwrap_or(BUFFER).clamp(SEQUENCE, BUFFER);
    let mut request = vec![0; length];
    let mut due = net.now();
    for sequence in 0..ping.count {
        net.sleep_until(due).await;
        request[..SEQUENCE].copy_from_slice(&sequence.to_be_bytes());
        sent.borrow_mut().push(net.now());
        socket.send_to(&request, origin).await?;
        due += ping.interval_ns;
    }
    let deadline = net.now().saturating_add(patience);
    while net.now() < deadline && rtts.borrow().iter().any(Option::is_none) {
        let step = Duration::from_millis(10).min(deadline.since(net.now()));
        net.sleep(step).await;
    }
    Ok(rtts.take())
}

/// Writes down the answers as they come.
fn collect<N: Net>(
    net: &N,
    socket: Rc<N::Datagrams>,
    sent: &Rc<RefCell<Vec<Time>>>,
    rtts: &Rc<RefCell<Vec<Option<Duration>>>>,
) {
    let (clock, sent, rtts) = (net.clone(), Rc::clone(sent), Rc::clone(rtts));
    net.spawn(async move {
        let mut buffer = vec![0; BUFFER];
        while let Ok((length, _)) = socket.recv_from(&mut buffer).await {
            let now = clock.now();
            let Some(head) = buffer[..length].first_chunk::<SEQUENCE>() else { continue };
            let sequence = u32::from_be_bytes(*head) as usize;
            if let (Some(at), Some(slot)) = (sent.borrow().get(sequence), rtts.borrow_mut().get_mut(sequence))
            {
                slot.get_or_insert(now.since(*at));
            }
        }
    });
}
