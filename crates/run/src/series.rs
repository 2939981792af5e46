use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Columns of equal length; each name ends in its unit (`time_s`, `queue_bytes`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Table(BTreeMap<String, Vec<f64>>);

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

    /// The values of one column; empty when the table has no row.
    pub fn column(&self, name: &str) -> &[f64] {
        self.0.get(name).map_or(&[], Vec::as_slice)
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
