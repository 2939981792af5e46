//! What all fetches of one page load share.

use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use bentpipe_net::Net;
use bentpipe_run::{Http, PageLoadSpec};
use bentpipe_units::Duration;

use super::activity::Resets;
use super::proxy::Proxy;
use super::request::url;
use super::spares::Spares;
use crate::Client;
use crate::connection::{Connections, ProbeOf};
use crate::dns::{LookupError, Stub};
use crate::hosts::Remote;
use crate::page::{PageError, Place, Site};
use crate::pep::Masque;

/// What all fetches of one page load share.
pub(super) struct Session<N: Net> {
    pub(super) net: N,
    pub(super) client: Client,
    pub(super) load: PageLoadSpec,
    pub(super) site: Arc<Site>,
    pub(super) connections: Connections<ProbeOf<N>>,
    pub(super) resets: Resets,
    /// By host.
    pub(super) spares: Vec<Spares<N::Stream>>,
    /// Shared with the sessions of other versions of HTTP.
    pub(super) proxy: Option<Rc<Proxy<N>>>,
    /// Likewise.
    pub(super) masque: Option<Rc<Masque<N>>>,
    /// Where the client has to ask for addresses; likewise.
    pub(super) names: Option<Rc<Stub<N>>>,
}

/// Where a host is, and how long that took to find out; nothing where it was known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) address: IpAddr,
    pub(super) after: Option<Duration>,
}

impl<N: Net> Session<N> {
    pub(super) fn of(net: &N, client: Client, load: PageLoadSpec) -> Result<Self, PageError> {
        let site = client.sites.of(&load.page)?;
        let spares = site.hosts().names().iter().map(|_| Spares::default()).collect();
        let connections = Connections::new();
        let proxy = Proxy::of(net, &client, &connections, &site, &load).map(Rc::new);
        let masque = Masque::of(net, &client, &connections).map(Rc::new);
        let names = Stub::of(net, &client, &load, site.hosts()).map(Rc::new);
        let (net, resets) = (net.clone(), Resets::default());
        Ok(Self { net, client, load, site, connections, resets, spares, proxy, masque, names })
    }

    /// The same load by another version of HTTP.
    pub(super) fn by(&self, http: Http) -> Self {
        let Self { net, client, load, site, connections, resets, spares, proxy, masque, names } = self;
        Self {
            net: net.clone(),
            client: client.clone(),
            load: PageLoadSpec { http, ..load.clone() },
            site: Arc::clone(site),
            connections: connections.clone(),
            resets: resets.clone(),
            spares: spares.clone(),
            proxy: proxy.clone(),
            masque: masque.clone(),
            names: names.clone(),
        }
    }

    /// Does what a client has done before it loads a page.
    pub(super) async fn ready(&self) -> Result<(), LookupError> {
        match (&self.names, self.client.spec.dns) {
            (Some(names), Some(dns)) => names.ready(dns.connection).await,
            _ => Ok(()),
        }
    }

    /// Finds a host.
    pub(super) async fn find(&self, remote: &Remote) -> Result<Found, LookupError> {
        let Some(names) = &self.names else { return Ok(Found { address: remote.address, after: None }) };
        let asked = self.net.now();
        let address = names.address(remote).await?;
        let waited = self.net.now().since(asked);
        Ok(Found { address, after: (waited > Duration::ZERO).then_some(waited) })
    }

    pub(super) fn url(&self, place: &Place) -> String {
        url(self.load.http, &self.site.hosts().names()[place.host], &place.path)
    }
}
