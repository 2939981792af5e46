//! DVB-S2 against the standard's tables, and what holds for every carrier and every traffic.

#[path = "../common/numbered.rs"]
mod numbered;
#[path = "../common/transport_stream.rs"]
mod reference;

mod carrier;
mod invariants;
mod loss;
mod saturation;
mod standard;
mod transmitter;
mod transport_stream;
