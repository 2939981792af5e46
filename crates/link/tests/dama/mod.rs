//! The control loop of the return link: what the controller gives, what terminals ask, and what it costs in time.

mod agent;
mod configs;
mod controller;
mod delay;
mod link;
mod overload;
mod transport_stream;
