//! What TLS may do in a run.

use std::sync::Arc;

use bentpipe_run::{Http, KeyExchange, Resumption, RunSpec, TlsVersion, Transport, Workload};
use rustls::client::TicketRequest;
use rustls::crypto::ring::Ticketer;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{NoServerSessionStorage, ResolvesServerCertUsingSni, ServerSessionMemoryCache};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion, client, version};

use super::{FrozenClock, Identity, Secrets, Store, provider};

/// Tickets that the library sends after a full handshake when nobody asks for a number.
const USUAL_TICKETS: u32 = 2;
/// Tickets with early data that an origin remembers. Of a page load with a connection for each object, some are open,
/// and the client keeps eight.
const SESSIONS: usize = 4096;
/// Early data that an origin takes over TCP: one TLS record of plaintext (RFC 8446 section 5.1).
const EARLY_DATA_BYTES: u32 = 16 << 10;

/// Settings of TLS over one transport of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    transport: Transport,
    version: TlsVersion,
    pub(super) key_exchange: KeyExchange,
    /// Where the run says nothing of TLS, the origin sends its usual tickets all the same, and the client keeps none.
    resumption: Option<Resumption>,
    /// Connections that the client may open at once.
    connections: u32,
}

impl TlsSettings {
    /// A full handshake of TLS 1.3 over TCP, after which nothing is resumed.
    pub(super) const FULL: Self = Self {
        transport: Transport::Tcp,
        version: TlsVersion::V1_3,
        key_exchange: KeyExchange::X25519,
        resumption: Some(Resumption::None),
        connections: 1,
    };

    /// Those of a run.
    ///
    /// # Errors
    /// When the run wants early data of TLS 1.2, which has none, or a key exchange that is of TLS 1.3 alone.
    pub fn of(spec: &RunSpec, transport: Transport) -> Result<Self, rustls::Error> {
        let resumption = spec.tls.map(|tls| tls.resumption);
        let version = match (transport, spec.tls) {
            (_, Some(tls))
                if tls.version == TlsVersion::V1_2 && resumption == Some(Resumption::EarlyData) =>
            {
                return Err(rustls::Error::General(
                    "early data needs TLS 1.3 (RFC 8446 section 2.3)".to_owned(),
                ));
            }
            (Transport::Tcp, Some(tls)) => tls.version,
            // RFC 9001 section 4.2: QUIC has no other.
            (Transport::Quic, _) | (_, None) => TlsVersion::V1_3,
        };
        let key_exchange = spec.key_exchange.unwrap_or(KeyExchange::X25519);
        if key_exchange == KeyExchange::X25519Mlkem768 && version == TlsVersion::V1_2 {
            return Err(rustls::Error::General(
                "X25519MLKEM768 needs TLS 1.3 (draft-ietf-tls-ecdhe-mlkem section 3)".to_owned(),
            ));
        }
        let connections = match &spec.workload {
            Workload::PageLoad(load) if matches!(load.http, Http::Http10s | Http::H1s) => load.connections,
            _ => 1,
        };
        Ok(Self { transport, version, key_exchange, resumption, connections })
    }

    /// Whether requests may travel with a client's first flight.
    pub fn has_early_data(self) -> bool {
        self.resumption == Some(Resumption::EarlyData)
    }

