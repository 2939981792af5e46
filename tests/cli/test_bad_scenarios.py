"""Every bad scenario ends with status 2 and an error that names file, field, expected and found."""

import pytest

pytestmark = pytest.mark.usefixtures("engine")

GOOD = """
[run]
link = "lan"
http = "h3"
page = "single-100k"
"""

# What is written; the field; a part of what is expected; a part of what is found.
FILES = {
    "a rate with a wrong unit": (
        GOOD.replace('"lan"', '{ base = "lan", forward = { rate = "10 MBps" } }'),
        "run.link.forward.rate",
        'such as "10 Mbit/s"',
        '"10 MBps"',
    ),
    "a quantity without a unit": (
        GOOD + "[run.quic]\ninitial_rtt = 333",
        "run.quic.initial_rtt",
        'a duration such as "250 ms"',
        "333",
    ),
    "an integer that Python does not write": (
        GOOD + f"connections = 0x{'f' * 5000}",
        "run.connections",
        "a whole number from 1 to 1000",
        "an integer of more than 80 digits",
    ),
    "a negative rate": (
        GOOD.replace('"lan"', '{ base = "lan", return = { rate = "-10 Mbit/s" } }'),
        "run.link.return.rate",
        "a rate above zero",
        '"-10 Mbit/s"',
    ),
    "a rate of zero": (
        GOOD.replace('"lan"', '{ base = "lan", return = { rate = "0 bit/s" } }'),
        "run.link.return.rate",
        "a rate above zero",
        '"0 bit/s"',
    ),
    "a negative round trip": (
        GOOD.replace('"lan"', '{ base = "lan", rtt = "-5 ms" }'),
        "run.link.rtt",
        "a duration from 0 ns to 24 h",
        '"-5 ms"',
    ),
    "an infinite round trip": (
        GOOD.replace('"lan"', '{ base = "lan", rtt = "inf s" }'),
        "run.link.rtt",
        "a duration",
        '"inf s"',
    ),
    "a loss of nan": (
        GOOD.replace('"lan"', '{ base = "lan", forward = { loss = nan } }'),
        "run.link.forward.loss.p",
        "a fraction from 0 to 1",
        "nan",
    ),
    "an infinite loss": (
        GOOD.replace('"lan"', '{ base = "lan", forward = { loss = inf } }'),
        "run.link.forward.loss.p",
        "a fraction from 0 to 1",
        "inf",
    ),
    "a loss above one": (
        GOOD.replace('"lan"', '{ base = "lan", forward = { loss = "101 %" } }'),
        "run.link.forward.loss.p",
        "a fraction from 0 to 1",
        '"101 %"',
    ),
    "a loss model of mixed keys": (
        GOOD.replace('"lan"', '{ base = "lan", forward = { loss = { p = 0.1, ber = 1e-7 } } }'),
        "run.link.forward.loss",
        "p, r, h and k",
        "p, ber",
    ),
    "a queue that is none": (
        GOOD.replace('"lan"', '{ base = "lan", forward = { queue = "many" } }'),
        "run.link.forward.queue",
        '"1 BDP"',
        '"many"',
    ),
    "a link without a rate": (
        GOOD.replace('"lan"', '{ rtt = "500 ms" }'),
        "run.link.forward.rate",
        "a rate",
        "nothing",
    ),
    "an unknown key": (GOOD + "conections = 6", "run.conections", "one of", "(did you mean 'connections'?)"),
    "an unknown table": ("[runn]\nlink = 'lan'", "runn", "one of", "(did you mean 'run'?)"),
    "a missing page": (
        GOOD.replace("single-100k", "single-100m"),
        "run.page",
        "one of single-100k",
        '"single-100m"',
    ),
    "a page from a file with sizes": (
        GOOD.replace('"single-100k"', '{ name = "har:x.har", objects = ["1 kB"] }'),
        "run.page.objects",
        "nothing, as the page is from har:x.har",
        "a list",
    ),
    "a folder that is not there": (
        GOOD.replace("single-100k", "dir:www"),
        "run.page",
        "a folder",
        "No such file or directory",
    ),
    "a page without http": (GOOD.replace('http = "h3"', ""), "run.http", "one of http10, http10s", "nothing"),
    "an unknown http version": (
        GOOD.replace("h3", "spdy3"),
        "run.http",
        "one of http10, http10s, h1, h1s, h2, h2c, h3, spdy",
        "did you mean 'spdy'?",
    ),
    "what varies outside the matrix": (
        GOOD.replace('"h3"', '["h2", "h3"]'),
        "run.http",
        "an HTTP version",
        "a list: what varies stands in [matrix]",
    ),
    "no workload": ('[run]\nlink = "lan"', "run", "one workload: page, bulk or ping", "none of them"),
    "two workloads": (GOOD + "ping = {}", "run", "one workload", "page and ping"),
    "bulk with an http version": (
        GOOD.replace('page = "single-100k"', 'bulk = { size = "1 MB" }'),
        "run.http",
        "nothing, as bulk does not use it",
        '"h3"',
    ),
    "bulk without an end": (
        '[run]\nlink = "lan"\nbulk = {}',
        "run.bulk",
        "either size or duration",
        "neither",
    ),
    "bulk with two ends": (
        '[run]\nlink = "lan"\nbulk = { size = "1 MB", duration = "1 s" }',
        "run.bulk",
        "either size or duration",
        "both",
    ),
    "a ping too small": (
        '[run]\nlink = "lan"\nping = { size = "8 B" }',
        "run.ping.size",
        "from 20 B to 1.472 kB",
        '"8 B"',
    ),
    "an unknown congestion control": (
        GOOD + 'cc = "bbr2"',
        "run.cc",
        "one of reno, cubic, bbr, bbr3, hybla, vivace, prague",
        '"bbr2"',
    ),
    "a server that has not the congestion control": (
        GOOD + 'server = "caddy"',
        "run.cc",
        '"reno", as the QUIC of caddy',
        '"cubic"',
    ),
    "a proxy that h3 cannot use": (
        GOOD + 'pep = "proxy"',
        "run.pep",
        "one of none, split, tunnel, masque, quic-split, as h3 runs over UDP",
        '"proxy"',
    ),
    "a proxy of no kind": (GOOD + '[run.pep]\ncc = "bbr"', "run.pep.kind", "one of none, split", "nothing"),
    "early data of TLS 1.2": (
        GOOD.replace("h3", "h2") + 'tls = { version = "1.2", resumption = "early-data" }',
        "run.tls.resumption",
        '"none" or "ticket", as TLS 1.2 has no early data',
        '"early-data"',
    ),
    "tickets without TLS": (
        GOOD.replace("h3", "h1") + 'tls.resumption = "ticket"',
        "run.tls.resumption",
        "nothing, as h1 has no TLS",
        '"ticket"',
    ),
    "a pipeline that is multiplexed": (
        GOOD + "pipelining = 8",
        "run.pipelining",
        "nothing, as h3 multiplexes",
        "8",
    ),
    "push by a protocol without": (
        GOOD + '[matrix]\npush = ["0 %", "50 %"]',
        "matrix.push",
        "nothing, as h3 has no server push",
        '"50 %"',
    ),
    "an mtu that the return link does not take": (
        GOOD.replace('"lan"', '{ base = "geo-hylas2", mtu = "9000 B" }'),
        "run.link.mtu",
        "at most 4093 B",
        "9000 B",
    ),
    "capacity on demand at a constant rate": (
        GOOD.replace('"lan"', '{ base = "lan", return = { dama = "rbdc" } }'),
        "run.link.return.dama",
        '"none", as there is no rcs2',
        '"rbdc"',
    ),
    "an unknown capacity scheme": (
        GOOD.replace('"lan"', '{ base = "geo-snep", return = { dama = "rbcd" } }'),
        "run.link.return.dama",
        "one of cra, rbdc, vbdc, avbdc, mixed",
        "did you mean 'rbdc'?",
    ),
    "a rate for a carrier": (
        GOOD.replace('"lan"', '{ base = "geo-snep", forward = { rate = "9 Mbit/s" } }'),
        "run.link.forward.rate",
        "presets that end in -flat",
        '"9 Mbit/s"',
    ),
    "a mix without a unit": (
        GOOD.replace('"lan"', '{ base = "geo-snep", return = { mixes = { cra = { cra = "3" } } } }'),
        "run.link.return.mixes.cra.cra",
        '"18 slots"',
        '"3"',
    ),
    "a fade that is none": (
        GOOD.replace('"lan"', '{ base = "geo-snep", forward = { attenuation = { down = "deep" } } }'),
        "run.link.forward.attenuation.down.depth",
        "from 0 dB to 100 dB",
        '"deep"',
    ),
    "a modcod of no standard": (
        GOOD.replace('"lan"', '{ base = "geo-snep", forward = { dvbs2 = { modcod = "QPSK 7/8" } } }'),
        "run.link.forward.dvbs2.modcod",
        "one of QPSK 1/4",
        '"QPSK 7/8"',
    ),
    "a mark that is no code point": (GOOD + 'dscp = "VOICE"', "run.dscp", "one of DF, CS0", '"VOICE"'),
    "a mark of seven bits": (GOOD + "dscp = 64", "run.dscp", "a number from 0 to 63", "64"),
    "no link": (GOOD.replace('link = "lan"', ""), "run.link", "a preset's name", "nothing"),
    "an unknown preset": (
        GOOD.replace("lan", "geo-alshagry"),
        "run.link",
        "a preset",
        "did you mean 'geo-alshagri'?",
    ),
    "a missing link file": (
        GOOD.replace('"lan"', '"none.toml"'),
        "the whole file",
        "a readable TOML file",
        "No such",
    ),
    "an inline pipe with an unknown key": (
        GOOD.replace('"lan"', '"flat:down=1Mbit/s,up=1Mbit/s,rrt=1ms"'),
        "run.link",
        "one of down, up, rtt",
        "did you mean 'rtt'?",
    ),
    "an inline pipe with a bad value": (
        GOOD.replace('"lan"', '"flat:down=1Mbit/s,up=1Mbit/s,rtt=fast"'),
        "run.link.rtt",
        "a duration",
        '"fast"',
    ),
    "an inline pipe without a rate": (
        GOOD.replace('"lan"', '"flat:down=1Mbit/s,rtt=1ms"'),
        "run.link",
        "the keys down, up, rtt",
        'no "up"',
    ),
    "an inline pipe with a key twice": (
        GOOD.replace('"lan"', '"flat:down=1Mbit/s,down=2Mbit/s,up=1Mbit/s,rtt=1ms"'),
        "run.link.down",
        "each key once",
        '"down" twice',
    ),
    "text for a number": (GOOD + 'connections = "six"', "run.connections", "a whole number", '"six"'),
    "a number for text": (GOOD.replace('"h3"', "3"), "run.http", "an HTTP version", "3"),
    "text for true or false": (
        GOOD + 'capture = { qlog = "yes" }',
        "run.capture.qlog",
        "true or false",
        '"yes"',
    ),
    "a list for a table": (GOOD + "tcp = []", "run.tcp", "a table", "an empty list"),
    "no connection": (GOOD + "connections = 0", "run.connections", "from 1 to 1000", "0"),
    "a round trip below what QUIC's timers tell apart": (
        GOOD + 'quic = { initial_rtt = "1 us" }',
        "run.quic.initial_rtt",
        "from 1 ms",
        '"1 us"',
    ),
    "an initial window of QUIC that holds no two packets": (
        GOOD + 'quic = { initial_window = "1472 B" }',
        "run.quic.initial_window",
        "from 2.944 kB to",
        '"1472 B"',
    ),
    "an initial window of nothing": (
        GOOD + "tcp = { initial_window = 0 }",
        "run.tcp.initial_window",
        "from 1 to 10000",
        "0",
    ),
    "a packet larger than the link takes": (
        GOOD + 'quic = { udp_payload = "1473 B" }',
        "run.quic.udp_payload",
        "from 1.2 kB to 1.472 kB",
        '"1473 B"',
    ),
    "an empty page": (
        GOOD.replace('"single-100k"', '{ name = "mine", objects = [] }'),
        "run.page.objects",
        "at least one size",
        "an empty list",
    ),
    "a page without a name": (
        GOOD.replace('"single-100k"', '{ objects = ["1 kB"] }'),
        "run.page.name",
        "a name",
        "nothing",
    ),
    "different pages of one name": (
        GOOD + '[matrix]\npage = [{ name = "x", objects = ["1 kB"] }, { name = "x", objects = ["2 kB"] }]',
        "matrix",
        "names that differ",
        "two cells called lan h3 cubic x",
    ),
    "a congestion control of no letters": (GOOD + 'cc = ""', "run.cc", "one of reno, cubic, bbr", '""'),
    "a name of no letters": ('name = ""' + GOOD, "name", "letters, digits", '""'),
    "zero repetitions": ("repetitions = 0" + GOOD, "repetitions", "a whole number from 1", "0"),
    "a negative seed": ("seed = -1" + GOOD, "seed", "a whole number from 0", "-1"),
    "a name that is no folder's": ('name = "../x"' + GOOD, "name", "letters, digits", '"../x"'),
    "an empty matrix": (GOOD + "[matrix]", "matrix", "a table of lists", "an empty table"),
    "a matrix without tables": ("matrix = []" + GOOD, "matrix", "a table of lists", "an empty list"),
    "a matrix that is text": ('matrix = "h3"' + GOOD, "matrix", "a table of lists", '"h3"'),
    "a value for a list": (GOOD + '[matrix]\nhttp = "h3"', "matrix.http", "a list of values", '"h3"'),
    "an empty list": (GOOD + "[matrix]\nhttp = []", "matrix.http", "at least one value", "an empty list"),
    "a value twice": (
        GOOD + '[matrix]\nhttp = ["h1", "h3", "h1"]',
        "matrix.http",
        "each value once",
        '"h1" twice',
    ),
    "a bad value in the matrix": (
        GOOD + '[matrix]\nhttp = ["h1", "h4"]',
        "matrix.http",
        "one of http10, http10s, h1, h1s",
        '"h4"',
    ),
    "a bad value in the second table": (
        GOOD + '[[matrix]]\nhttp = ["h1"]\n[[matrix]]\ncc = ["tahoe"]',
        "matrix.cc",
        "one of reno, cubic, bbr",
        '"tahoe"',
    ),
    "an unknown key in the matrix": (
        GOOD + '[matrix]\n"tcp.initial_windov" = [3]',
        "matrix.tcp.initial_windov",
        "initial_window",
        "did you mean 'initial_window'?",
    ),
    "a key below a value": (
        GOOD + '[matrix]\n"http.version" = [3]',
        "matrix.http.version",
        "http to be a table",
        '"h3"',
    ),
    "a huge matrix": (
        "repetitions = 10000"
        + GOOD
        + "[matrix]\n"
        + f"connections = {list(range(1, 51))}\ntcp.initial_window = {list(range(1, 51))}",
        "matrix",
        "at most 10000000 runs",
        "25000000 runs",
    ),
    "a matrix of too many cells": (
        GOOD + f"[matrix]\nconnections = {list(range(1, 401))}\ntcp.initial_window = {list(range(1, 401))}",
        "matrix",
        "at most 100000 cells",
        "160000 cells",
    ),
    "TOML that is none": (GOOD + "http = = 3", "the whole file", "TOML", "line 6"),
    "a key twice": (GOOD + 'http = "h1"\n', "the whole file", "TOML", "line 6"),
    "an empty file": ("", "run.link", "a preset's name", "nothing"),
}


