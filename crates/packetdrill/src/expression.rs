//! Arguments of system calls: numbers, names, lists and records.

use std::collections::BTreeMap;
use std::fmt;

use crate::symbols;

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `...`: whatever fits.
    Any,
    /// A number.
    Number(i64),
    /// A constant of the system by its name.
    Symbol(String),
    /// Text between quotes.
    Text(String),
    /// `a|b`.
    Or(Vec<Expression>),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `{a, b}`, `{name=a, name=b}`.
    Record(Vec<Expression>),
    /// `name=value`, `name(...)=value`.
    Field(String, Box<Expression>),
    /// `name(a, b)`, such as `htons(8080)`.
    Applied(String, Vec<Expression>),
}

/// Constants that the caller defines beside the system's, by their names.
pub type Definitions = BTreeMap<String, Expression>;

/// Definitions that name each other at most.
const LONGEST_CHAIN: u32 = 16;

impl Expression {
    /// The number that it stands for: a number, a constant, several joined by `|`, or a list of one of them.
    pub fn number(&self, defined: &Definitions) -> Option<i64> {
        self.number_by(defined, LONGEST_CHAIN)
    }

    /// The same by no longer a chain of definitions: one that comes back to itself stands for nothing.
    fn number_by(&self, defined: &Definitions, chain: u32) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Symbol(name) => match defined.get(name) {
                Some(expression) => expression.number_by(defined, chain.checked_sub(1)?),
                None => symbols::value(name),
            },
            Self::Or(parts) => {
                parts.iter().try_fold(0, |all, part| Some(all | part.number_by(defined, chain)?))
            }
            Self::List(items) if items.len() == 1 => items[0].number_by(defined, chain),
            // Numbers in the order of the network mean what they say.
            Self::Applied(name, arguments) if name == "htons" || name == "htonl" => {
                arguments.first()?.number_by(defined, chain)
            }
            _ => None,
        }
    }

    /// The value of a field of a record.
    pub fn field(&self, wanted: &str) -> Option<&Self> {
        let Self::Record(fields) = self else { return None };
        fields.iter().find_map(|field| match field {
            Self::Field(name, value) if name == wanted => Some(&**value),
            _ => None,
        })
    }

    /// The first name that stands for nothing known.
    pub fn unknown_name(&self, defined: &Definitions) -> Option<&str> {
        match self {
            Self::Symbol(name) => {
                (self.number(defined).is_none() && symbols::value(name).is_none()).then_some(name)
            }
            Self::Or(parts) | Self::List(parts) | Self::Record(parts) | Self::Applied(_, parts) => {
                parts.iter().find_map(|part| part.unknown_name(defined))
            }
            Self::Field(_, value) => value.unknown_name(defined),
            Self::Any | Self::Number(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined =
            |parts: &[Self], by: &str| parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(by);
        match self {
            Self::Any => f.write_str("..."),
            Self::Number(number) => write!(f, "{number}"),
            Self::Symbol(name) => f.write_str(name),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Or(parts) => f.write_str(&joined(parts, "|")),
            Self::List(parts) => write!(f, "[{}]", joined(parts, ", ")),
            Self::Record(parts) => write!(f, "{{{}}}", joined(parts, ", ")),
            Self::Field(name, value) => write!(f, "{name}={value}"),
            Self::Applied(name, parts) => write!(f, "{name}({})", joined(parts, ", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_may_name_another_and_not_itself() {
        let symbol = |name: &str| Expression::Symbol(name.to_owned());
        let defined: Definitions = [("A", symbol("B")), ("B", symbol("SOL_TCP")), ("C", symbol("C"))]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        assert_eq!(symbol("A").number(&defined), Some(6));
        assert_eq!(symbol("C").number(&defined), None);
    }
}
