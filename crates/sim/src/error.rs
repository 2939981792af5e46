//! What ends a simulation before its end.

use std::io;

use bentpipe_http::tls::IdentityError;
use bentpipe_units::Duration;
use bentpipe_web::origin::OriginError;
use bentpipe_web::pep::PepError;

/// Why a simulation could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The origin did not start.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The proxy did not start.
    #[error(transparent)]
    Pep(#[from] PepError),
    /// The run's certificates could not be made.
    #[error("certificates: {0}")]
    Identity(#[from] IdentityError),
    /// The capture or an event log could not be written.
    #[error(transparent)]
    Capture(#[from] io::Error),
    /// No event is left, and the client still waits.
    #[error("the simulation stands still at {0} with the client unfinished")]
    Deadlock(Duration),
}
