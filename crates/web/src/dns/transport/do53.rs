//! DNS over UDP (RFC 1035 section 4.2.1).

use std::net::{IpAddr, SocketAddr};

use bentpipe_net::{Datagrams, Net, within};
use bentpipe_run::Dscp;
use bentpipe_units::Duration;

use super::super::error::LookupError;
use super::super::message::{Answer, Question, UDP_BYTES, Unusable, read_answer};

/// How long a stub waits for an answer before it asks again: `timeout` of resolv.conf(5), RES_TIMEOUT in glibc.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How often it asks: `attempts` of resolv.conf(5), RES_DFLRETRY in glibc.
const ATTEMPTS: u32 = 2;

/// Asks `question` from a port of its own (RFC 5452 section 9.2) until there is an answer. What others send there is
/// ignored.
pub(in super::super) async fn ask<N: Net>(
    net: &N,
    local: IpAddr,
    resolver: SocketAddr,
    dscp: Dscp,
    id: u16,
    question: &Question,
) -> Result<Answer, LookupError> {
    let socket = net.datagrams(SocketAddr::new(local, 0), dscp)?;
    for _ in 0..ATTEMPTS {
        socket.send_to(&question.message(id), resolver).await?;
        if let Some(answer) = within(net, TIMEOUT, answer(&socket, resolver, id, question)).await {
            return answer;
        }
    }
    Err(LookupError::Unanswered { attempts: ATTEMPTS })
}

async fn answer(
    socket: &impl Datagrams,
    resolver: SocketAddr,
    id: u16,
    question: &Question,
) -> Result<Answer, LookupError> {
    let mut buffer = [0; UDP_BYTES as usize];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        if from != resolver {
            continue;
        }
        match read_answer(&buffer[..length], id, question) {
            Ok(answer) => return Ok(answer),
            Err(Unusable::Failed(error)) => return Err(error),
            Err(Unusable::Foreign) => {}
        }
    }
}
