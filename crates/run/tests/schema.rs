//! The JSON schemas say of every number what it counts.

use std::collections::BTreeMap;

use bentpipe_run::schema;
use serde_json::Value;

/// Endings that are units.
const UNITS: [&str; 13] = [
    "_s",
    "_ns",
    "_bps",
    "_bytes",
    "_percent",
    "_fraction",
    "_db",
    "_symbols",
    "_slots",
    "_superframes",
    "_m",
    "_deg",
    "_hz",
];

/// Numbers without a unit, each with what it is.
const COUNTS: [(&str, &str); 70] = [
    ("marked_packets", "packets"),
    ("dropped_packets", "packets"),
    ("coupling", "the factor k of RFC 9332"),
    ("classic_share", "a fraction of the link's time, for classic packets beside L4S"),
    ("seed", "an identity"),
    ("completeness", "a fraction of what the last picture shows"),
    ("initial_receive_window", "segments, as the initial window"),
    ("initial_window", "segments; the name is the sysctl's and the command line's"),
    ("dscp", "a code point"),
    ("max_concurrent_streams", "streams; HTTP/2's own name"),
    ("connections", "connections"),
    ("requests_per_connection", "requests"),
    ("pipelining", "requests"),
    ("optimistic_pipelining", "requests"),
    ("connect_retries", "connections"),
    ("count", "requests"),
    ("bytes", "bytes"),
    ("limit_packets", "packets"),
    ("p", "a probability"),
    ("r", "a probability"),
    ("h", "a probability"),
    ("k", "a probability"),
    ("ber", "a probability"),
    ("weight", "a share"),
    ("after", "an index"),
    ("connection", "an index"),
    ("status", "HTTP's code"),
    ("client_port", "an identity"),
    ("flow", "an index"),
    ("share", "a fraction"),
    ("jain_index", "a ratio of squares"),
    ("retransmitted_packets", "packets"),
    ("connections_used", "connections"),
    ("streams_max", "streams"),
    ("wire_bytes_down", "bytes; the command line's name"),
    ("wire_bytes_up", "bytes; the command line's name"),
    ("wire_packets_down", "packets"),
    ("wire_packets_up", "packets"),
    ("queue_mean_bytes_down", "bytes"),
    ("queue_max_bytes_down", "bytes"),
    ("utilisation", "a fraction"),
    ("ack_utilisation", "a fraction"),
    ("ack_eliciting_threshold", "packets; the standard's"),
    ("reordering_threshold", "packets; the standard's"),
    ("queue", "packets, of drops by cause"),
    ("db", "decibels"),
    ("id", "an identity; the standard's"),
    ("carriers", "carriers"),
    ("frames", "frames"),
    ("slots", "timeslots; of a rate"),
    ("superframes", "superframes; of a rate"),
    ("period", "superframes; of requests"),
    ("packets", "packets; of MPEG, and those that were lost"),
    ("attempt", "a number, of a run's attempts"),
    ("line", "a number, of source"),
    ("flows", "flows"),
    ("loaded_objects", "objects"),
    ("most_connections", "connections"),
    ("resources", "resources"),
    ("page_resources", "resources"),
    ("expected_status", "an HTTP status code"),
    ("found_status", "an HTTP status code"),
    ("loss", "a probability"),
    ("between_cv", "a ratio of standard deviation to mean"),
    ("within_cv", "a ratio of standard deviation to mean"),
    ("within_correlation", "a correlation"),
    ("planes", "planes of a shell"),
    ("satellites_per_plane", "satellites"),
    ("phasing", "Walker's F, a count"),
    ("stretch", "a ratio of lengths"),
];
/// Causes of drops besides the queue; their object counts packets.
const CAUSES: [&str; 2] = ["channel", "oversize"];

/// The schema behind references, and whether any of its alternatives is a number.
fn is_number(schema: &Value, root: &Value) -> bool {
    if let Some(reference) = schema["$ref"].as_str() {
        return is_number(root.pointer(reference.trim_start_matches('#')).unwrap(), root);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let alternatives = schema["anyOf"].as_array().into_iter().flatten();
    types.iter().any(|name| ["integer", "number"].contains(name))
        || alternatives.into_iter().any(|alternative| is_number(alternative, root))
}

/// Every numeric property of the schema by name.
fn numbers(schema: &Value, root: &Value, found: &mut BTreeMap<String, String>, at: &str) {
    match schema {
        Value::Object(fields) => {
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                for (name, property) in properties {
                    if is_number(property, root) {
                        found.insert(name.clone(), format!("{at}/{name}"));
                    }
                }
            }
            fields.iter().for_each(|(name, field)| numbers(field, root, found, &format!("{at}/{name}")));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| numbers(item, root, found, &format!("{at}/{i}")));
        }
        _ => {}
    }
}

fn numbers_of(schema: &schemars::Schema) -> BTreeMap<String, String> {
    let root = schema.as_value();
    let mut found = BTreeMap::new();
    numbers(root, root, &mut found, "");
    found
}

#[test]
fn every_number_has_its_unit_in_its_name_or_is_a_known_count() {
    for (name, place) in numbers_of(&schema::run_spec()).into_iter().chain(numbers_of(&schema::run_record()))
    {
        let has_unit = UNITS.iter().any(|unit| name.ends_with(unit));
        let is_count = COUNTS.iter().any(|(count, _)| *count == name) || CAUSES.contains(&&*name);
        assert!(has_unit || is_count, "{place}: a number without a unit in its name");
    }
}

#[test]
fn every_known_count_exists() {
    let all: BTreeMap<_, _> =
        numbers_of(&schema::run_spec()).into_iter().chain(numbers_of(&schema::run_record())).collect();
    for (name, what) in COUNTS {
        assert!(all.contains_key(name), "{name} ({what}) is no number of the seam any more");
    }
}

#[test]
fn durations_and_sizes_are_found_behind_their_types() {
    // A check of the walk itself: `delay_ns` is a reference to Duration, `plt_s` an optional number.
    assert!(numbers_of(&schema::run_spec()).contains_key("delay_ns"));
    assert!(numbers_of(&schema::run_record()).contains_key("plt_s"));
}

#[test]
fn the_schema_of_a_spec_requires_what_the_reader_requires() {
    let sample: Value = serde_json::from_str(include_str!("data/spec.json")).unwrap();
    let schema = schema::run_spec();
    let required: Vec<&str> =
        schema.as_value()["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let fields: Vec<&String> = sample.as_object().unwrap().keys().collect();
    assert_eq!(required.len(), fields.len());
    assert!(fields.iter().all(|name| required.contains(&name.as_str())), "{required:?}");
    assert_eq!(schema.as_value()["additionalProperties"], false);
}
