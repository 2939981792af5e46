//! The part that is the origin: it serves the page, or the other end of a flow.

use bentpipe_web::Ports;
use bentpipe_web::origin::{Config, Origin};

use super::{Configuration, PartError, block_on, sites};
use crate::{KernelNet, control};

/// The origin: serves until the report is asked for or the input ends.
///
/// # Errors
/// When the configuration is malformed, a socket cannot be had, or an event log cannot be written.
pub fn origin() -> Result<(), PartError> {
    let configuration: Configuration = control::configuration()?;
    let logs = configuration.qlog();
    let qlog = logs.clone();
    block_on(async {
        let spec = &configuration.spec;
        let net = KernelNet::new(spec).with_processor(spec.host.as_ref().map(|hosts| hosts.server));
        let config = Config {
            sites: sites(),
            qlog,
            address: configuration.origin,
            ports: Ports::STANDARD,
            spec: configuration.spec,
            identity: configuration.identity,
        };
        let origin = Origin::start(&net, &config)?;
        control::answer(&"ready")?;
        let mut orders = control::orders();
        if orders.recv().await.as_deref() == Some("report") {
            control::answer(&origin.report())?;
        }
        Ok::<(), PartError>(())
    })??;
    // The connections have gone.
    Ok(logs.map_or(Ok(()), |logs| logs.finish())?)
}
