//! Series: columns of equal length, one row for each interval.

use std::collections::BTreeMap;

use bentpipe_units::Duration;

/// Time between two rows of a series, and the length of its bins.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// Columns of equal length; each name ends in its unit (`time_s`, `queue_bytes`).
///
/// A value that does not exist, such as the round trip of a lost echo, is NaN here and null in JSON.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Table(
    #[cfg_attr(feature = "serde", serde(deserialize_with = "columns"))]
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<String, Vec<Option<f64>>>"))]
    BTreeMap<String, Vec<f64>>,
);

impl Table {
    /// Appends one row.
    ///
    /// # Panics
    /// When the row's columns are not those of the rows before it.
    pub fn push<const N: usize>(&mut self, row: [(&str, f64); N]) {
        assert!(self.0.is_empty() || self.0.len() == N, "a row with other columns");
        for (name, value) in row {
            match self.0.get_mut(name) {
                Some(column) => column.push(value),
                None => {
                    self.0.insert(name.to_owned(), vec![value]);
                }
            }
        }
        let mut lengths = self.0.values().map(Vec::len);
        let first = lengths.next();
        assert!(lengths.all(|n| Some(n) == first), "a row with other columns");
    }

    /// Appends the rows of a table with the same columns.
    pub fn append(&mut self, other: Self) {
        for (name, mut values) in other.0 {
            self.0.entry(name).or_default().append(&mut values);
        }
    }

    /// Adds a constant to one column, as when the origin of time moves.
    pub fn shift(&mut self, column: &str, offset: f64) {
        for value in self.0.get_mut(column).into_iter().flatten() {
            *value += offset;
        }
    }

    /// Keeps the rows whose numbers satisfy `is_kept`.
    pub fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        for column in self.0.values_mut() {
            let mut rows = 0..column.len();
            column.retain(|_| rows.next().is_some_and(&is_kept));
        }
    }

    /// Adds a column of one value.
    ///
    /// # Panics
    /// When the table has that column already.
    pub fn add_constant(&mut self, column: &str, value: f64) {
        let former = self.0.insert(column.to_owned(), vec![value; self.len()]);
        assert!(former.is_none(), "{column} is there already");
    }

    /// The values of one column; empty when the table has no row.
    pub fn column(&self, name: &str) -> &[f64] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The columns by their names.
    pub fn into_columns(self) -> BTreeMap<String, Vec<f64>> {
        self.0
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.values().next().map_or(0, Vec::len)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FromIterator<(String, Vec<f64>)> for Table {
    /// A table of these columns.
    ///
    /// # Panics
    /// When they are not of equal length.
    fn from_iter<I: IntoIterator<Item = (String, Vec<f64>)>>(columns: I) -> Self {
        let columns: BTreeMap<_, _> = columns.into_iter().collect();
        let mut lengths = columns.values().map(Vec::len);
        let first = lengths.next();
        assert!(lengths.all(|n| Some(n) == first), "columns of different lengths");
        Self(columns)
    }
}

#[cfg(feature = "serde")]
fn columns<'de, D: serde::Deserializer<'de>>(input: D) -> Result<BTreeMap<String, Vec<f64>>, D::Error> {
    let columns = <BTreeMap<String, Vec<Option<f64>>> as serde::Deserialize>::deserialize(input)?;
    let values =
        |column: Vec<Option<f64>>| column.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
    Ok(columns.into_iter().map(|(name, column)| (name, values(column))).collect())
}
