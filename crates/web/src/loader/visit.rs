//! A visit before the load.

use std::io;
use std::pin::pin;

use bentpipe_http::quic::{self, QuicError, Sender};
use bentpipe_net::{Net, within};
use bentpipe_run::{PageLoadSpec, Reason, Resumption, RunSpec, Transport, Visit, Workload};
use bentpipe_units::{Duration, Time};
use futures_util::future::{Either, select};
use noq::VarInt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::connect;
use super::fetch::FetchError;
use super::session::Session;
use crate::Client;
use crate::hosts::Remote;

/// H3_NO_ERROR (RFC 9114 section 8.1).
const NO_ERROR: VarInt = VarInt::from_u32(0x100);
/// Space for what an origin says unasked, such as HTTP/2 settings.
const UNASKED_BYTES: usize = 4096;
/// What closing may take beyond propagation: queues, delayed acknowledgements (40 ms).
const CLOSING_MARGIN: Duration = Duration::from_millis(100);
/// From the end of a visit to the load: what an orchestrator does between them is no part of either.
const REST: Duration = Duration::from_millis(100);
/// Tells the random streams of a visit that is a load from those of the load.
const VISIT_SEED: u64 = 1 << 63;

/// Visits the origin once, where the load is that of a client that was there before: opens a connection to each host by
/// the run's protocol, one after the other, fetches nothing, waits for tickets and tokens, closes it, and returns when
/// both ends have seen the last of it: with when the load is to begin, so that it meets the frames of a path in the same
/// place on every engine. What was learnt is in the client's memory.
///
/// Senders that are to learn the path (RFC 9959) need data for that: then the visit is a load of the page.
///
/// # Errors
/// When the connection cannot be made, or time runs out.
pub async fn visit<N: Net>(net: &N, client: &Client) -> Result<Time, Reason> {
    let Workload::PageLoad(load) = &client.spec.workload else { return Ok(net.now()) };
    if load.visit != Some(Visit::Repeat) {
        return Ok(net.now());
    }
    if client.spec.learns_path_by_visit() {
        load_before(net, client, load).await?;
        return Ok(net.now() + REST);
    }
    let timeout = client.spec.validity.timeout_ns;
    let visited = within(net, timeout, async {
        let mut visitor = client.clone();
        // It waits for tickets, which is no idling.
        visitor.spec.tcp.idle_reset_ns = None;
        let session = Session::of(net, visitor, load.clone())?;
        for remote in session.site.hosts().remotes(client.origin) {
            match load.http.transport() {
                Transport::Tcp => over_tcp(&session, &remote).await?,
                Transport::Quic => over_quic(net, client, &remote).await?,
            }
        }
        Ok::<_, FetchError>(())
    });
    match visited.await {
        None => Err(Reason::VisitTimedOut { timeout_ns: timeout }),
        Some(Err(error)) => Err(Reason::VisitFailed { error: error.to_string() }),
        Some(Ok(())) => Ok(net.now() + REST),
    }
}

/// Loads the page as at a first visit, from random streams of its own.
async fn load_before<N: Net>(net: &N, client: &Client, load: &PageLoadSpec) -> Result<(), Reason> {
    let mut visitor = client.clone();
    visitor.spec.seed ^= VISIT_SEED;
    let report = super::load(net, visitor, PageLoadSpec { visit: None, ..load.clone() }).await;
    net.sleep(closing_time(&client.spec)).await;
    report.faults.into_iter().chain(report.doubts).next().map_or(Ok(()), Err)
}

/// What both ends need to close a connection: the client's FIN there, the origin's back, the last acknowledgement there
/// (RFC 9293 section 3.6).
pub fn closing_time(spec: &RunSpec) -> Duration {
    let round_trip = spec.link.forward.delay_ns + spec.link.return_.delay_ns;
    round_trip * 3 / 2 + CLOSING_MARGIN
}

async fn over_tcp<N: Net>(session: &Session<N>, remote: &Remote) -> Result<(), FetchError> {
    let mut stream = connect::tcp(session, remote).await?.stream;
    stream.shutdown().await?;
    // The origin's tickets come before its end.
    let mut unasked = [0; UNASKED_BYTES];
    loop {
        match stream.read(&mut unasked).await {
            // Not every server says goodbye by TLS (RFC 8446 section 6.1) to a client that has asked for nothing.
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
    }
    drop(stream);
    session.net.sleep(closing_time(&session.client.spec)).await;
    Ok(())
}

async fn over_quic<N: Net>(net: &N, client: &Client, remote: &Remote) -> Result<(), FetchError> {
    let sender = Sender::with_host(&client.spec, remote.host).of_visit();
    let opened = quic::connect(net, &client.quic(), remote.service(client.ports.https), "h3", sender).await?;
    let resumption = client.spec.tls.map_or(Resumption::None, |tls| tls.resumption);
    if let Either::Right((reason, _)) =
        select(pin!(client.memory.filled(&remote.name, resumption)), pin!(opened.connection.closed())).await
    {
        return Err(QuicError::from(reason).into());
    }
    opened.connection.close(NO_ERROR, &[]);
    net.sleep(closing_time(&client.spec)).await;
    Ok(())
}
