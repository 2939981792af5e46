//! X25519MLKEM768, the key exchange of today's browsers (draft-ietf-tls-ecdhe-mlkem).
//!
//! A key is agreed on by ML-KEM-768 (FIPS 203) and by X25519 (RFC 7748), so that it holds as long as one of them does. The
//! shares of both stand one behind the other, as do their secrets.

use bentpipe_run::KeyExchange;
use ml_kem::kem::{Decapsulate, KeyExport};
use ml_kem::{B32, ml_kem_768};
use ring::rand::{SecureRandom, SystemRandom};
use rustls::crypto::ring::{default_provider, kx_group};
use rustls::crypto::{
    ActiveKeyExchange, CompletedKeyExchange, CryptoProvider, GetRandomFailed, SharedSecret, SupportedKxGroup,
};
use rustls::{Error, NamedGroup, PeerMisbehaved, ProtocolVersion};

/// Bytes of an encapsulation key, which the client sends (FIPS 203, table 3).
const ENCAPSULATION_KEY_BYTES: usize = 1184;
/// Bytes of a ciphertext, which the server sends (FIPS 203, table 3).
const CIPHERTEXT_BYTES: usize = 1088;

/// The library's cryptography, by which the client offers the wanted key exchange first and the server prefers it.
///
/// Behind the hybrid share the client sends that of X25519 alone, as browsers do: a server without ML-KEM takes that one, and
/// asks for no other by a HelloRetryRequest.
pub(super) fn provider(wanted: KeyExchange) -> CryptoProvider {
    let mut provider = default_provider();
    match wanted {
        // The first of the library's own.
        KeyExchange::X25519 => {}
        KeyExchange::X25519Mlkem768 => provider.kx_groups.insert(0, &X25519Mlkem768),
    }
    provider
}

/// The name that records have for a key exchange.
pub(crate) fn name(group: NamedGroup) -> String {
    match group {
        NamedGroup::X25519 => KeyExchange::X25519.name().to_owned(),
        NamedGroup::X25519MLKEM768 => KeyExchange::X25519Mlkem768.name().to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// The two halves as one group of TLS.
#[derive(Debug)]
struct X25519Mlkem768;

impl SupportedKxGroup for X25519Mlkem768 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let x25519 = kx_group::X25519.start()?;
        let key = ml_kem_768::DecapsulationKey::from_seed(random::<64>()?.into());
        let share = [&key.encapsulation_key().to_bytes()[..], x25519.pub_key()].concat();
        Ok(Box::new(Started { x25519, key, share }))
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let (key, x25519) = split(client_share, ENCAPSULATION_KEY_BYTES)?;
        let x25519 = kx_group::X25519.start_and_complete(x25519)?;
        let key = key.try_into().map_err(|_| PeerMisbehaved::InvalidKeyShare)?;
        let key = ml_kem_768::EncapsulationKey::new(key).map_err(|_| PeerMisbehaved::InvalidKeyShare)?;
        let (ciphertext, secret) = key.encapsulate_deterministic(&B32::from(random::<32>()?));
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: [&ciphertext[..], &x25519.pub_key].concat(),
            secret: SharedSecret::from([&secret[..], x25519.secret.secret_bytes()].concat()),
        })
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

/// The client's end, whose share is on its way.
struct Started {
    x25519: Box<dyn ActiveKeyExchange>,
    key: ml_kem_768::DecapsulationKey,
    share: Vec<u8>,
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let (ciphertext, x25519) = split(server_share, CIPHERTEXT_BYTES)?;
        let secret = self.key.decapsulate_slice(ciphertext).map_err(|_| PeerMisbehaved::InvalidKeyShare)?;
        let x25519 = self.x25519.complete(x25519)?;
        Ok(SharedSecret::from([&secret[..], x25519.secret_bytes()].concat()))
    }

    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        Some((self.x25519.group(), self.x25519.pub_key()))
    }

    fn complete_hybrid_component(self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        self.x25519.complete(server_share)
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }
}

