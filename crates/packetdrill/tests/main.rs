//! Scripts are read and followed.

mod following;
mod grammar;
