"""What people write by mistake, by what a value on the command line should have been.

Names of files are those of the folder that `lay_out` makes.
"""

from tests.support.scenario_file import PAGE_LOADS
from tests.support.synthetic import page_load, write_folder

SCENARIO, RESULTS, BUDGETS = "good.toml", "results", "budgets.toml"
GARBAGE = bytes(range(256)) * 16

_NO_FILES = (
    "missing.toml", "folder.toml", "garbage.toml", "empty.toml", "below/missing.toml", "good.toml/below",
)  # fmt: skip
_NAMES = ("nonsense", "LAN ", "-", "\N{SNOWMAN}", "../lan", "a\x1b[31mb", "n" * 300)
_LINKS = (
    *_NO_FILES,
    *_NAMES,
    "folder",
    "garbage",
    "flat:",
    "flat:down=10,up=2,rtt=600",
    "flat:down=10Mbit/s,up=2Mbit/s,rtt=600",
    "flat:down=-10Mbit/s,up=2Mbit/s,rtt=600ms",
    "flat:down=0bit/s,up=2Mbit/s,rtt=600ms",
    "flat:down=1e99Gbit/s,up=2Mbit/s,rtt=600ms",
    "flat:down=10Mbit/s,up=2Mbit/s,rtt=-1s",
    "flat:down=10Mbit/s,up=2Mbit/s,rtt=99999h",
    "flat:down=10Mbit/s,down=2Mbit/s",
    "flat:speed=10Mbit/s",
)
_PAGES = (
    *_NAMES,
    "single-100m",
    *(f"har:{name}" for name in ("", "missing.har", "folder", "garbage", "empty.har", "good.toml")),
    *(f"dir:{name}" for name in ("", "missing", "folder", "garbage", "good.toml")),
)
_NUMBERS = ("-1", "1.5", "1e9", "99999999999999999999", "many", "nan", "0x10", "5 s", "")
_AMOUNTS = (
    "5", "1e3", "-5 s", "-5 MB", "0 s", "0 B", "1e99 s", "1e99 MB", "nan s", "inf MB", "5 parsec", "s",
    "many", "",
)  # fmt: skip
_ADDRESSES = (
    "nonsense", "tcp://", "tcp://host", "tcp://host:port", "tcp://host:99999", "tcp://127.0.0.1:0",
    "http://127.0.0.1:8786", "127.0.0.1",
)  # fmt: skip

BY_KIND = {
    "scenario": (*_NO_FILES, "garbage", "folder", "linked/missing.toml"),
    "script": (*_NO_FILES, "garbage", "folder", "good.toml", "bad.pkt"),
    "results": ("missing", "garbage", "folder", "broken", "hollow", "good.toml/below", "n" * 300),
    "folder to write to": ("garbage", "empty.toml", "good.toml/below", "linked"),
    "file to write to": ("garbage/path.csv", "good.toml/below"),
    "link": _LINKS,
    "page": (*_PAGES, SCENARIO),
    "baseline": (*_NO_FILES, *_PAGES, "broken", "hollow", "folder", RESULTS, "single-100m"),
    "thing to show": (*_LINKS, *_PAGES, "results/ffffffff", "broken/ffffffff", "hollow/ffffffff"),
    "run": ("nonsense", "-1", "zzzz", "../results"),
    "name": _NAMES,
    "setting": (
        "cc", "=", "cc=", "=bbr", "serverr=bentpipe", "cc=nonsense", "tcp.initial_window=-1",
        "tcp.initial_window=0", "tcp.initial_window=1e99", "tcp.initial_window=many", "seed=-1", "seed=many",
        "repetitions=nan", "quic.initial_rtt=333", "link.return.rate=5", "link=[", "page={}",
    ),
    "count": (*_NUMBERS, "0"),
    "number": _NUMBERS,
    "duration": _AMOUNTS,
    "size": _AMOUNTS,
    "flow": (
        "nonsense", "quic:", "quic:nonsense", "sctp:cubic", "cubic@", "cubic@10", "cubic@-5s", "cubic@1e99s",
        "cubic#", "cubic#nonsense", "@", "#", ":",
    ),
    "setting in use": (
        "h2", "h2/nonsense", "nonsense/cubic", "/", "h2/cubic,", "h2/cubic,tcp.initial_window",
        "h2/cubic,tcp.initial_window=-1", "h2/cubic,serverr=1",
    ),
    "settings to compare": (
        "http", "=", "http=", "http=nonsense", "http=h2,", "cc=nonsense", "tcp.initial_window=-1,3",
        "serverr=1,2",
    ),
    "port": (*_NUMBERS, "65536"),
    "address to listen on": ("nonsense", "", "256.1.1.1", "127.0.0.1:80", "localhost", "1.2.3"),
    "token file": ("missing.toml", "garbage", "folder", "good.toml/below", "n" * 300),
    "pair": ("nonsense", "=", "=5"),
    "option of packetdrill": ("nonsense", "=5", "mtu=many", "mtuu=1500", "ip_version=ipv5"),
    "cluster": (
        *_ADDRESSES, "local:", "local:0", "local:-1", "local:many", "local:1e9", "local:99999", *_NO_FILES,
    ),
    "scheduler": (*_ADDRESSES, "local:2", ""),
    "picture": ("link", "link.gif", "missing/link.svg", "folder.toml", "garbage/link.svg"),
}  # fmt: skip


def lay_out(folder):
    """Make the files and folders that these names are of."""
    (folder / SCENARIO).write_text(PAGE_LOADS)
    (folder / BUDGETS).write_text(
        '[[budget]]\npage = "single-100k"\nlink = "lan"\nhttp = "h2"\nmetric = "plt_s"\nregression = "3 %"\n'
    )
    (folder / "good.pkt").write_text("0 close(3) = -1 EBADF\n")
    (folder / "bad.pkt").write_text("0 close 3\n")
    for name in ("folder", "folder.toml", "broken", "hollow", RESULTS):
        (folder / name).mkdir()
    for name in ("garbage", "garbage.toml", "broken/ledger.sqlite"):
        (folder / name).write_bytes(GARBAGE)
    for name in ("empty.toml", "empty.har", "hollow/ledger.sqlite"):
        (folder / name).touch()
    (folder / "linked").symlink_to("folder")
    write_folder(
        folder / RESULTS, [page_load(http=http, repetition=n) for http in ("h2", "h3") for n in range(2)]
    )
