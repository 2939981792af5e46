//! DVB-S2 against the standard's tables, and what holds for every carrier and every traffic.

#[path = "../common/numbered.rs"]
mod numbered;

mod carrier;
mod invariants;
mod loss;
mod saturation;
mod standard;
mod transmitter;
