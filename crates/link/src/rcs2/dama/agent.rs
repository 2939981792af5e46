//! What one class of a terminal asks for at each opportunity: a rate, a volume, or nothing new (EN 301 545-2).

use super::{Grant, Mix, Request, SlotRate, VolumeKindSpec};

/// Decides what one class of a terminal asks for.
#[derive(Clone, Debug)]
pub struct Agent {
    mix: Mix,
    /// Bytes of backlog that one slot is sure to carry.
    slot_bytes: u64,
    control: ControlLoop,
    /// Bytes that came since the last opportunity to ask.
    arrived: u64,
    rate: SlotRate,
    /// Slots of volume asked for and not given yet.
    outstanding: u64,
    /// Slots of the last absolute volume.
    level: u64,
}

/// The times that a terminal reckons with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlLoop {
    /// Superframes from one opportunity to ask to the next.
    pub period: u32,
    /// Superframes from a request to the first that is planned with it.
    pub cycle: u64,
}

/// What an agent asks at one opportunity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// A rate, when it differs from the last or has to be kept up.
    pub rate: Option<Request>,
    /// A volume, when something is missing.
    pub volume: Option<Request>,
}

impl Agent {
    /// Nothing has come, nothing was asked.
    pub const fn new(mix: Mix, slot_bytes: u64, control: ControlLoop) -> Self {
        Self { mix, slot_bytes, control, arrived: 0, rate: SlotRate::ZERO, outstanding: 0, level: 0 }
    }

    /// A packet came that needs so many bytes of bursts.
    pub const fn arrived(&mut self, bytes: u64) {
        self.arrived += bytes;
    }

    /// A superframe starts for which this was granted.
    pub fn granted(&mut self, grant: &Grant) {
        self.outstanding = self.outstanding.saturating_sub(u64::from(grant.volume));
    }

    /// What to ask when `backlog` bytes wait and `coming` slots will be there before an answer could be; takes from
    /// those what the backlog needs.
    pub fn ask(&mut self, backlog: u64, coming: &mut u64) -> Asked {
        let needed = backlog.div_ceil(self.slot_bytes);
        let rate = self.ask_rate(backlog);
        let missing = needed.saturating_sub(*coming);
        *coming = coming.saturating_sub(needed);
        let missing = missing.saturating_sub(self.rate.slots_in(self.control.cycle));
        Asked { rate, volume: self.ask_volume(missing) }
    }

    /// r = ceil(A/P + Q/W) - CRA, in slots per superframe: what came in the last period goes on coming, and the backlog
    /// is to be sent within one cycle. A fraction of a slot would make the last packet wait for the others of the sum.
    fn ask_rate(&mut self, backlog: u64) -> Option<Request> {
        let arrived = std::mem::take(&mut self.arrived);
        let limit = self.mix.rbdc?;
        let (period, cycle) = (u64::from(self.control.period), self.control.cycle);
        let slots = (arrived * cycle + backlog * period).div_ceil(period * cycle * self.slot_bytes);
        let needed = SlotRate::fraction(u128::from(slots), 1);
        let rate = needed.saturating_sub(self.mix.cra).min(limit.max);
        let before = std::mem::replace(&mut self.rate, rate);
        // A zero is told once; anything else again and again, since requests expire.
        (!rate.is_zero() || !before.is_zero()).then_some(Request::Rate(rate))
    }

    fn ask_volume(&mut self, missing: u64) -> Option<Request> {
        match self.mix.volume?.kind {
            VolumeKindSpec::Vbdc => {
                let more = missing.saturating_sub(self.outstanding);
                self.outstanding += more;
                (more > 0).then_some(Request::Volume(more))
            }
            VolumeKindSpec::Avbdc => {
                let before = std::mem::replace(&mut self.level, missing);
                (missing > 0 || before > 0).then_some(Request::AbsoluteVolume(missing))
            }
        }
    }

    /// The rate last asked for.
    pub const fn rate(&self) -> SlotRate {
        self.rate
    }
}

impl Asked {
    /// The requests.
    pub fn requests(self) -> impl Iterator<Item = Request> {
        [self.rate, self.volume].into_iter().flatten()
    }

    /// Slots of volume asked for.
    pub const fn slots(&self) -> u64 {
        match self.volume {
            Some(Request::Volume(slots) | Request::AbsoluteVolume(slots)) => slots,
            _ => 0,
        }
    }

    /// Whether nothing is asked.
    pub const fn is_empty(&self) -> bool {
        self.rate.is_none() && self.volume.is_none()
    }
}
