"""One of two hosts, run in its namespace or shell: echoes and floods on demand, or measures both.

    traffic.py serve
    traffic.py measure ADDRESS PINGS INTERVAL_S SECONDS

The one that measures opens the conversation, for a shell may translate addresses. It prints one line of JSON.
Stands alone: a shell of mahimahi runs it as another user.
"""

import json
import socket
import sys
import time
from pathlib import Path

PORT = 40_009
PAYLOAD_BYTES = 1472
"""UDP in a packet of 1500 bytes."""
PACKET_BYTES = 1500
STARTED_S = 1.5
"""After which a flood has arrived and is what it stays: above the RTT."""


def serve() -> None:
    """Echo what comes; send as fast as possible for so many seconds to whoever asks for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host:
        host.bind(("", PORT))
        print("ready", flush=True)
        while True:
            asked, peer = host.recvfrom(2048)
            word, _, argument = asked.partition(b" ")
            if word != b"flood":
                host.sendto(asked, peer)
                continue
            payload, send, clock = bytes(PAYLOAD_BYTES), host.sendto, time.monotonic
            until = clock() + float(argument)
            while clock() < until:
                for _ in range(64):
                    send(payload, peer)


def measure(address: str, *, pings: int, interval_s: float, seconds: float) -> dict[str, object]:
    """Ask for echoes, one at a time, then for a flood.

    Returns
    -------
    dict
        `rtts_s`, and `received_bps` of IP packets, counted where they enter this host: nobody reads them.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host:
        host.settimeout(5.0)
        rtts_s = []
        for number in range(pings):
            started_s = time.monotonic()
            host.sendto(b"ping %d" % number, (address, PORT))
            host.recv(2048)
            rtts_s.append(time.monotonic() - started_s)
            time.sleep(max(0.0, interval_s - rtts_s[-1]))
        host.sendto(b"flood %f" % (seconds + STARTED_S + 1.0), (address, PORT))
        time.sleep(STARTED_S)
        began_s, before = time.monotonic(), _received_packets()
        time.sleep(seconds)
        ended_s, after = time.monotonic(), _received_packets()
        received_bps = (after - before) * PACKET_BYTES * 8 / (ended_s - began_s)
        return {"rtts_s": rtts_s, "received_bps": received_bps}


def _received_packets() -> int:
    """Those of this network namespace's devices so far, without the loopback's (proc(5))."""
    lines = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    devices = [line.partition(":") for line in lines]
    return sum(int(counts.split()[1]) for name, _, counts in devices if name.strip() != "lo")


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        _, _, to, count, pause_s, span_s = sys.argv
        found = measure(to, pings=int(count), interval_s=float(pause_s), seconds=float(span_s))
        print(json.dumps(found), flush=True)
