//! The parts that are the proxies at either side of the satellite.

use bentpipe_web::Ports;
use bentpipe_web::pep::{Config, Pep, Side};

use super::{Configuration, PartError, block_on};
use crate::{KernelNet, control};

/// The host on the client's side of the satellite: proxies until the report is asked for or the input ends.
///
/// # Errors
/// When the configuration is malformed or a socket cannot be had.
pub fn terminal() -> Result<(), PartError> {
    run(Side::Terminal)
}

/// The host on the origin's side of the satellite, likewise.
///
/// # Errors
/// As [`terminal`].
pub fn gateway() -> Result<(), PartError> {
    run(Side::Gateway)
}

fn run(side: Side) -> Result<(), PartError> {
    let configuration: Configuration = control::configuration()?;
    block_on(async {
        let config = Config {
            side,
            address: match side {
                Side::Terminal => configuration.terminal,
                Side::Gateway => configuration.gateway,
            },
            gateway: configuration.gateway,
            origin: configuration.origin,
            ports: Ports::STANDARD,
            spec: configuration.spec,
            identity: configuration.identity,
        };
        let net = KernelNet::of_proxy(&config.spec);
        let limit = config.spec.validity.timeout_ns;
        let mut pep = Pep::start(&net, &config)?;
        pep.ready(&net, limit).await?;
        control::answer(&"ready")?;
        let mut orders = control::orders();
        if orders.recv().await.as_deref() == Some("report") {
            control::answer(&pep.report())?;
        }
        Ok(())
    })?
}
