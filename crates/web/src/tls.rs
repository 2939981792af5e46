//! TLS 1.3 by rustls, with a certificate authority of the run's own.

use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SerialNumber,
};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, KeyLog, RootCertStore, ServerConfig};
use serde::{Deserialize, Serialize};

/// A certificate authority that lives as long as the run, and the origin's certificate from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The authority's certificate, which clients trust.
    pub authority_der: Vec<u8>,
    /// The origin's certificate.
    pub certificate_der: Vec<u8>,
    /// The origin's private key (PKCS #8).
    pub key_der: Vec<u8>,
}

impl Identity {
    /// Makes fresh keys and certificates for `host`. Ed25519, because its signatures have one length.
    ///
    /// # Errors
    /// When the system gives no random numbers or `host` is not a DNS name.
    pub fn generate(host: &str) -> Result<Self, rcgen::Error> {
        let authority_key = KeyPair::generate_for(&rcgen::PKCS_ED25519)?;
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.distinguished_name.push(DnType::CommonName, "Bentpipe run authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority_certificate = authority.self_signed(&authority_key)?;

        let key = KeyPair::generate_for(&rcgen::PKCS_ED25519)?;
        let mut leaf = CertificateParams::new(vec![host.to_owned()])?;
        leaf.distinguished_name.push(DnType::CommonName, host);
        // The default number is a hash of the key, whose DER length varies from run to run.
        leaf.serial_number = Some(SerialNumber::from(1));
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = leaf.signed_by(&key, &Issuer::new(authority, authority_key))?;
        Ok(Self {
            authority_der: authority_certificate.der().to_vec(),
            certificate_der: certificate.der().to_vec(),
            key_der: key.serialize_der(),
        })
    }

    /// The server's side, offering `alpn` in this order.
    ///
    /// # Errors
    /// When key and certificate do not belong together.
    pub fn server_config(&self, alpn: &[&str]) -> Result<ServerConfig, rustls::Error> {
        let chain = vec![CertificateDer::from(self.certificate_der.clone())];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key_der.clone()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = wire(alpn);
        Ok(config)
    }
}

/// The client's side: trusts the run's authority alone and offers `alpn`.
///
/// # Errors
/// When the authority's certificate is malformed.
pub fn client_config(
    authority_der: &[u8],
    alpn: &[&str],
    secrets: Option<Arc<Secrets>>,
) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(authority_der.to_vec()))?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = wire(alpn);
    if let Some(secrets) = secrets {
        config.key_log = secrets;
    }
    Ok(config)
}

/// Collects TLS secrets as lines of the NSS key-log format.
#[derive(Debug, Default)]
pub struct Secrets(Mutex<Vec<String>>);

impl Secrets {
    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no panic while logging").clone()
    }
}

impl KeyLog for Secrets {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let line = format!("{label} {} {}", hex(client_random), hex(secret));
        self.0.lock().expect("no panic while logging").push(line);
    }
}

fn wire(alpn: &[&str]) -> Vec<Vec<u8>> {
    alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect()
}
