use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SerialNumber,
};
use ring::digest::{Context, SHA256};
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde::{Deserialize, Serialize};

pub use rcgen::Error as IdentityError;

/// What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410 section 7).
const ED25519_PKCS8: [u8; 16] =
    [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

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
    pub fn generate(host: &str) -> Result<Self, IdentityError> {
        let fresh = || KeyPair::generate_for(&rcgen::PKCS_ED25519);
        Self::of_keys(host, fresh()?, fresh()?)
    }

    /// Makes the keys and certificates for `host` that belong to `seed`: the same bytes on any machine, and
    /// no secret at all.
    ///
    /// # Errors
    /// When `host` is not a DNS name.
    pub fn from_seed(host: &str, seed: u64) -> Result<Self, IdentityError> {
        Self::of_keys(host, key_of(seed, "authority")?, key_of(seed, "origin")?)
    }

    fn of_keys(host: &str, authority_key: KeyPair, key: KeyPair) -> Result<Self, IdentityError> {
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.distinguished_name.push(DnType::CommonName, "Bentpipe run authority");
        authority.serial_number = Some(SerialNumber::from(1));
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority_certificate = authority.self_signed(&authority_key)?;

        let mut leaf = CertificateParams::new(vec![host.to_owned()])?;
        leaf.distinguished_name.push(DnType::CommonName, host);
        // The default number is a hash of the key, whose DER length varies from key to key.
        leaf.serial_number = Some(SerialNumber::from(2));
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = leaf.signed_by(&key, &Issuer::new(authority, authority_key))?;
        Ok(Self {
            authority_der: authority_certificate.der().to_vec(),
            certificate_der: certificate.der().to_vec(),
            key_der: key.serialize_der(),
        })
    }
}

/// The Ed25519 key of one party: its seed (RFC 8032 section 5.1.5) is a hash of the run's seed and the party's name.
fn key_of(seed: u64, party: &str) -> Result<KeyPair, IdentityError> {
    let mut hash = Context::new(&SHA256);
    hash.update(b"bentpipe identity ");
    hash.update(party.as_bytes());
    hash.update(&seed.to_le_bytes());
    let pkcs8 = [&ED25519_PKCS8[..], hash.finish().as_ref()].concat();
    KeyPair::from_pkcs8_der_and_sign_algo(&PrivatePkcs8KeyDer::from(pkcs8), &rcgen::PKCS_ED25519)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HOST;

    fn bytes(identity: &Identity) -> [&[u8]; 3] {
        [&identity.authority_der, &identity.certificate_der, &identity.key_der]
    }

    #[test]
    fn a_seed_gives_one_identity_and_another_seed_another() {
        let of = |seed| Identity::from_seed(HOST, seed).unwrap();
        assert_eq!(bytes(&of(1)), bytes(&of(1)));
        let (one, two) = (of(1), of(2));
        assert!(bytes(&one).iter().zip(bytes(&two)).all(|(one, two)| *one != two));
    }

    #[test]
    fn every_identity_has_the_same_lengths_whatever_its_keys() {
        let lengths = |identity: Identity| bytes(&identity).map(<[u8]>::len);
        let expected = lengths(Identity::from_seed(HOST, 0).unwrap());
        for seed in 1..500 {
            assert_eq!(lengths(Identity::from_seed(HOST, seed).unwrap()), expected, "seed {seed}");
            let fresh = lengths(Identity::generate(HOST).unwrap());
            // A fresh key's PKCS #8 holds the public key besides (RFC 8410 section 7); it never leaves the host.
            assert_eq!(fresh[..2], expected[..2]);
        }
    }
}
