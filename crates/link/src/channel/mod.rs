//! What packets meet after they were sent: losses, and the propagation delay with its jitter.

mod empirical;
mod loss;
mod outages;
mod propagation;
mod stratified;

pub use empirical::QuantileSpec;
pub(crate) use empirical::{check_quantiles, quantile};
pub(crate) use loss::Loss;
pub use loss::LossSpec;
pub use outages::OutageSpec;
pub use propagation::JitterSpec;
pub(crate) use propagation::Propagation;
