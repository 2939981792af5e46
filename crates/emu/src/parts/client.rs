//! The part of an emulated run that loads the page or runs the flow, from its warm-up to its report.

use std::sync::Arc;

use bentpipe_http::quic::EventLogs;
use bentpipe_http::tls::{Memory, Secrets};
use bentpipe_units::Time;
use bentpipe_web::{Client, Ports, dns, loader, workload};

use super::warm_up::warm_up;
use super::{Configuration, PartError, block_on, sites};
use crate::unused_path::LEAD;
use crate::{KernelNet, clock, control};

/// The client: warms up, visits the origin when told to, waits for the instant in `go`, runs the workload, reports, and
/// closes its connections.
///
/// # Errors
/// When the configuration is malformed, the warm-up fails, or an event log cannot be written.
pub fn client() -> Result<(), PartError> {
    let configuration: Configuration = control::configuration()?;
    let logs = configuration.qlog();
    block_on(serve_orders(&configuration, logs.clone()))??;
    // The connections have gone.
    Ok(logs.map_or(Ok(()), |logs| logs.finish())?)
}

async fn serve_orders(configuration: &Configuration, logs: Option<EventLogs>) -> Result<(), PartError> {
    warm_up(&configuration.spec).await?;
    let client = client_of(configuration, logs);
    workload::prepare(&client);
    let net =
        KernelNet::new(&client.spec).with_processor(client.spec.host.as_ref().map(|hosts| hosts.client));
    let (spec, identity) = (&client.spec, &configuration.identity);
    dns::start_at_terminal(&net, spec, identity, client.local, client.origin)?;
    control::answer(&"ready")?;
    let mut orders = control::orders();
    let mut order = orders.recv().await;
    let mut rested = Time::ZERO;
    if order.as_deref() == Some("visit") {
        rested = loader::visit(&net, &client).await?;
        clock::sleep_until(Time::from_nanos(rested.as_nanos().saturating_sub(LEAD.as_nanos())));
        control::answer(&"visited")?;
        order = orders.recv().await;
    }
    let Some(start) = order.as_deref().and_then(start_of) else { return Ok(()) };
    clock::wait_until(start.max(rested));
    control::answer(&workload::run(&net, client).await)?;
    // Connections close beside us until the orchestrator has seen enough.
    let _ = orders.recv().await;
    Ok(())
}

/// When the workload begins, of the order for it.
fn start_of(order: &str) -> Option<Time> {
    order.strip_prefix("go ")?.parse().map(Time::from_nanos).ok()
}

fn client_of(configuration: &Configuration, qlog: Option<EventLogs>) -> Client {
    let spec = &configuration.spec;
    Client {
        spec: spec.clone(),
        authority_der: configuration.identity.authority_der.clone(),
        origin: configuration.origin,
        ports: Ports::STANDARD,
        gateway: configuration.gateway,
        local: configuration.client,
        sites: sites(),
        secrets: spec.capture.pcapng.then(|| Arc::new(Secrets::default())),
        qlog,
        memory: Memory::default(),
    }
}
