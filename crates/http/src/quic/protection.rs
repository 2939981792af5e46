//! QUIC's cryptography: the handshake by rustls, and packets of data protected as the network wants.
//!
//! With [`Protection::Length`] the keys for data that the handshake yields are replaced by ones that encrypt nothing. All
//! else stays: what the handshake says, its packets and their keys, early data (RFC 9001 section 4.6), the length of the
//! tag, the limits of a key and its updates. So every packet is as long as it would be and leaves when it would.

use std::any::Any;
use std::sync::Arc;

use bentpipe_net::{Net, Protection};
use bytes::BytesMut;
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig,
    Session, UnsupportedVersion,
};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, PathId, Side, TransportError};

use super::QuicError;

/// A tag of AEAD_AES_128_GCM and of all other AEADs of QUIC (RFC 9001 section 5.3).
const TAG_BYTES: usize = 16;

/// The client's side, on the network of `net`.
///
/// # Errors
/// When QUIC cannot use the settings of TLS.
pub(super) fn client<N: Net>(net: &N, tls: rustls::ClientConfig) -> Result<Arc<dyn ClientConfig>, QuicError> {
    let config = QuicClientConfig::try_from(tls).map_err(|error| QuicError::Tls(error.to_string()))?;
    Ok(match net.quic_protection() {
        Protection::Cipher => Arc::new(config),
        Protection::Length => Arc::new(LengthOnly(config)),
    })
}

/// The server's side, on the network of `net`.
///
/// # Errors
/// When QUIC cannot use the settings of TLS.
pub(super) fn server<N: Net>(net: &N, tls: rustls::ServerConfig) -> Result<Arc<dyn ServerConfig>, QuicError> {
    let config = QuicServerConfig::try_from(tls).map_err(|error| QuicError::Tls(error.to_string()))?;
    Ok(match net.quic_protection() {
        Protection::Cipher => Arc::new(config),
        Protection::Length => Arc::new(LengthOnly(config)),
    })
}

/// Settings of TLS whose sessions end in keys that encrypt nothing.
struct LengthOnly<C>(C);

impl ClientConfig for LengthOnly<QuicClientConfig> {
    fn start_session(
        &self,
        version: u32,
        server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let tls = self.0.start_session(version, server_name, params)?;
        Ok(Box::new(LengthOnlySession { tls, has_handshake_keys: false }))
    }
}

impl ServerConfig for LengthOnly<QuicServerConfig> {
    fn initial_keys(&self, version: u32, dst_cid: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        self.0.initial_keys(version, dst_cid)
    }

    fn retry_tag(&self, version: u32, orig_dst_cid: ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.0.retry_tag(version, orig_dst_cid, packet)
    }

    fn start_session(&self, version: u32, params: &TransportParameters) -> Box<dyn Session> {
        let tls = self.0.start_session(version, params);
        Box::new(LengthOnlySession { tls, has_handshake_keys: false })
    }
}

/// A session of TLS whose keys for data encrypt nothing.
struct LengthOnlySession {
    tls: Box<dyn Session>,
    /// The first keys that TLS yields are for the handshake, the second for data (RFC 9001 section 4.1.4).
    has_handshake_keys: bool,
}

impl Session for LengthOnlySession {
    fn initial_keys(&self, dst_cid: ConnectionId, side: Side) -> Keys {
        self.tls.initial_keys(dst_cid, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.tls.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.tls.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.tls.early_crypto()
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.tls.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.tls.is_handshaking()
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.tls.read_handshake(buf)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.tls.transport_parameters()
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let keys = self.tls.write_handshake(buf)?;
        if !std::mem::replace(&mut self.has_handshake_keys, true) {
            return Some(keys);
        }
        let header = KeyPair {
            local: ClearHeader::in_place_of(keys.header.local),
            remote: ClearHeader::in_place_of(keys.header.remote),
        };
        Some(Keys { header, packet: clear(keys.packet) })
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.tls.next_1rtt_keys().map(clear)
    }

    fn is_valid_retry(&self, orig_dst_cid: ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.tls.is_valid_retry(orig_dst_cid, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.tls.export_keying_material(output, label, context)
    }
}

fn clear(keys: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: ClearPacket::in_place_of(keys.local), remote: ClearPacket::in_place_of(keys.remote) }
}

/// Leaves the payload of a packet as it is and tells by the tag for which key and packet it is: one of another key or
/// number is refused, as by a cipher. Connections here have one path each, which has all numbers.
struct ClearPacket {
    /// What the key that this one stands for makes of nothing: the same at both ends, and another for each key.
    key: u128,
    confidentiality_limit: u64,
    integrity_limit: u64,
}

impl ClearPacket {
    /// Stands for the key of a cipher, whose tags have `TAG_BYTES` (RFC 9001 section 5.3).
    fn in_place_of(key: Box<dyn PacketKey>) -> Box<dyn PacketKey> {
        let mut tag = [0; TAG_BYTES];
        key.encrypt(PathId::ZERO, 0, &mut tag, 0);
        Box::new(Self {
            key: u128::from_le_bytes(tag),
            confidentiality_limit: key.confidentiality_limit(),
            integrity_limit: key.integrity_limit(),
        })
    }

    fn tag(&self, packet: u64) -> [u8; TAG_BYTES] {
        (self.key ^ u128::from(packet)).to_le_bytes()
    }
}

impl PacketKey for ClearPacket {
    #[inline]
    fn encrypt(&self, _path_id: PathId, packet: u64, buf: &mut [u8], _header_len: usize) {
        if let Some(tag) = buf.last_chunk_mut() {
            *tag = self.tag(packet);
        }
    }

    #[inline]
    fn decrypt(
        &self,
        _path_id: PathId,
        packet: u64,
        _header: &[u8],
        payload: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        match payload.split_last_chunk() {
            Some((plain, tag)) if *tag == self.tag(packet) => {
                let length = plain.len();
                payload.truncate(length);
                Ok(())
            }
            _ => Err(CryptoError),
        }
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        self.confidentiality_limit
    }

    fn integrity_limit(&self) -> u64 {
        self.integrity_limit
    }
}

/// Leaves the header of a packet as it is.
struct ClearHeader {
    sample_size: usize,
}

impl ClearHeader {
    fn in_place_of(key: Box<dyn HeaderKey>) -> Box<dyn HeaderKey> {
        Box::new(Self { sample_size: key.sample_size() })
    }
}

impl HeaderKey for ClearHeader {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        self.sample_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: u128) -> ClearPacket {
        ClearPacket { key, confidentiality_limit: 1, integrity_limit: 1 }
    }

    fn decrypted(key: &ClearPacket, packet: u64, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut payload = BytesMut::from(bytes);
        key.decrypt(PathId::ZERO, packet, &[], &mut payload).ok().map(|()| payload.to_vec())
    }

    #[test]
    fn a_packet_of_another_key_or_number_is_refused_and_one_without_a_tag() {
        // RFC 9001 section 5.3: the key and, in the nonce, the number.
        let mut bytes = [&b"what it says"[..], &[0; TAG_BYTES]].concat();
        key(1).encrypt(PathId::ZERO, 7, &mut bytes, 0);
        assert_eq!(decrypted(&key(1), 7, &bytes).as_deref(), Some(&b"what it says"[..]));
        assert_eq!(decrypted(&key(1), 8, &bytes), None);
        assert_eq!(decrypted(&key(2), 7, &bytes), None);
        assert_eq!(decrypted(&key(1), 7, &bytes[..TAG_BYTES - 1]), None);
    }
}
