"""Checks JSON documents against schemas by the package jsonschema.

python validate.py SCHEMA... reads lines of JSON, each a `document` and the `schema` that it is to follow (a
`$ref`), and prints a line of JSON for each: the list of its faults.
"""

import json
import sys
from pathlib import Path

import jsonschema
import referencing
import referencing.jsonschema


def registry(*files: str) -> "referencing.Registry[object]":
    """Return the schemas by their `$id`, or by the name of the file of one that has none."""
    found: referencing.Registry[object] = referencing.Registry()
    for file in files:
        schema = json.loads(Path(file).read_text())
        name = schema.get("$id", Path(file).name).removesuffix("#")
        resource = referencing.Resource.from_contents(
            schema, default_specification=referencing.jsonschema.DRAFT202012
        )
        found = found.with_resource(name, resource)
    return found


def main(*files: str) -> None:
    """Judge all documents of standard input."""
    schemas = registry(*files)
    for line in sys.stdin:
        asked = json.loads(line)
        validator = jsonschema.Draft202012Validator({"$ref": asked["schema"]}, registry=schemas)
        faults = [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(asked["document"])]
        print(json.dumps(faults), flush=True)


main(*sys.argv[1:])
