use bentpipe_units::{Bytes, Duration, Rate};

use super::{Mix, Placement, VolumeOrder};
use crate::rcs2::{Encapsulation, Layout};

/// A return link: what it is made of and who shares it.
#[derive(Clone, Debug)]
pub struct ReturnConfig {
    /// How the superframe is divided.
    pub layout: Layout,
    /// What one burst of a traffic slot carries.
    pub burst_payload: Bytes,
    /// How packets get into bursts.
    pub encapsulation: Encapsulation,
    /// The delays of the control loop.
    pub timing: Timing,
    /// How requests get to the controller.
    pub signalling: Signalling,
    /// Where in the superframe a terminal's slots are.
    pub placement: Placement,
    /// Which volume request is served first.
    pub order: VolumeOrder,
    /// The classes of the terminal whose packets these are, the most urgent first.
    pub classes: Vec<ClassConfig>,
    /// The other terminals.
    pub background: Vec<BackgroundConfig>,
}

/// The delays of the control loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the end of a request's burst at the terminal until the controller has it: one hop.
    pub request_delay: Duration,
    /// From the moment when the controller plans a superframe to the begin of that superframe at the terminal: one
    /// hop for the TBTP2, and the time that the terminal needs to prepare. A controller that plans at the pace of its
    /// superframes has more.
    pub lead: Duration,
}

/// How requests get to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signalling {
    /// In a request slot of the terminal's own, once in so many superframes.
    RequestSlot {
        /// Superframes from one to the next.
        period: u32,
    },
    /// In front of the data in the terminal's first burst of every so-many-th superframe. Needs a constant rate.
    Piggyback {
        /// Superframes from one to the next.
        period: u32,
        /// Bytes of payload that a request takes.
        bytes: u32,
    },
}

/// A class of the terminal: a queue, and what it may ask for.
#[derive(Clone, Copy, Debug)]
pub struct ClassConfig {
    /// What it may have.
    pub mix: Mix,
    /// Bytes of packets that may wait.
    pub limit: Bytes,
}

/// A terminal that sends packets of its own, of one class.
#[derive(Clone, Copy, Debug)]
pub struct BackgroundConfig {
    /// Its queue, and what it may have.
    pub class: ClassConfig,
    /// Mean rate of its packets, which come as a Poisson process.
    pub load: Rate,
    /// Length of each packet.
    pub packet: Bytes,
}

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
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Overbooked => "constant and maximum rates exceed the slots",
            Self::TooFewRequestSlots => "more terminals than request slots in a period",
            Self::CannotAsk => "a terminal that piggybacks its requests needs a constant rate",
            Self::Empty => "a superframe needs traffic slots, a symbol rate and a request period",
            Self::BurstTooShort => "a burst has no room for a fragment of a packet",
        })
    }
}

impl std::error::Error for ConfigError {}

impl Signalling {
    pub(super) const fn period(self) -> u32 {
        match self {
            Self::RequestSlot { period } | Self::Piggyback { period, .. } => period,
        }
    }

    /// Payload that a request takes from a burst of data.
    pub(super) const fn burst_bytes(self) -> u32 {
        match self {
            Self::RequestSlot { .. } => 0,
            Self::Piggyback { bytes, .. } => bytes,
        }
    }
}

impl ReturnConfig {
    /// What each terminal may have: the terminal whose packets these are, then the others.
    pub(super) fn terminals(&self) -> impl Iterator<Item = Vec<Mix>> {
        let own = self.classes.iter().map(|class| class.mix).collect();
        std::iter::once(own).chain(self.background.iter().map(|terminal| vec![terminal.class.mix]))
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let layout = &self.layout;
        let period = self.signalling.period();
        if layout.slots() == 0 || layout.symbols() == 0 || layout.symbol_rate == 0 || period == 0 {
            return Err(ConfigError::Empty);
        }
        let payload = u32::try_from(self.burst_payload.get()).unwrap_or(u32::MAX);
        let data = payload.saturating_sub(self.signalling.burst_bytes());
        if self.encapsulation.least_burst_bytes(data) == 0 {
            return Err(ConfigError::BurstTooShort);
        }
        match self.signalling {
            Signalling::RequestSlot { .. } => {
                let opportunities = u64::from(layout.request_opportunities()) * u64::from(period);
                let terminals = 1 + self.background.len() as u64;
                if terminals > opportunities { Err(ConfigError::TooFewRequestSlots) } else { Ok(()) }
            }
            Signalling::Piggyback { .. } => {
                let mute = |mixes: Vec<Mix>| {
                    mixes.iter().all(|mix| mix.cra.is_zero())
                        && mixes.iter().any(|mix| mix.rbdc.is_some() || mix.volume.is_some())
                };
                if self.terminals().any(mute) { Err(ConfigError::CannotAsk) } else { Ok(()) }
            }
        }
    }
}
