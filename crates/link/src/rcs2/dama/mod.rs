//! Demand-assigned multiple access: who may send in which timeslot of the return link (EN 301 545-2).
//! Model page: docs/models/dama.md.
//!
//! ```text
//! packets -> class queues -> bursts in granted slots -> departures
//!                 |                  ^
//!              agent: requests    TBTP2: one hop down
//!                 |                  |
//!                 +-- one hop up --> controller, once a superframe
//! ```
//!
//! [`ReturnLink`] is the whole of it; [`Controller`] and [`Agent`] are the two ends of the control loop.

mod agent;
mod background;
mod burst_plan;
mod channel;
mod class_queue;
mod config;
mod controller;
mod departure;
mod error;
mod mix;
mod probe;
mod refusal;
mod request;
mod return_link;
mod slot_rate;
mod terminal;
mod volume_order;

pub use agent::{Agent, Asked, ControlLoop};
pub use burst_plan::PlacementSpec;
pub(crate) use burst_plan::longest_gap;
pub use config::{
    BackgroundConfig, BackgroundSpec, ClassConfig, Phase, ReturnConfig, SignallingSpec, Timing,
};
pub use controller::{AccountConfig, Controller, Supply};
pub use departure::{AccessDelay, Departure, Fate};
pub use error::ConfigError;
pub use mix::{FreeSpec, Mix, MixSpec, RateCapacity, RbdcSpec, VolumeKindSpec, VolumeSpec};
pub use probe::Probe;
pub(crate) use refusal::refused;
pub use request::{Grant, Request};
pub use return_link::ReturnLink;
pub use slot_rate::{SlotRate, SlotRateSpec};
pub use volume_order::VolumeOrderSpec;
