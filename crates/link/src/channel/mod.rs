//! What packets meet after they were sent: losses, and the propagation delay with its jitter.

pub(crate) mod deck;
mod empirical;
mod loss;
mod outages;
mod propagation;

pub(crate) use loss::Loss;
pub(crate) use propagation::Propagation;
