//! What all fetches of one page load share.

use std::rc::Rc;
use std::sync::Arc;

use bentpipe_net::Net;
use bentpipe_run::{Http, PageLoadSpec};

use super::activity::Resets;
use super::proxy::Proxy;
use super::request::url;
use super::spares::Spares;
use crate::Client;
use crate::connection::{Connections, ProbeOf};
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
}

impl<N: Net> Session<N> {
    pub(super) fn of(net: &N, client: Client, load: PageLoadSpec) -> Result<Self, PageError> {
        let site = client.sites.of(&load.page)?;
        let spares = site.hosts().names().iter().map(|_| Spares::default()).collect();
        let connections = Connections::new();
        let proxy = Proxy::of(net, &client, &connections, &site, &load).map(Rc::new);
        let masque = Masque::of(net, &client, &connections).map(Rc::new);
        let (net, resets) = (net.clone(), Resets::default());
        Ok(Self { net, client, load, site, connections, resets, spares, proxy, masque })
    }

    /// The same load by another version of HTTP.
    pub(super) fn by(&self, http: Http) -> Self {
        let Self { net, client, load, site, connections, resets, spares, proxy, masque } = self;
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
        }
    }

    pub(super) fn url(&self, place: &Place) -> String {
        url(self.load.http, &self.site.hosts().names()[place.host], &place.path)
    }
}
