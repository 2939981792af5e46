//! The link by its public interface: all files in one program, since each program is linked by itself.

mod allocation;
mod capacity;
mod codel;
mod common;
mod dama;
mod directions;
mod dualpi2;
mod dvbs2;
mod empirical;
mod forward_link;
mod invariants;
mod loss;
mod mpeg_ts;
mod outages;
mod propagation;
mod queue;
mod random_early_drop;
mod rcs2;
mod report;
mod return_link;
mod schedule;
