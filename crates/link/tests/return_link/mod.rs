//! The DVB-RCS2 return link inside a path: from its spec to events and the record's tables.

mod classes;
mod delay;
mod fading;
mod invariants;
mod overload;
mod settings;
mod snep;
pub mod specs;
mod waiting_room;
