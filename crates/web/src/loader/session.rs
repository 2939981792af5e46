//! What all fetches of one page load share.

use std::sync::Arc;

use bentpipe_net::Net;
use bentpipe_run::PageLoadSpec;

use super::proxy::Proxy;
use super::request::url;
use super::spares::Spares;
use crate::Client;
use crate::connection::{Connections, ProbeOf};
use crate::page::{PageError, Place, Site};

/// What all fetches of one page load share.
pub(super) struct Session<N: Net> {
    pub(super) net: N,
    pub(super) client: Client,
    pub(super) load: PageLoadSpec,
    pub(super) site: Arc<Site>,
    pub(super) connections: Connections<ProbeOf<N>>,
    /// By host.
    pub(super) spares: Vec<Spares<N::Stream>>,
    pub(super) proxy: Option<Proxy<N>>,
}

impl<N: Net> Session<N> {
    pub(super) fn of(net: &N, client: Client, load: PageLoadSpec) -> Result<Self, PageError> {
        let site = client.sites.of(&load.page)?;
        let spares = site.hosts().names().iter().map(|_| Spares::default()).collect();
        let connections = Connections::new();
        let proxy = Proxy::of(net, &client, &connections, &site, &load);
        Ok(Self { net: net.clone(), client, load, site, connections, spares, proxy })
    }

    pub(super) fn url(&self, place: &Place) -> String {
        url(self.load.http, &self.site.hosts().names()[place.host], &place.path)
    }
}
