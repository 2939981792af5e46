//! Scripts are read and followed.

mod any;
mod following;
mod grammar;
mod times;
