//! Our own format: a CSV file with a row for each instant at which something changes.

use bentpipe_link::{Direction, RowSpec, ScheduleSpec, StateSpec};
use bentpipe_units::{Duration, Rate};

use crate::RecordingError;
use crate::decimal::seconds;
use crate::lines::{Line, lines};
use crate::path::{LONGEST, LONGEST_DELAY, RecordedPath, without_repetitions};

/// The column of the instants.
pub(crate) const TIME: &str = "time_s";
/// The comment that says when the table starts again.
const PERIOD: &str = "period_s";
/// No link is faster: 10 Tbit/s.
const FASTEST: Rate = Rate::from_bps(10_000_000_000_000);

/// What a column holds of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Rate,
    Delay,
    Loss,
    State,
}

impl Quantity {
    const ALL: [Self; 4] = [Self::Rate, Self::Delay, Self::Loss, Self::State];

    const fn suffix(self) -> &'static str {
        match self {
            Self::Rate => "rate_bps",
            Self::Delay => "delay_s",
            Self::Loss => "loss",
            Self::State => "state",
        }
    }
}

/// A column: the time if none.
type Column = Option<(Direction, Quantity)>;

/// Columns by their names, in the order in which they are written.
fn columns() -> impl Iterator<Item = (String, Column)> {
    let of = |direction: Direction| {
        Quantity::ALL.map(|quantity| {
            (format!("{}_{}", direction.name(), quantity.suffix()), Some((direction, quantity)))
        })
    };
    std::iter::once((TIME.to_owned(), None)).chain(Direction::BOTH.into_iter().flat_map(of))
}

/// The schedules of the directions that have a column.
pub(crate) fn read(content: &[u8]) -> Result<RecordedPath, RecordingError> {
    let mut header: Option<Vec<Column>> = None;
    let mut period: Option<(usize, Duration)> = None;
    let mut rows: [Vec<RowSpec>; 2] = [Vec::new(), Vec::new()];
    let mut last: Option<Duration> = None;
    for line in lines(content) {
        let line = line?;
        if let Some(comment) = line.text.strip_prefix('#') {
            period = period_in(comment, &line)?.map(|period| (line.number, period)).or(period);
            continue;
        }
        let Some(header) = &header else {
            header = Some(header_in(&line)?);
            continue;
        };
        let both = rows_in(header, &line)?;
        let at = both[0].at_ns;
        match last {
            None if at != Duration::ZERO => return Err(line.refused(format!("0 as the first {TIME}"))),
            Some(last) if at <= last => {
                return Err(line.refused(format!("a {TIME} above {}, that of the row before", seconds(last))));
            }
            _ => last = Some(at),
        }
        rows.iter_mut().zip(both).for_each(|(rows, row)| rows.push(row));
    }
    let header = header.ok_or_else(|| RecordingError::new("a header line", "none"))?;
    let last = last.ok_or_else(|| RecordingError::new("a row below the header", "none"))?;
    if let Some((line, period)) = period.filter(|(_, period)| *period <= last) {
        let expected = format!("a {PERIOD} above {}, that of the last row", seconds(last));
        return Err(RecordingError::at(line, expected, seconds(period)));
    }
    let period = period.map(|(_, period)| period);
    let [forward, return_] = rows;
    let table = |direction: Direction, rows: Vec<RowSpec>| {
        let is_told = header.iter().flatten().any(|(of, _)| *of == direction);
        let rows = without_repetitions(rows);
        is_told.then_some(ScheduleSpec::Table { rows, period_ns: period, offset_ns: Duration::ZERO })
    };
    Ok(RecordedPath {
        duration: period.unwrap_or(last),
        forward: table(Direction::Forward, forward),
        return_: table(Direction::Return, return_),
    })
}

