"""docs/guide/quic-server.md: a QUIC server of one's own at the other end of the link."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guide/quic-server.md").read_text()
[SCRIPT] = re.findall(r"^cat > hello\.sh <<'END'\n(.*?)^END$", GUIDE, re.MULTILINE | re.DOTALL)
[CERTIFICATE] = re.findall(r"^openssl .+$", GUIDE, re.MULTILINE)
[LINK] = re.findall(r"^bentpipe shell --root --link (flat:\S+) -- sh hello\.sh$", GUIDE, re.MULTILINE)
RTT_S = 0.6


def test_the_server_of_the_guide_answers_over_the_link(bentpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs/examples/quic_hello.py", tmp_path)
    subprocess.run(CERTIFICATE.split(), check=True, capture_output=True)
    Path("hello.sh").write_text(SCRIPT.replace("python ", f"{sys.executable} "))
    status, out, errors = bentpipe("shell", "--root", "--link", LINK, "--", "sh", "hello.sh")
    assert status == 0, errors
    handshake_s, size, answer_s = map(
        float, re.match(r"handshake ([\d.]+) s, (\d+) bytes after ([\d.]+) s", out).groups()
    )
    assert size == 100_000
    # QUIC's handshake is one round trip, the request another, and 100 kB take more than one in slow start.
    assert RTT_S <= handshake_s < 1.5 * RTT_S
    assert answer_s > handshake_s + 2 * RTT_S