def assert_reports(result, *, file, field, expected, found):
    assert result.stdout == ""
    message = result.stderr
    assert message.startswith(f"error: {file}: {field}: expected "), message
    told_expected, separator, told_found = message.partition(", found ")
    assert separator, message
    assert expected in told_expected
    assert found in told_found


@pytest.mark.parametrize("case", FILES)
def test_a_scenario_is_refused_with(case, bentpipe, tmp_path, engine):
    content, field, expected, found = FILES[case]
    path = tmp_path / "scenario.toml"
    path.write_text(content)
    file = tmp_path / "none.toml" if case == "a missing link file" else path
    result = bentpipe("run", path, "--out", tmp_path / "results", expect=2)
    assert_reports(result, file=file, field=field, expected=expected, found=found)
    assert engine.calls == []
    assert not (tmp_path / "results").exists()


def unreadable(path):
    path.symlink_to(path)
    return "Too many levels of symbolic links"


def folder(path):
    path.mkdir()
    return "Is a directory"


def missing(path):
    del path
    return "No such file or directory"


def not_utf8(path):
    path.write_bytes(b'name = "x"\ntitle = "\xe9t\xe9"')
    return "the byte 0xe9 in line 2"


def nested(path):
    path.write_text("a = " + "[" * 10_000)
    return "nested too deeply"


