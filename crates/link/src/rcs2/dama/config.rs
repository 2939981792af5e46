//! What a return link is configured by: signalling, order of requests, terminals and what each may have.

use bentpipe_units::{Bytes, Decibel, Duration};

use super::{AccountConfig, ConfigError, Controller, Mix, PlacementSpec, Supply, VolumeOrderSpec};
use crate::rcs2::{Encapsulation, LayoutSpec};
use crate::{EsN0Spec, LoadSpec, MixSpec, QueueSpec};

/// How requests get to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum SignallingSpec {
    /// In a request slot of the terminal's own.
    RequestSlot {
        /// Superframes from one to the next.
        period: u32,
    },
    /// In front of the data of a burst.
    Piggyback {
        /// Superframes from one to the next.
        period: u32,
        /// Payload that a request takes.
        bytes: u32,
    },
}

/// A terminal that sends packets of its own.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BackgroundSpec {
    /// What it may have.
    pub mix: MixSpec,
    /// Bytes of packets that may wait.
    pub limit_bytes: Bytes,
    /// Its packets.
    pub load: LoadSpec,
}

/// A return link: what it is made of and who shares it.
#[derive(Clone, Debug)]
pub struct ReturnConfig {
    /// How the superframe is divided.
    pub layout: LayoutSpec,
    /// What has been before the link starts.
    pub phase: Phase,
    /// What one burst of a traffic slot carries.
    pub burst_payload: Bytes,
    /// How packets get into bursts.
    pub encapsulation: Encapsulation,
    /// Longest packet of the terminal whose packets these are.
    pub mtu: Bytes,
    /// Es/N0 at which one burst in 100 000 is lost.
    pub threshold: Decibel,
    /// What the hub gets of that terminal's signal.
    pub es_n0: EsN0Spec,
    /// The delays of the control loop.
    pub timing: Timing,
    /// How requests get to the controller.
    pub signalling: SignallingSpec,
    /// Where in the superframe a terminal's slots are.
    pub placement: PlacementSpec,
    /// Which volume request is served first.
    pub order: VolumeOrderSpec,
    /// The classes of the terminal whose packets these are, the most urgent first.
    pub classes: Vec<ClassConfig>,
    /// The other terminals.
    pub background: Vec<BackgroundConfig>,
}

/// Where in a superframe the link starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing: it starts at the start of a superframe.
    Start,
    /// The network: it starts at any instant of a period of requests and with any part of a slot of each constant rate
    /// due, by the seed. Whoever starts a run does not know the network's.
    Random,
}

/// The delays of the control loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the end of a request's burst at the terminal until the controller has it: one hop.
    pub request_delay: Duration,
    /// From the moment when the controller plans a superframe to the start of that superframe at the terminal: one
    /// hop for the TBTP2, and the time that the terminal needs to prepare. A controller that plans at the pace of its
    /// superframes has more.
    pub lead: Duration,
}

/// A class of the terminal: a queue, and what it may ask for.
#[derive(Clone, Debug)]
pub struct ClassConfig {
    /// What it may have.
    pub mix: Mix,
    /// Its queue.
    pub queue: QueueSpec,
}

/// A terminal that sends packets of its own, of one class.
#[derive(Clone, Debug)]
pub struct BackgroundConfig {
    /// Its queue, and what it may have.
    pub class: ClassConfig,
    /// Its packets.
    pub load: LoadSpec,
}

impl SignallingSpec {
    /// Superframes from one opportunity to the next.
    pub const fn period(self) -> u32 {
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

    /// The controller of it all.
    ///
    /// # Errors
    /// When the terminals cannot share the layout like this.
    pub(crate) fn controller(&self) -> Result<Controller, ConfigError> {
        self.check()?;
        let supply = Supply { slots: self.layout.slots(), per_terminal: self.layout.columns() };
        let accounts: Vec<_> = (self.terminals().enumerate())
            .flat_map(|(terminal, mixes)| mixes.into_iter().map(move |mix| AccountConfig { terminal, mix }))
            .collect();
        Controller::new(supply, self.order, &accounts)
    }

    /// What one burst of a traffic slot carries.
    pub(super) fn burst_bytes(&self) -> u32 {
        u32::try_from(self.burst_payload.get()).unwrap_or(u32::MAX)
    }

    /// Bytes of backlog that one slot is sure to carry, with a request in front.
    pub(super) fn slot_bytes(&self) -> u32 {
        self.encapsulation.least_burst_bytes(self.burst_bytes().saturating_sub(self.signalling.burst_bytes()))
    }

    fn check(&self) -> Result<(), ConfigError> {
        let layout = &self.layout;
        let period = self.signalling.period();
        if layout.slots() == 0 || layout.symbols() == 0 || period == 0 {
            return Err(ConfigError::Empty);
        }
        if self.slot_bytes() == 0 {
            return Err(ConfigError::BurstTooShort);
        }
        self.background.iter().try_for_each(|terminal| terminal.load.check().map_err(ConfigError::Load))?;
        if self.terminals().any(|mixes| !Mix::serve_all(&mixes)) {
            return Err(ConfigError::NeverServed);
        }
        let longest =
            self.background.iter().map(|terminal| terminal.load.longest()).fold(self.mtu, Bytes::max);
        if longest.get() > u64::from(self.encapsulation.max_sdu_bytes()) {
            return Err(ConfigError::PacketTooLong);
        }
        match self.signalling {
            SignallingSpec::RequestSlot { .. } => {
                let opportunities = u64::from(layout.request_opportunities()) * u64::from(period);
                let terminals = 1 + self.background.len() as u64;
                if terminals > opportunities { Err(ConfigError::TooFewRequestSlots) } else { Ok(()) }
            }
            SignallingSpec::Piggyback { .. } => {
                let mute = |mixes: Vec<Mix>| {
                    mixes.iter().all(|mix| mix.cra.is_zero()) && mixes.iter().any(Mix::asks)
                };
                if self.terminals().any(mute) { Err(ConfigError::CannotAsk) } else { Ok(()) }
            }
        }
    }
}
