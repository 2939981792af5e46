//! Keys and certificates of a run.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SerialNumber, date_time_ymd,
};
use ring::digest::{Context, SHA256};
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde::{Deserialize, Serialize};

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A certificate is for somebody.
    #[error("expected at least one host, found none")]
    NoHost,
    /// Keys or certificates.
    #[error(transparent)]
    Certificate(#[from] rcgen::Error),
}

/// Certificates are valid from the first day of one of these years to that of the other, always the same
/// ones: runs of one seed have equal bytes and lengths (from 2050 on dates are written longer, RFC 5280
/// section 4.1.2.5). The limits that browsers set for the time between concern public authorities alone.
const VALIDITY_YEARS: [i32; 2] = [2000, 2050];

/// What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410 section 7).
const ED25519_PKCS8: [u8; 16] =
    [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// A certificate authority that lives as long as the run, and the hosts' certificates from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The authority's certificate, which clients trust.
    pub authority_der: Vec<u8>,
    /// The certificate of each host, by its number. One for all of them would make the handshakes of each
    /// longer with every further host.
    pub certificates_der: Vec<Vec<u8>>,
    /// The private key of all hosts (PKCS #8).
    pub key_der: Vec<u8>,
}

/// The algorithm of an identity's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Ed25519 (RFC 8032), whose signatures all have one length. Browsers do not take it.
    Ed25519,
    /// ECDSA on P-256 (FIPS 186-5), which everybody takes.
    P256,
}

impl Identity {
    /// Makes fresh keys, and a certificate for each of `hosts`.
    ///
    /// # Errors
    /// When the system gives no random numbers, or `hosts` is empty or holds what is no DNS name.
    pub fn generate<H: AsRef<str>>(hosts: &[H], key: KeyKind) -> Result<Self, IdentityError> {
        let algorithm = match key {
            KeyKind::Ed25519 => &rcgen::PKCS_ED25519,
            KeyKind::P256 => &rcgen::PKCS_ECDSA_P256_SHA256,
        };
        let fresh = || KeyPair::generate_for(algorithm);
        Self::of_keys(hosts, fresh()?, fresh()?)
    }

    /// Makes the Ed25519 keys and the certificates for `hosts` that belong to `seed`: the same bytes on any
    /// machine, and no secret at all.
    ///
    /// # Errors
    /// When `hosts` is empty or holds what is no DNS name.
    pub fn from_seed<H: AsRef<str>>(hosts: &[H], seed: u64) -> Result<Self, IdentityError> {
        Self::of_keys(hosts, key_of(seed, "authority")?, key_of(seed, "origin")?)
    }

    fn of_keys<H: AsRef<str>>(
        hosts: &[H],
        authority_key: KeyPair,
        key: KeyPair,
    ) -> Result<Self, IdentityError> {
        if hosts.is_empty() {
            return Err(IdentityError::NoHost);
        }
        let mut authority = valid(Vec::new())?;
        authority.distinguished_name.push(DnType::CommonName, "Bentpipe run authority");
        authority.serial_number = Some(SerialNumber::from(1));
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority_certificate = authority.self_signed(&authority_key)?;

        let issuer = Issuer::new(authority, authority_key);
        // The default number is a hash of the key, whose DER length varies from key to key.
        let numbered = hosts.iter().map(AsRef::as_ref).zip(2..);
        let certificates = numbered.map(|(host, serial)| certificate(host, serial, &key, &issuer));
        Ok(Self {
            authority_der: authority_certificate.der().to_vec(),
            certificates_der: certificates.collect::<Result<_, _>>()?,
            key_der: key.serialize_der(),
        })
    }
}