def enormous(path):
    path.write_bytes(b"#" * 10_000_001)
    return "a larger file"


@pytest.mark.parametrize("prepare", [unreadable, folder, missing, not_utf8, nested, enormous])
def test_a_file_is_refused_that_is(prepare, bentpipe, tmp_path, engine):
    path = tmp_path / "scenario.toml"
    found = prepare(path)
    result = bentpipe("run", path, expect=2)
    assert_reports(result, file=path, field="the whole file", expected="", found=found)
    assert engine.calls == []


# The option's value; the field; a part of what is expected; a part of what is found.
OVERRIDES = {
    "no value": ("cc", "--set", "KEY=VALUE", '"cc"'),
    "an unknown key": ("congestion=bbr", "--set congestion", "a key that starts with", '"congestion"'),
    "a slip in a key": ("serverr=bentpipe", "--set serverr", "a key", "did you mean 'server'?"),
    "an unknown key below a known one": (
        "tcp.window=3",
        "--set tcp.window",
        "initial_window",
        'the unknown key "window"',
    ),
    "a bad value": ("cc=tahoe", "--set cc", "one of reno, cubic, bbr", '"tahoe"'),
    "a value of another type": (
        "tcp.initial_window=many",
        "--set tcp.initial_window",
        "a whole number",
        '"many"',
    ),
    "a slow start that the congestion control has not": (
        'slow_start="hystart++"',
        "--set slow_start",
        '"linux", as bbr',
        '"hystart++"',
    ),
    "an unknown client": ("client=chrome", "--set client", "loader, chromium", "did you mean 'chromium'?"),
    "a bad rate of the link": (
        "link.return.rate=fast",
        "--set link.return.rate",
        "a rate above zero",
        '"fast"',
    ),
    "a rate for a carrier": (
        'link={ base = "geo-snep", forward = { rate = "9 Mbit/s" } }',
        "--set link.forward.rate",
        "presets that end in -flat",
        '"9 Mbit/s"',
    ),
    "an attenuation without a unit": (
        'link={ base = "geo-snep", forward = { attenuation = { down = "3" } } }',
        "--set link.forward.attenuation.down.depth",
        "from 0 dB",
        '"3"',
    ),
    "a key below a value": ("http.version=3", "--set http.version", "http to be a table", '"h3"'),
}


@pytest.mark.parametrize("case", OVERRIDES)
def test_an_override_is_refused_with(case, bentpipe, tmp_path, engine):
    setting, field, expected, found = OVERRIDES[case]
    path = tmp_path / "scenario.toml"
    path.write_text(GOOD + 'cc = "bbr"\n')
    result = bentpipe("run", path, "--set", setting, expect=2)
    assert_reports(result, file="command line", field=field, expected=expected, found=found)
    assert engine.calls == []


def test_repetitions_are_checked_however_they_are_given(bentpipe, tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(GOOD)
    result = bentpipe("run", path, "--set", "repetitions=0", expect=2)
    assert_reports(result, file="command line", field="--set repetitions", expected="from 1", found="0")
