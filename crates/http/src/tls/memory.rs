//! What a client remembers of hosts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use bentpipe_run::Resumption;
use bytes::Bytes;
use noq::{TokenMemoryCache, TokenStore};
use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, NamedGroup};
use tokio::sync::Notify;

use crate::quic::Paths;

/// Hosts that a client remembers: more than pages have.
const HOSTS: usize = 1024;
/// Tickets that the library keeps of each.
const TICKETS: usize = 8;
/// Address tokens that a client keeps of each: it opens one QUIC connection at a time.
const TOKENS: usize = 2;

/// What a client remembers of the hosts from one connection to the next. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    store: Arc<Store>,
    /// The library resumes a session only under the configuration under which it started.
    pub(super) config: Arc<OnceLock<ClientConfig>>,
    /// What its own senders know of the paths to them.
    pub(crate) paths: Paths,
}

/// Tickets and tokens.
pub struct Store {
    sessions: ClientSessionMemoryCache,
    tokens: TokenMemoryCache,
    /// By host.
    received: Mutex<BTreeMap<String, Received>>,
    news: Notify,
}

/// What has come so far, whether or not it was used since.
#[derive(Clone, Copy, Default)]
struct Received {
    has_ticket: bool,
    has_token: bool,
}

impl Memory {
    /// Where tickets and tokens are.
    pub fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store)
    }

    /// Returns when a host has sent over QUIC what a later connection may use: an address token, and a ticket where
    /// sessions are resumed.
    pub async fn filled(&self, host: &str, resumption: Resumption) {
        loop {
            // News from here on are not missed.
            let news = self.store.news.notified();
            let received = self.store.received(host);
            if received.has_token && (received.has_ticket || resumption == Resumption::None) {
                return;
            }
            news.await;
        }
    }
}

impl Store {
    fn received(&self, host: &str) -> Received {
        let received = self.received.lock().expect("no panic while receiving");
        received.get(host).copied().unwrap_or_default()
    }

    fn note(&self, host: &str, change: impl FnOnce(&mut Received)) {
        change(self.received.lock().expect("no panic while receiving").entry(host.to_owned()).or_default());
        self.news.notify_waiters();
    }
}

impl Default for Store {
    fn default() -> Self {
        Self {
            sessions: ClientSessionMemoryCache::new(HOSTS * TICKETS),
            tokens: TokenMemoryCache::new(HOSTS as u32, TOKENS),
            received: Mutex::default(),
            news: Notify::new(),
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl ClientSessionStore for Store {
    fn set_kx_hint(&self, server: ServerName<'static>, group: NamedGroup) {
        self.sessions.set_kx_hint(server, group);
    }

    fn kx_hint(&self, server: &ServerName<'_>) -> Option<NamedGroup> {
        self.sessions.kx_hint(server)
    }

    fn set_tls12_session(&self, server: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.sessions.set_tls12_session(server, session);
    }

    fn tls12_session(&self, server: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.sessions.tls12_session(server)
    }

    fn remove_tls12_session(&self, server: &ServerName<'static>) {
        self.sessions.remove_tls12_session(server);
    }

    fn insert_tls13_ticket(&self, server: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.sessions.insert_tls13_ticket(server.clone(), ticket);
        self.note(&server.to_str(), |received| received.has_ticket = true);
    }

    fn take_tls13_ticket(&self, server: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.sessions.take_tls13_ticket(server)
    }
}

impl TokenStore for Store {
    fn insert(&self, server: &str, token: Bytes) {
        self.tokens.insert(server, token);
        self.note(server, |received| received.has_token = true);
    }

    fn take(&self, server: &str) -> Option<Bytes> {
        self.tokens.take(server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_hosts_the_first_is_remembered_as_long_as_the_last() {
        let (store, group) = (Store::default(), NamedGroup::X25519);
        let names = || (0..HOSTS).map(|number| format!("host-{number}.example"));
        for name in names() {
            store.set_kx_hint(ServerName::try_from(name.clone()).unwrap(), group);
            TokenStore::insert(&store, &name, Bytes::from_static(b"token"));
        }
        for name in names() {
            assert_eq!(store.kx_hint(&ServerName::try_from(&*name).unwrap()), Some(group), "{name}");
            assert!(store.take(&name).is_some(), "{name}");
        }
    }
}
