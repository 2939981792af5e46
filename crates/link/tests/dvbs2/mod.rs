//! DVB-S2 against the standard's tables, and what holds for every carrier and every traffic.

mod carrier;
mod invariants;
mod loss;
mod saturation;
mod scheduling;
mod standard;
mod transmitter;
mod transport_stream;
