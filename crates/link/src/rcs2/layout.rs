use bentpipe_units::{Duration, Time};

/// How a superframe is divided, the same in each: carriers side by side, on each of them frames one after the
/// other, in each frame request slots, traffic slots and silence (EN 301 545-2, clause 7.5.1).
///
/// All lengths are in symbols, so that every instant has an exact value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Symbols per second of each carrier.
    pub symbol_rate: u64,
    /// Carriers of equal rate.
    pub carriers: u32,
    /// Frames of a superframe, one after the other.
    pub frames: u32,
    /// Request slots at the beginning of each frame, on each carrier.
    pub request_slots: u32,
    /// Traffic slots after them.
    pub traffic_slots: u32,
    /// Symbols of a burst in a request slot.
    pub request_symbols: u32,
    /// Symbols of a burst in a traffic slot.
    pub burst_symbols: u32,
    /// Guard time after each burst.
    pub guard_symbols: u32,
    /// What remains of the frame after its last slot.
    pub idle_symbols: u32,
}

/// When a burst is on the air, at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first symbol begins.
    pub start: Time,
    /// Its last symbol ends; the guard time follows.
    pub end: Time,
}

impl Layout {
    /// Traffic slots of one carrier in one superframe: as many bursts as one terminal can send in it.
    pub const fn columns(&self) -> u32 {
        self.frames * self.traffic_slots
    }

    /// Traffic slots of a superframe.
    pub const fn slots(&self) -> u32 {
        self.carriers * self.columns()
    }

    /// Request slots of a superframe.
    pub const fn request_opportunities(&self) -> u32 {
        self.carriers * self.frames * self.request_slots
    }

    /// Length of a superframe in symbols.
    pub const fn symbols(&self) -> u64 {
        self.frames as u64 * self.frame_symbols()
    }

    /// Length of a superframe in seconds.
    pub fn seconds(&self) -> f64 {
        self.symbols() as f64 / self.symbol_rate as f64
    }

    const fn frame_symbols(&self) -> u64 {
        self.requests_symbols() + self.traffic_slots as u64 * self.traffic_pitch() + self.idle_symbols as u64
    }

    const fn requests_symbols(&self) -> u64 {
        self.request_slots as u64 * self.request_pitch()
    }

    const fn request_pitch(&self) -> u64 {
        self.request_symbols as u64 + self.guard_symbols as u64
    }

    const fn traffic_pitch(&self) -> u64 {
        self.burst_symbols as u64 + self.guard_symbols as u64
    }
}

/// Superframes of a layout, numbered from zero at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Superframes {
    layout: Layout,
    zero: Time,
}

impl Superframes {
    /// Superframe 0 begins at `zero`.
    pub const fn new(layout: Layout, zero: Time) -> Self {
        Self { layout, zero }
    }

    /// When a superframe begins.
    pub fn start(&self, superframe: u64) -> Time {
        self.instant(superframe, 0)
    }

    /// The traffic slots of a column, at the same time on each carrier.
    pub fn traffic(&self, superframe: u64, column: u32) -> Span {
        let layout = &self.layout;
        let (frame, slot) = (column / layout.traffic_slots, column % layout.traffic_slots);
        let first = u64::from(frame) * layout.frame_symbols()
            + layout.requests_symbols()
            + u64::from(slot) * layout.traffic_pitch();
        self.span(superframe, first, layout.burst_symbols)
    }

    /// A request slot, counted over the carriers first, then over the slots of a frame, then over the frames.
    pub fn request(&self, superframe: u64, opportunity: u32) -> Span {
        let layout = &self.layout;
        let place = opportunity / layout.carriers;
        let (frame, slot) = (place / layout.request_slots, place % layout.request_slots);
        let first = u64::from(frame) * layout.frame_symbols() + u64::from(slot) * layout.request_pitch();
        self.span(superframe, first, layout.request_symbols)
    }

    /// The superframes that something takes which begins with one and lasts for `span`, rounded up.
    pub fn spanning(&self, span: Duration) -> u64 {
        let symbols = u128::from(span.as_nanos()) * u128::from(self.layout.symbol_rate);
        let superframe = u128::from(self.layout.symbols()) * u128::from(NANOS_PER_SEC);
        u64::try_from(symbols.div_ceil(superframe)).unwrap_or(u64::MAX)
    }

    fn span(&self, superframe: u64, first: u64, symbols: u32) -> Span {
        Span {
            start: self.instant(superframe, first),
            end: self.instant(superframe, first + u64::from(symbols)),
        }
    }

    /// t0 + ceil(symbols 10^9 / Rs) over all symbols since superframe 0: rounded once, so that nothing adds up.
    fn instant(&self, superframe: u64, symbol: u64) -> Time {
        let symbols = superframe.saturating_mul(self.layout.symbols()).saturating_add(symbol);
        let nanos = match symbols.checked_mul(NANOS_PER_SEC) {
            // Almost always: the wide division takes several times as long.
            Some(scaled) => scaled.div_ceil(self.layout.symbol_rate),
            None => {
                let scaled = u128::from(symbols) * u128::from(NANOS_PER_SEC);
                u64::try_from(scaled.div_ceil(u128::from(self.layout.symbol_rate))).unwrap_or(u64::MAX)
            }
        };
        self.zero.saturating_add(Duration::from_nanos(nanos))
    }
}

const NANOS_PER_SEC: u64 = 1_000_000_000;