/// The share of ML-KEM and what is behind it, that of X25519, whose length X25519 looks at.
fn split(share: &[u8], length: usize) -> Result<(&[u8], &[u8]), Error> {
    share.split_at_checked(length).ok_or_else(|| PeerMisbehaved::InvalidKeyShare.into())
}

/// Of the system, as all keys that the library makes for connections: no length depends on them.
fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| GetRandomFailed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::{ClientConnection, ServerConnection};

    use super::*;
    use crate::tls::{Identity, KeyKind, Memory, TlsSettings, server_name};

    const HOST: &str = "origin.bentpipe.test";

    #[test]
    fn both_ends_get_the_same_secret_from_shares_of_the_lengths_that_the_draft_has() {
        // draft-ietf-tls-ecdhe-mlkem section 4.1 and 4.2: 1184 + 32, 1088 + 32; section 4.3: 32 + 32.
        let client = X25519Mlkem768.start().unwrap();
        assert_eq!(client.pub_key().len(), 1216);
        let server = X25519Mlkem768.start_and_complete(client.pub_key()).unwrap();
        assert_eq!(server.pub_key.len(), 1120);
        let secret = client.complete(&server.pub_key).unwrap();
        assert_eq!(secret.secret_bytes(), server.secret.secret_bytes());
        assert_eq!(secret.secret_bytes().len(), 64);
    }

    #[test]
    fn a_share_of_another_length_is_refused_at_either_end() {
        let share = X25519Mlkem768.start().unwrap().pub_key().to_vec();
        let longer = [&share[..], &[0]].concat();
        for wrong in [&share[..1215], &share[..32], &longer[..], &[]] {
            assert!(X25519Mlkem768.start_and_complete(wrong).is_err(), "{}", wrong.len());
        }
        let answer = X25519Mlkem768.start_and_complete(&share).unwrap().pub_key;
        assert!(X25519Mlkem768.start().unwrap().complete(&answer[..1119]).is_err());
    }

    #[test]
    fn an_encapsulation_key_with_a_coefficient_above_the_modulus_is_refused() {
        // FIPS 203 section 7.2, modulus check: twelve bits of ones are 4095, and q is 3329.
        let mut share = X25519Mlkem768.start().unwrap().pub_key().to_vec();
        share[..3].fill(0xFF);
        assert!(X25519Mlkem768.start_and_complete(&share).is_err());
    }

    #[test]
    fn the_client_hello_has_both_shares_and_is_1222_bytes_longer() {
        let length = |wanted| hello(wanted).len();
        // A share's group and length (RFC 8446 section 4.2.8) and 1216 bytes, and its group among those supported; the
        // one of X25519 is there either way.
        let more = 4 + 1216 + 2;
        assert_eq!(length(KeyExchange::X25519Mlkem768) - length(KeyExchange::X25519), more);
    }

    #[test]
    fn a_server_without_it_takes_the_share_of_x25519_and_asks_for_no_other() {
        let config = settings(KeyExchange::X25519).server(&identity(), 0, &[]).unwrap();
        let mut server = ServerConnection::new(Arc::new(config)).unwrap();
        server.read_tls(&mut &*hello(KeyExchange::X25519Mlkem768)).unwrap();
        server.process_new_packets().unwrap();
        assert_eq!(server.negotiated_key_exchange_group().unwrap().name(), NamedGroup::X25519);
        assert_eq!(server.handshake_kind(), Some(rustls::HandshakeKind::Full));
    }

    fn identity() -> Identity {
        Identity::generate(&[HOST], KeyKind::Ed25519).unwrap()
    }

    fn settings(wanted: KeyExchange) -> TlsSettings {
        let mut settings = TlsSettings::FULL;
        settings.key_exchange = wanted;
        settings
    }

    /// What a client says first.
    fn hello(wanted: KeyExchange) -> Vec<u8> {
        let config =
            settings(wanted).client(&identity().authority_der, None, Memory::default().store()).unwrap();
        let mut client = ClientConnection::new(Arc::new(config), server_name(HOST).unwrap()).unwrap();
        let mut wire = Vec::new();
        client.write_tls(&mut wire).unwrap();
        wire
    }
}