    /// The side of host number `host`, offering `alpn` in this order.
    ///
    /// # Errors
    /// When the host has no certificate, it and the key do not belong together, or the system gives no random
    /// numbers.
    pub fn server(
        self,
        identity: &Identity,
        host: usize,
        alpn: &[&str],
    ) -> Result<ServerConfig, rustls::Error> {
        let certificate = identity.certificates_der.get(host);
        let certificate =
            certificate.ok_or_else(|| rustls::Error::General(format!("no certificate for host {host}")))?;
        let chain = vec![CertificateDer::from(certificate.clone())];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity.key_der.clone()));
        let mut config =
            ServerConfig::builder_with_details(Arc::new(provider(self.key_exchange)), Arc::new(FrozenClock))
                .with_protocol_versions(&[self.version()])?
                .with_no_client_auth()
                .with_single_cert(chain, key)?;
        config.alpn_protocols = wire(alpn);
        match self.resumption {
            None => {}
            Some(Resumption::None) => {
                config.session_storage = Arc::new(NoServerSessionStorage {});
                config.send_tls13_tickets = 0;
            }
            Some(Resumption::Ticket) => {
                config.session_storage = Arc::new(NoServerSessionStorage {});
                config.ticketer = Ticketer::new()?;
                config.max_tls13_tickets = usize::from(u8::MAX);
            }
            Some(Resumption::EarlyData) => {
                // RFC 8446 section 8.1: a ticket for early data is good for once, so that the origin must remember it.
                config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
                config.max_tls13_tickets = usize::from(u8::MAX);
                match self.transport {
                    Transport::Tcp => {
                        config.max_early_data_size = EARLY_DATA_BYTES;
                        config.send_half_rtt_data = true;
                    }
                    // RFC 9001 section 4.6.1: flow control limits it instead.
                    Transport::Quic => config.max_early_data_size = u32::MAX,
                }
            }
        }
        Ok(config)
    }

    /// That of a host which answers in the name of all of `names`, as a client asks for them (RFC 6066 section 3).
    ///
    /// # Errors
    /// As [`server`](Self::server), or when one of them is no DNS name.
    pub(crate) fn server_of_all(
        self,
        identity: &Identity,
        names: &[String],
        alpn: &[&str],
    ) -> Result<ServerConfig, rustls::Error> {
        let mut config = self.server(identity, 0, alpn)?;
        let provider = provider(self.key_exchange);
        let mut by_name = ResolvesServerCertUsingSni::new();
        for (name, certificate) in names.iter().zip(&identity.certificates_der) {
            let chain = vec![CertificateDer::from(certificate.clone())];
            let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity.key_der.clone()));
            // Names have no case (RFC 9110 section 4.2.3), and the library asks by small letters.
            by_name.add(&name.to_ascii_lowercase(), CertifiedKey::from_der(chain, key, &provider)?)?;
        }
        config.cert_resolver = Arc::new(by_name);
        Ok(config)
    }

    /// The client's side of a proxy, which offers what its own client has offered and resumes nothing.
    ///
    /// # Errors
    /// As [`client`](Self::client).
    pub(crate) fn client_of_proxy(
        self,
        identity: &Identity,
        protocol: &[u8],
    ) -> Result<ClientConfig, rustls::Error> {
        let settings = Self { resumption: Some(Resumption::None), ..self };
        let mut config = settings.client(&identity.authority_der, None, Arc::default())?;
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(config)
    }

    /// The client's side: trusts one authority alone, and offers no protocol yet.
    ///
    /// # Errors
    /// When the authority's certificate is malformed.
    pub(super) fn client(
        self,
        authority_der: &[u8],
        secrets: Option<Arc<Secrets>>,
        store: Arc<Store>,
    ) -> Result<ClientConfig, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(authority_der.to_vec()))?;
        let mut config =
            ClientConfig::builder_with_details(Arc::new(provider(self.key_exchange)), Arc::new(FrozenClock))
                .with_protocol_versions(&[self.version()])?
                .with_root_certificates(roots)
                .with_no_client_auth();
        if let Some(secrets) = secrets {
            config.key_log = secrets;
        }
        match self.resumption {
            None | Some(Resumption::None) => config.resumption = client::Resumption::disabled(),
            Some(Resumption::Ticket | Resumption::EarlyData) => {
                config.resumption = client::Resumption::store(store);
                config.enable_early_data = self.has_early_data();
                config.send_ticket_request = self.ticket_request();
            }
        }
        Ok(config)
    }

    /// A ticket for each connection (RFC 9149 section 2), where that is more than come unasked.
    fn ticket_request(self) -> Option<TicketRequest> {
        (self.connections > USUAL_TICKETS).then(|| TicketRequest {
            new_session_count: u8::try_from(self.connections).unwrap_or(u8::MAX),
            resumption_count: 1,
        })
    }

    fn version(self) -> &'static SupportedProtocolVersion {
        match self.version {
            TlsVersion::V1_2 => &version::TLS12,
            TlsVersion::V1_3 => &version::TLS13,
        }
    }
}

/// Protocol names as the library takes them.
pub(super) fn wire(alpn: &[&str]) -> Vec<Vec<u8>> {
    alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect()
}
