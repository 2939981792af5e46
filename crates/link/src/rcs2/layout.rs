//! How a superframe is divided, the same in each: carriers side by side, on each of them frames one after the other, in
//! each frame request slots, traffic slots and silence (EN 301 545-2, clause 7.5.1). All lengths are in symbols, so that
//! every instant has an exact value.

use bentpipe_units::{Duration, Time};

use super::SymbolRate;
use crate::SpecError;
use crate::dvbs2::NANOS_PER_SEC;
use crate::error::require;

/// So that no product of counts overflows; the standard's superframes are at most 750 ms long.
const LONGEST_SUPERFRAME: Duration = Duration::from_secs(60);
/// What a silence of a day costs to catch up with stays below a minute.
const SHORTEST_SUPERFRAME: Duration = Duration::from_millis(1);
pub(super) const MOST_SLOTS: u64 = 1_000_000;

/// How a superframe is divided; lengths in symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LayoutSpec {
    /// Symbols per second of each carrier.
    pub symbols_per_s: u64,
    /// Carriers side by side.
    pub carriers: u32,
    /// Frames of a superframe, one after the other.
    pub frames: u32,
    /// Request slots at the beginning of each frame, on each carrier.
    pub request_slots: u32,
    /// Traffic slots after them.
    pub traffic_slots: u32,
    /// Length of a burst in a request slot.
    pub request_symbols: u32,
    /// Length of a burst in a traffic slot.
    pub burst_symbols: u32,
    /// Guard time after each burst.
    pub guard_symbols: u32,
    /// What remains of a frame after its last slot.
    pub idle_symbols: u32,
}

/// When a burst is on the air, at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first symbol starts.
    pub start: Time,
    /// Its last symbol ends; the guard time follows.
    pub end: Time,
}

impl LayoutSpec {
    /// Symbols per second of each carrier.
    ///
    /// # Panics
    /// When the layout does not pass its check.
    pub const fn symbol_rate(&self) -> SymbolRate {
        SymbolRate::new(self.symbols_per_s).expect("a layout has a symbol rate")
    }

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
        self.symbols() as f64 / self.symbols_per_s as f64
    }

    /// Length of a superframe, rounded up.
    pub fn duration(&self) -> Duration {
        self.symbol_rate().time_for(self.symbols())
    }

    /// # Errors
    /// When its counts are zero or too large, or its superframes too short or too long. Fields are those of the spec
    /// that it is part of.
    pub(crate) fn check(&self) -> Result<(), SpecError> {
        let counts = [
            ("layout.carriers", self.carriers),
            ("layout.frames", self.frames),
            ("layout.traffic_slots", self.traffic_slots),
            ("layout.burst_symbols", self.burst_symbols),
        ];
        for (field, count) in counts {
            require(count > 0, field, "at least 1", count)?;
        }
        if SymbolRate::new(self.symbols_per_s).is_none() {
            return Err(SpecError::new("layout.symbols_per_s", "1 to 10000000000", self.symbols_per_s));
        }
        let per_frame = u128::from(self.traffic_slots) + u128::from(self.request_slots);
        let slots = u128::from(self.carriers) * u128::from(self.frames) * per_frame;
        require(slots <= u128::from(MOST_SLOTS), "layout", "at most a million slots per superframe", slots)?;
        let span = SHORTEST_SUPERFRAME..=LONGEST_SUPERFRAME;
        let duration = self.duration();
        require(span.contains(&duration), "layout", "superframes of 1 ms to 60 s", duration)
    }

    /// Length of a frame in symbols.
    pub const fn frame_symbols(&self) -> u64 {
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
    layout: LayoutSpec,
    symbol_rate: SymbolRate,
    start: Time,
    /// How long before the start superframe 0 started.
    phase: Duration,
}

impl Superframes {
    /// Superframe 0 starts at `start`.
    pub const fn new(layout: LayoutSpec, start: Time) -> Self {
        Self::under_way(layout, start, Duration::ZERO)
    }

    /// Superframe 0 started `phase` before `start`; instants before the start are given as the start.
    pub const fn under_way(layout: LayoutSpec, start: Time, phase: Duration) -> Self {
        Self { layout, symbol_rate: layout.symbol_rate(), start, phase }
    }

    /// When a superframe starts.
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

    /// The superframes that something takes which starts with one and lasts for `span`, rounded up.
    pub fn spanning(&self, span: Duration) -> u64 {
        let symbols = u128::from(span.as_nanos()) * u128::from(self.symbol_rate.get());
        let superframe = u128::from(self.layout.symbols()) * u128::from(NANOS_PER_SEC);
        u64::try_from(symbols.div_ceil(superframe)).unwrap_or(u64::MAX)
    }

    fn span(&self, superframe: u64, first: u64, symbols: u32) -> Span {
        Span {
            start: self.instant(superframe, first),
            end: self.instant(superframe, first + u64::from(symbols)),
        }
    }

    /// t0 - phase + ceil(symbols 10^9 / Rs) over all symbols since superframe 0: rounded once, so that nothing adds
    /// up.
    fn instant(&self, superframe: u64, symbol: u64) -> Time {
        let symbols = superframe.saturating_mul(self.layout.symbols()).saturating_add(symbol);
        let since = self.symbol_rate.time_for(symbols);
        self.start.saturating_add(since.saturating_sub(self.phase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Superframes of so many bursts of so many symbols, nothing else.
    fn check(symbols_per_s: u64, traffic_slots: u32, burst_symbols: u32) -> Result<(), String> {
        let layout = LayoutSpec {
            symbols_per_s,
            carriers: 1,
            frames: 1,
            request_slots: 0,
            traffic_slots,
            request_symbols: 0,
            burst_symbols,
            guard_symbols: 0,
            idle_symbols: 0,
        };
        layout.check().map_err(|error| error.to_string())
    }

    #[test]
    fn superframes_last_for_a_millisecond_to_a_minute() {
        let expected = "layout: expected superframes of 1 ms to 60 s, found ";
        for (kilo_symbols, is_one) in [(60_000, true), (60_001, false)] {
            assert_eq!(check(1_000, 1, kilo_symbols).is_ok(), is_one, "{kilo_symbols} ms");
        }
        for (symbols, is_one) in [(1_000, true), (999, false)] {
            assert_eq!(check(1_000_000, 1, symbols).is_ok(), is_one, "{symbols} us");
        }
        assert!(check(1_000, 1, 60_001).unwrap_err().starts_with(expected));
        assert!(check(1_000_000, 1, 999).unwrap_err().starts_with(expected));
    }

    #[test]
    fn a_superframe_has_a_million_slots_at_most() {
        assert_eq!(check(1_000_000, 1_000_000, 1), Ok(()));
        let told = "layout: expected at most a million slots per superframe, found 1000001";
        assert_eq!(check(1_000_000, 1_000_001, 1), Err(told.to_owned()));
    }
}
