import json
import sys

from bentpipe.engine import provenance


def test_a_command_with_a_name_that_is_no_utf_8_is_recorded_as_text(monkeypatch):
    # So Python hands on what is no UTF-8 (PEP 383); serde_json refuses it, as RFC 8259 section 8.1 asks for.
    monkeypatch.setattr(sys, "argv", ["/usr/bin/bentpipe", "run", "study-\udcff.toml"])
    provenance._constant.cache_clear()
    try:
        facts = provenance.of_this_host()
    finally:
        provenance._constant.cache_clear()
    assert facts["command"] == r"bentpipe run study-\udcff.toml"
    json.dumps(facts, ensure_ascii=False).encode()
