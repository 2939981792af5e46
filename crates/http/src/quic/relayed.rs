//! The ends of a proxy that accepts a connection in the name of a host and opens it anew.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_net::Net;
use bentpipe_run::{RunSpec, Transport};
use noq::{Endpoint, TransportConfig};
use noq_proto::crypto::rustls::HandshakeData;

use super::controller::Factory;
use super::{Host, QuicError, Role, Sender, endpoint, protection, tokens, transport};
use crate::tls::{Identity, TlsSettings};

/// One side of a proxy, and what its connections are like.
#[derive(Clone, Copy, Debug)]
pub struct ProxyEnd<'a> {
    /// The run with the settings of QUIC that this side has.
    pub spec: &'a RunSpec,
    /// The run's certificates: whoever has their key is trusted by clients.
    pub identity: &'a Identity,
    /// Which side of which proxy.
    pub role: Role,
    /// Congestion control, random stream and mark.
    pub sender: Sender,
}

impl ProxyEnd<'_> {
    /// Opens an endpoint that accepts connections in the name of all of `names` for one application protocol.
    ///
    /// # Errors
    /// When the port is taken or QUIC cannot use the settings of TLS.
    pub fn accepting<N: Net>(
        self,
        net: &N,
        at: SocketAddr,
        names: &[String],
        protocol: &str,
    ) -> Result<Endpoint, QuicError> {
        let settings = TlsSettings::of(self.spec, Transport::Quic).map_err(tls)?;
        let config = settings.server_of_all(self.identity, names, &[protocol]).map_err(tls)?;
        let mut config = noq::ServerConfig::with_crypto(protection::server(net, config)?);
        config.transport_config(Arc::new(self.transport()));
        tokens::give_out(&mut config, self.spec);
        let (socket, runtime) = net.quic_socket(at, self.sender.dscp)?;
        let settings = endpoint(self.spec, self.role, self.sender);
        Ok(Endpoint::new_with_abstract_socket(settings, Some(config), socket, runtime)?)
    }

    /// Opens a connection to a host for the application protocol that the client has named, from the address and
    /// the port `from`, or from another port where that is taken.
    ///
    /// # Errors
    /// When there is no socket, or the handshake fails.
    pub async fn open<N: Net>(
        self,
        net: &N,
        from: SocketAddr,
        host: Host<'_>,
        protocol: &[u8],
    ) -> Result<(Endpoint, noq::Connection), QuicError> {
        let settings = TlsSettings::of(self.spec, Transport::Quic).map_err(tls)?;
        let config = settings.client_of_proxy(self.identity, protocol).map_err(tls)?;
        let mut config = noq::ClientConfig::new(protection::client(net, config)?);
        config.transport_config(Arc::new(self.transport()));
        let (socket, runtime) = match net.quic_socket(from, self.sender.dscp) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                net.quic_socket(SocketAddr::new(from.ip(), 0), self.sender.dscp)?
            }
            socket => socket?,
        };
        let settings = endpoint(self.spec, self.role, self.sender);
        let endpoint = Endpoint::new_with_abstract_socket(settings, None, socket, runtime)?;
        let connection = endpoint.connect_with(config, host.at, host.name)?.await?;
        Ok((endpoint, connection))
    }

    fn transport(self) -> TransportConfig {
        let factory = Factory::new(self.spec, self.role, self.sender, None, None);
        let mut config = transport(self.spec, self.role, self.sender, factory, None);
        // What came first goes on first: so streams keep the order that their sender has given them by priority,
        // which a proxy is not told.
        config.send_fairness(false);
        config
    }
}

/// The host and the application protocol that a client asks for, as soon as it has said so.
///
/// # Errors
/// When the connection is lost before, or names none.
pub async fn asked_for(connecting: &mut noq::Connecting) -> Result<(String, Vec<u8>), QuicError> {
    let data = connecting.handshake_data().await?.downcast::<HandshakeData>();
    let hello = data.ok().and_then(|data| Some((data.server_name?, data.protocol?)));
    hello.ok_or_else(|| QuicError::Tls("no server name, or no application protocol".to_owned()))
}

fn tls(error: impl ToString) -> QuicError {
    QuicError::Tls(error.to_string())
}
