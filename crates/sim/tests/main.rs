//! Runs in virtual time: all files in one program, since each program is linked by itself.

mod ack_frequency;
mod any_scenario;
mod capture;
mod common;
mod congestion_control;
mod dns;
mod flows;
mod h2h3;
mod host_times;
mod http1;
mod key_exchange;
mod layers;
mod pep;
mod pep_transfers;
mod resumption;
mod round_trips;
mod runs;
mod sample;
mod server_behind;
mod several_hosts;
mod spdy;
mod tcp_knobs;
mod transfers;
