//! What keeps a return link from being made.

use crate::LoadError;

/// Why there can be no such return link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The constant rates, or all rates of one terminal, exceed what there is.
    Overbooked,
    /// There are more terminals than request slots in a period.
    TooFewRequestSlots,
    /// A terminal without a constant rate never has a burst to piggyback its requests on.
    CannotAsk,
    /// A superframe without traffic slots or symbols, a rate or a period of zero.
    Empty,
    /// A burst has no room for a fragment of a packet.
    BurstTooShort,
    /// A packet is longer than the encapsulation can send.
    PacketTooLong,
    /// A class is never given anything: it has no capacity of its own, and no other of its terminal has one that comes
    /// unasked.
    NeverServed,
    /// The packets of another terminal are no load.
    Load(LoadError),
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Overbooked => "constant and maximum rates exceed the slots",
            Self::TooFewRequestSlots => "more terminals than request slots in a period",
            Self::CannotAsk => "a terminal that piggybacks its requests needs a constant rate",
            Self::Empty => "a superframe needs traffic slots, a symbol rate and a request period",
            Self::BurstTooShort => "a burst has no room for a fragment of a packet",
            Self::PacketTooLong => "a packet is longer than the encapsulation can send",
            Self::NeverServed => "a class is never given anything",
            Self::Load(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for ConfigError {}
