//! What the origin serves of a page, for servers of others.

use std::net::IpAddr;

use bentpipe_emu::LocalFiles;
use bentpipe_net::Addresses;
use bentpipe_run::{PageSpec, RunSpec};
use bentpipe_web::page::{Place, Resource, Site};
use bentpipe_web::{HOST, Hosts, Ports, RESOLVER, pep};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let Addresses { client, server, terminal, gateway } = Addresses::STANDARD;
    module.add("CLIENT_ADDRESS", client.to_string())?;
    module.add("SERVER_ADDRESS", server.to_string())?;
    module.add("TERMINAL_ADDRESS", terminal.to_string())?;
    module.add("GATEWAY_ADDRESS", gateway.to_string())?;
    module.add("ORIGIN_NAME", HOST)?;
    module.add("RESOLVER_NAME", RESOLVER)?;
    module.add("HTTP_PORT", Ports::STANDARD.http)?;
    module.add("HTTPS_PORT", Ports::STANDARD.https)?;
    module.add_function(wrap_pyfunction!(host_address, module)?)?;
    module.add_function(wrap_pyfunction!(quic_split_ports, module)?)?;
    module.add_function(wrap_pyfunction!(site_files, module)?)
}

/// Host, path, media type and content of a resource.
type Served = (String, String, &'static str, Vec<u8>);

/// The address of a page's host by its number; zero is the page's own.
#[pyfunction]
fn host_address(number: usize) -> String {
    Hosts::address(IpAddr::V4(Addresses::STANDARD.server), number).to_string()
}

/// The ports at which a proxy at the terminal ends the QUIC connections of a run (JSON of its spec).
#[pyfunction]
fn quic_split_ports(spec: &str) -> PyResult<Vec<u16>> {
    let spec: RunSpec = from_json(spec)?;
    Ok(pep::quic_ports(&spec, Ports::STANDARD))
}

/// What the origin serves of a page (JSON of its spec) by host and path, the document (`/`) first.
#[pyfunction]
fn site_files(page: &str) -> PyResult<Vec<Served>> {
    let page: PageSpec = from_json(page)?;
    let site = Site::of(&page, &LocalFiles).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let served = |(place, resource): (Place, &Resource)| {
        let host = site.hosts().names()[place.host].clone();
        (host, place.path, resource.content_type, resource.body.to_vec())
    };
    Ok(site.iter().map(served).collect())
}
