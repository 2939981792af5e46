//! Handshakes beside which data flow already.

use noq::ZeroRttAccepted;
use noq_proto::crypto::rustls::HandshakeData;

use crate::tls::{EarlyData, Secured, handshake, key_exchange_name};

/// A handshake that goes on beside the first requests, and their answers.
pub struct Early {
    complete: ZeroRttAccepted,
    role: Role,
}

#[derive(Clone, Copy)]
enum Role {
    /// It has sent early data, or could have.
    Client,
    /// It answers before the handshake is complete, whether or not there were early data.
    Origin,
}

impl Early {
    /// A client's, which `complete` tells the end of.
    pub fn of_client(complete: ZeroRttAccepted) -> Self {
        Self { complete, role: Role::Client }
    }

    /// An origin's, which `complete` tells the end of.
    pub fn of_origin(complete: ZeroRttAccepted) -> Self {
        Self { complete, role: Role::Origin }
    }

    /// Returns when the handshake is complete, with what it has settled; with nothing when the connection was lost.
    pub async fn secured(self, connection: &noq::Connection) -> Option<Secured> {
        let is_accepted = self.complete.await;
        if connection.close_reason().is_some() {
            return None;
        }
        let early_data = match (self.role, is_accepted) {
            (Role::Client, true) => EarlyData::Accepted,
            (Role::Client, false) => EarlyData::Refused,
            (Role::Origin, _) if data(connection)?.early_data_accepted => EarlyData::Accepted,
            (Role::Origin, _) => EarlyData::NotTried,
        };
        secured(connection, early_data)
    }
}

/// What the handshake of a connection has settled, read back from the library.
pub fn secured(connection: &noq::Connection, early_data: EarlyData) -> Option<Secured> {
    let data = data(connection)?;
    let protocol = data.protocol.unwrap_or_default();
    Some(Secured {
        protocol: String::from_utf8_lossy(&protocol).into_owned(),
        handshake: handshake(data.handshake_kind, early_data),
        key_exchange: data.negotiated_key_exchange_group.map(key_exchange_name),
    })
}

fn data(connection: &noq::Connection) -> Option<Box<HandshakeData>> {
    connection.handshake_data()?.downcast().ok()
}
