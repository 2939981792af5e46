//! What TLS takes of a processor, measured.

use std::sync::Arc;

use bentpipe_units::Duration;
use rustls::{ClientConnection, ConnectionCommon, ServerConnection, SideData};

use super::{Identity, Memory, TlsSettings, server_name};

/// Plaintext of a full record (RFC 8446 section 5.1).
const RECORD_BYTES: usize = 1 << 14;
/// As long as none of a connection's buffers has to grow.
const RECORDS: u32 = 64;

/// What could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CostError {
    /// TLS itself.
    #[error(transparent)]
    Tls(#[from] rustls::Error),
    /// What an end has in its buffers.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// What a handshake and a record of TLS 1.3 take of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// A full handshake, at the client.
    pub client_handshake: Duration,
    /// And at the server.
    pub server_handshake: Duration,
    /// A full record, sealed or opened: the mean of both.
    pub record: Duration,
}

/// Makes a connection in memory with the host `name` and says what each end took of the time that `now` tells: that of a
/// core, which the caller reads.
///
/// # Errors
/// When TLS fails, which it does not where the system has random numbers.
pub fn measure(identity: &Identity, name: &str, now: impl Fn() -> Duration) -> Result<Cost, CostError> {
    let server = Arc::new(TlsSettings::FULL.server(identity, 0, &[])?);
    let client =
        Arc::new(TlsSettings::FULL.client(&identity.authority_der, None, Memory::default().store())?);
    let timed = |work: &mut dyn FnMut() -> Result<(), CostError>| {
        let begin = now();
        work()?;
        Ok::<_, CostError>(now().saturating_sub(begin))
    };
    let mut cost = Cost::default();
    let (mut hello, mut answer, mut finished) = (Vec::new(), Vec::new(), Vec::new());

    let begin = now();
    let mut client = ClientConnection::new(client, server_name(name)?)?;
    send(&mut client, &mut hello)?;
    cost.client_handshake += now().saturating_sub(begin);
    let begin = now();
    let mut server = ServerConnection::new(server)?;
    receive(&mut server, &hello)?;
    send(&mut server, &mut answer)?;
    cost.server_handshake += now().saturating_sub(begin);
    cost.client_handshake += timed(&mut || {
        receive(&mut client, &answer)?;
        send(&mut client, &mut finished)
    })?;
    cost.server_handshake += timed(&mut || receive(&mut server, &finished))?;

    let mut content = vec![0; RECORD_BYTES];
    let mut record = Vec::new();
    for _ in 0..RECORDS {
        record.clear();
        cost.record += timed(&mut || {
            std::io::Write::write_all(&mut server.writer(), &content)?;
            send(&mut server, &mut record)?;
            receive(&mut client, &record)?;
            Ok(std::io::Read::read_exact(&mut client.reader(), &mut content)?)
        })?;
    }
    // Each was sealed once and opened once.
    cost.record = cost.record / u64::from(2 * RECORDS);
    Ok(cost)
}

fn send<D: SideData>(end: &mut ConnectionCommon<D>, wire: &mut Vec<u8>) -> Result<(), CostError> {
    while end.wants_write() {
        end.write_tls(wire)?;
    }
    Ok(())
}

fn receive<D: SideData>(end: &mut ConnectionCommon<D>, mut wire: &[u8]) -> Result<(), CostError> {
    while !wire.is_empty() {
        end.read_tls(&mut wire)?;
        end.process_new_packets()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::tls::KeyKind;

    #[test]
    fn a_clock_that_moves_when_it_is_read_gives_each_end_the_parts_it_has() {
        let readings = Cell::new(0);
        let now = || Duration::from_nanos(readings.replace(readings.get() + 1));
        let identity = Identity::generate(&["host.example"], KeyKind::Ed25519).unwrap();
        let cost = measure(&identity, "host.example", now).unwrap();
        // RFC 8446 section 2: two flights of the client and one of the server, which takes in two.
        let one = Duration::from_nanos(1);
        assert_eq!((cost.client_handshake, cost.server_handshake), (one * 2, one * 2));
        // Of each record one reading, half of it for either end: whole nanoseconds alone are counted.
        assert_eq!(cost.record, Duration::ZERO);
    }
}
