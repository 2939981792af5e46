use super::SlotRate;

/// What one class of a terminal may have, in any mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Constant rate assignment: given in each superframe, never asked for.
    pub cra: SlotRate,
    /// Rate-based dynamic capacity, on top of the constant rate.
    pub rbdc: Option<RateCapacity>,
    /// Volume-based dynamic capacity.
    pub volume: Option<VolumeCapacity>,
    /// Whether it shares what nobody asked for (free capacity assignment).
    pub free: bool,
}

/// Rate-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateCapacity {
    /// Most that is given, whatever is asked.
    pub max: SlotRate,
    /// Superframes for which a request counts when no other replaces it.
    pub timeout: u32,
}

/// Volume-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeCapacity {
    /// What a request does to those before it.
    pub kind: VolumeKind,
    /// Most slots that are given in one superframe.
    pub max_slots: u32,
}

/// What a volume request does to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeKind {
    /// VBDC: it adds to what is outstanding.
    Added,
    /// AVBDC: it replaces what is outstanding.
    Replaced,
}

/// What a terminal asks for one of its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// RBDC: this rate from now on, instead of the last.
    Rate(SlotRate),
    /// VBDC: so many slots more.
    Volume(u64),
    /// AVBDC: so many slots in all.
    AbsoluteVolume(u64),
}

/// Slots of one superframe for one class, by what they were given for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// Constant rate.
    pub cra: u32,
    /// Requested rate.
    pub rbdc: u32,
    /// Requested volume.
    pub volume: u32,
    /// Left-overs.
    pub free: u32,
}

impl Grant {
    /// All of them.
    pub const fn total(&self) -> u32 {
        self.cra + self.rbdc + self.volume + self.free
    }

    /// The sum of two.
    pub(super) fn plus(self, other: &Self) -> Self {
        Self {
            cra: self.cra + other.cra,
            rbdc: self.rbdc + other.rbdc,
            volume: self.volume + other.volume,
            free: self.free + other.free,
        }
    }
}

impl Mix {
    /// A constant rate and nothing else.
    pub const fn constant(cra: SlotRate) -> Self {
        Self { cra, rbdc: None, volume: None, free: false }
    }

    /// Most slots that it is ever given in a superframe, of which there are `columns` for one terminal.
    pub fn most_slots(&self, columns: u32) -> SlotRate {
        let all = SlotRate::slots(columns);
        if self.free {
            return all;
        }
        let volume = self.volume.map_or(0, |volume| volume.max_slots);
        self.most().plus(SlotRate::slots(volume)).min(all)
    }

    /// Whether each of the classes of one terminal is given something sooner or later: when it asks, or since slots
    /// that come unasked serve all classes.
    pub(super) fn serve_all(classes: &[Self]) -> bool {
        let comes_unasked = |mix: &Self| !mix.cra.is_zero() || mix.free;
        classes.iter().any(comes_unasked) || classes.iter().all(Self::asks)
    }

    /// Whether it is given what it asks for.
    pub(super) fn asks(&self) -> bool {
        self.rbdc.is_some_and(|rbdc| !rbdc.max.is_zero())
            || self.volume.is_some_and(|volume| volume.max_slots > 0)
    }

    /// Most slots that are ever due in a superframe for rates.
    pub(super) fn most(&self) -> SlotRate {
        self.rbdc.map_or(self.cra, |rbdc| self.cra.plus(rbdc.max))
    }
}