/// Writes rows of directions, of which each starts at zero.
pub(crate) fn write(directions: &[(Direction, Vec<RowSpec>)], period: Option<Duration>) -> Vec<u8> {
    let mut text = period.map_or_else(String::new, |period| format!("# {PERIOD} = {}\n", seconds(period)));
    let told = |column: &Column| column.is_none_or(|(of, _)| directions.iter().any(|(told, _)| *told == of));
    let names: Vec<String> = columns().filter(|(_, column)| told(column)).map(|(name, _)| name).collect();
    text.push_str(&names.join(","));
    text.push('\n');
    let mut instants: Vec<Duration> =
        directions.iter().flat_map(|(_, rows)| rows.iter().map(|row| row.at_ns)).collect();
    instants.sort_unstable();
    instants.dedup();
    let mut places = vec![0; directions.len()];
    for at in instants {
        text.push_str(&seconds(at));
        for ((_, rows), place) in directions.iter().zip(&mut places) {
            *place += usize::from(rows.get(*place + 1).is_some_and(|next| next.at_ns <= at));
            let RowSpec { rate_bps, delay_ns, loss, state, .. } = rows[*place];
            let rate = rate_bps.map_or_else(String::new, |rate| rate.as_bps().to_string());
            let delay = delay_ns.map_or_else(String::new, seconds);
            text.push_str(&format!(",{rate},{delay},{loss},{}", state_name(state)));
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// The period that a comment may tell.
fn period_in(comment: &str, line: &Line<'_>) -> Result<Option<Duration>, RecordingError> {
    let period = comment.split_once('=').filter(|(key, _)| key.trim() == PERIOD);
    period.map(|(_, value)| duration(value.trim(), LONGEST, PERIOD, line)).transpose()
}

fn header_in(line: &Line<'_>) -> Result<Vec<Column>, RecordingError> {
    let mut header: Vec<Column> = Vec::new();
    for cell in line.cells() {
        let known = columns().find(|(name, _)| name == cell).map(|(_, column)| column);
        let names = || columns().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
        let column = known.ok_or_else(|| line.refused_part(format!("a column of {}", names()), cell))?;
        if header.contains(&column) {
            return Err(line.refused_part("each column once", cell));
        }
        header.push(column);
    }
    match (header.contains(&None), header.len() > 1) {
        (true, true) => Ok(header),
        (false, _) => Err(line.refused(format!("a column {TIME}"))),
        (true, false) => Err(line.refused(format!("a column beside {TIME}"))),
    }
}

/// The row of the forward and of the return direction.
fn rows_in(header: &[Column], line: &Line<'_>) -> Result<[RowSpec; 2], RecordingError> {
    let found = line.cells().count();
    if found != header.len() {
        let expected = format!("{} cells, as in the header", header.len());
        return Err(RecordingError::at(line.number, expected, found.to_string()));
    }
    let empty =
        RowSpec { at_ns: Duration::ZERO, rate_bps: None, delay_ns: None, loss: 0.0, state: StateSpec::Open };
    let mut rows = [empty, empty];
    for (column, cell) in header.iter().zip(line.cells()) {
        match column {
            None => {
                let at_ns = duration(cell, LONGEST, TIME, line)?;
                rows.iter_mut().for_each(|row| row.at_ns = at_ns);
            }
            Some(_) if cell.is_empty() => {}
            Some((Direction::Forward, quantity)) => set(&mut rows[0], *quantity, cell, line)?,
            Some((Direction::Return, quantity)) => set(&mut rows[1], *quantity, cell, line)?,
        }
    }
    Ok(rows)
}

fn set(row: &mut RowSpec, quantity: Quantity, cell: &str, line: &Line<'_>) -> Result<(), RecordingError> {
    match quantity {
        Quantity::Rate => {
            let rate = format!("{cell} bit/s").parse::<Rate>().ok().filter(|rate| *rate <= FASTEST);
            let expected = || format!("a rate in whole bit/s, at most {FASTEST}");
            row.rate_bps = Some(rate.ok_or_else(|| line.refused_part(expected(), cell))?);
        }
        Quantity::Delay => row.delay_ns = Some(duration(cell, LONGEST_DELAY, "delay", line)?),
        Quantity::Loss => {
            let loss = cell.parse::<f64>().ok().filter(|loss| (0.0..=1.0).contains(loss));
            row.loss = loss.ok_or_else(|| line.refused_part("a loss from 0 to 1", cell))?;
        }
        Quantity::State => {
            let known = [StateSpec::Open, StateSpec::Silence, StateSpec::Outage];
            let state = known.into_iter().find(|state| state_name(*state) == cell);
            row.state = state.ok_or_else(|| line.refused_part("open, silence or outage", cell))?;
        }
    }
    Ok(())
}

fn duration(cell: &str, most: Duration, name: &str, line: &Line<'_>) -> Result<Duration, RecordingError> {
    let duration = format!("{cell} s").parse::<Duration>().ok().filter(|duration| *duration <= most);
    let expected = || format!("{name} in seconds, at most {} and in whole nanoseconds", seconds(most));
    duration.ok_or_else(|| line.refused_part(expected(), cell))
}

const fn state_name(state: StateSpec) -> &'static str {
    match state {
        StateSpec::Open => "open",
        StateSpec::Silence => "silence",
        StateSpec::Outage => "outage",
    }
}