/// The certificate of one host (DER).
fn certificate(
    host: &str,
    serial: u64,
    key: &KeyPair,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<Vec<u8>, IdentityError> {
    let mut certificate = valid(vec![host.to_owned()])?;
    certificate.distinguished_name.push(DnType::CommonName, host);
    certificate.serial_number = Some(SerialNumber::from(serial));
    certificate.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok(certificate.signed_by(key, issuer)?.der().to_vec())
}

/// Parameters of a certificate with its names and its validity.
fn valid(names: Vec<String>) -> Result<CertificateParams, IdentityError> {
    let mut parameters = CertificateParams::new(names)?;
    [parameters.not_before, parameters.not_after] = VALIDITY_YEARS.map(|year| date_time_ymd(year, 1, 1));
    Ok(parameters)
}

/// The Ed25519 key of one party: its seed (RFC 8032 section 5.1.5) is a hash of the run's seed and the party's name.
fn key_of(seed: u64, party: &str) -> Result<KeyPair, IdentityError> {
    let mut hash = Context::new(&SHA256);
    hash.update(b"bentpipe identity ");
    hash.update(party.as_bytes());
    hash.update(&seed.to_le_bytes());
    let pkcs8 = [&ED25519_PKCS8[..], hash.finish().as_ref()].concat();
    Ok(KeyPair::from_pkcs8_der_and_sign_algo(&PrivatePkcs8KeyDer::from(pkcs8), &rcgen::PKCS_ED25519)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "origin.bentpipe.test";

    fn bytes(identity: &Identity) -> [&[u8]; 3] {
        [&identity.authority_der, &identity.certificates_der[0], &identity.key_der]
    }

    #[test]
    fn a_seed_gives_one_identity_and_another_seed_another() {
        let of = |seed| Identity::from_seed(&[HOST], seed).unwrap();
        assert_eq!(bytes(&of(1)), bytes(&of(1)));
        let (one, two) = (of(1), of(2));
        assert!(bytes(&one).iter().zip(bytes(&two)).all(|(one, two)| *one != two));
    }

    #[test]
    fn every_identity_has_the_same_lengths_whatever_its_keys() {
        let lengths = |identity: Identity| bytes(&identity).map(<[u8]>::len);
        let expected = lengths(Identity::from_seed(&[HOST], 0).unwrap());
        // All times of simulated runs over TLS depend on it.
        assert_eq!(expected[1], 300);
        for seed in 1..500 {
            assert_eq!(lengths(Identity::from_seed(&[HOST], seed).unwrap()), expected, "seed {seed}");
            let fresh = lengths(Identity::generate(&[HOST], KeyKind::Ed25519).unwrap());
            // A fresh key's PKCS #8 holds the public key besides (RFC 8410 section 7); it never leaves the host.
            assert_eq!(fresh[..2], expected[..2]);
        }
    }

    #[test]
    fn a_host_s_certificate_is_the_same_length_however_many_others_there_are() {
        let hosts: Vec<String> = (100..200).map(|number| format!("host-{number}.example")).collect();
        let of = |hosts: &[String]| Identity::from_seed(hosts, 1).unwrap().certificates_der;
        let alone = of(&hosts[..1]).remove(0);
        let together = of(&hosts);
        assert_eq!(together[0], alone);
        assert_eq!(together.len(), hosts.len());
        // Browsers refuse a second certificate with one authority's number (RFC 5280 section 4.1.2.2).
        for (host, certificate) in hosts.iter().zip(&together) {
            assert_eq!(certificate.len(), alone.len(), "{host}");
            let others = hosts.iter().filter(|other| holds(certificate, other)).count();
            assert!(holds(certificate, host) && others == 1, "{host}");
        }
    }

    #[test]
    fn all_certificates_are_valid_from_2000_to_2050() {
        let identity = Identity::generate(&[HOST, "cdn.example"], KeyKind::P256).unwrap();
        for certificate in identity.certificates_der.iter().chain([&identity.authority_der]) {
            // RFC 5280 section 4.1.2.5: UTCTime, and from 2050 on GeneralizedTime.
            assert!(holds(certificate, "000101000000Z") && holds(certificate, "20500101000000Z"));
        }
    }

    fn holds(certificate: &[u8], text: &str) -> bool {
        certificate.windows(text.len()).any(|window| window == text.as_bytes())
    }
}
