use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_run::{ClientReport, Workload};
use bentpipe_units::Duration;
use bentpipe_web::origin::OriginError;
use bentpipe_web::tls::Secrets;
use bentpipe_web::{Client, Ports, bulk, loader, ping};

use super::warm_up::warm_up;
use super::{Configuration, PartError, block_on};
use crate::{KernelNet, control};

/// The client: warms up, waits for `go`, runs the workload, reports, and closes its connections.
///
/// # Errors
/// When the configuration is malformed or the warm-up fails.
pub fn client() -> Result<(), PartError> {
    let configuration: Configuration = control::configuration()?;
    block_on(async {
        warm_up(&configuration.spec).await?;
        control::answer(&"ready")?;
        let mut orders = control::orders();
        if orders.recv().await.as_deref() != Some("go") {
            return Ok(());
        }
        control::answer(&work(&configuration).await)?;
        // Connections close beside us until the orchestrator has seen enough.
        let _ = orders.recv().await;
        Ok(())
    })?
}

async fn work(configuration: &Configuration) -> ClientReport {
    let spec = &configuration.spec;
    let client = Client {
        spec: spec.clone(),
        authority_der: configuration.identity.authority_der.clone(),
        origin: configuration.origin,
        ports: Ports::STANDARD,
        gateway: configuration.gateway,
        local: configuration.client,
        sites: Arc::default(),
        secrets: spec.capture.pcapng.then(|| Arc::new(Secrets::default())),
        qlog: configuration.qlog(),
    };
    match spec.workload.clone() {
        Workload::PageLoad(load) => loader::load(&KernelNet, client, load).await,
        Workload::Bulk(_) | Workload::Flows(_) => bulk::run(&KernelNet, client).await,
        Workload::Iperf3(_) => {
            ClientReport { faults: vec![OriginError::Iperf3.to_string()], ..ClientReport::default() }
        }
        Workload::Ping(ping) => {
            let round_trip = spec.link.forward.delay_ns + spec.link.return_.delay_ns;
            // A heavy tail may take seconds; an echo later than that counts as lost.
            let patience = round_trip * 2 + Duration::from_secs(2);
            ping::run(
                &KernelNet,
                &ping,
                SocketAddr::new(client.origin, client.ports.echo),
                client.local,
                spec.mark(),
                patience,
            )
            .await
        }
    }
}
