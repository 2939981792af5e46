"""Runs TCP CUBIC flows in ns-3: one JSON object per line in, one per line out.

Needs the ns3 wheel, which brings cppyy. The first line out tells the version. Imports take some ten seconds,
because cppyy reads ns-3's headers. The callbacks are C++, so that no Python runs within the event loop.
"""

import importlib.metadata
import json
import sys
import time
from typing import Any

import cppyy
from ns import ns

cppyy.cppdef(r"""
#include <cstdint>
#include <ctime>
#include "ns3/drop-tail-queue.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-net-device.h"

namespace observer
{
uint64_t wantedBytes;
uint64_t receivedBytes;
uint64_t drops;
int64_t completedNs;
std::clock_t deadline;

void OnReceive(ns3::Ptr<const ns3::Packet> packet, const ns3::Address&)
{
    receivedBytes += packet->GetSize();
    if (receivedBytes >= wantedBytes && completedNs < 0)
    {
        completedNs = ns3::Simulator::Now().GetNanoSeconds();
        ns3::Simulator::Stop();
    }
}

void OnDrop(ns3::Ptr<const ns3::Packet>)
{
    ++drops;
}

void Watchdog()
{
    if (std::clock() > deadline)
    {
        ns3::Simulator::Stop();
        return;
    }
    ns3::Simulator::Schedule(ns3::MilliSeconds(10), &Watchdog);
}

void Attach(ns3::Ptr<ns3::PacketSink> sink,
            ns3::Ptr<ns3::PointToPointNetDevice> sender,
            uint64_t bytes,
            double limitS)
{
    wantedBytes = bytes;
    receivedBytes = 0;
    drops = 0;
    completedNs = -1;
    deadline = std::clock() + std::clock_t(limitS * CLOCKS_PER_SEC);
    sink->TraceConnectWithoutContext("Rx", ns3::MakeCallback(&OnReceive));
    sender->GetQueue()->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&OnDrop));
    Watchdog();
}
}
""")

PORT = 5001


def main() -> None:
    """Answer each flow on standard input."""
    # The bindings compile a wrapper at the first call; the measured one shall not be the first.
    ns.Simulator.Run()
    ns.Simulator.Destroy()
    say({"version": importlib.metadata.version("ns3")})
    for line in sys.stdin:
        say(run(json.loads(line)))


def run(flow: dict[str, Any]) -> dict[str, Any]:
    """Simulate one flow; the keys are those of `cases.ns3_flow`.

    Returns
    -------
    dict
        `cpu_s` and `events` of the event loop alone, `completion_s` (virtual; null when the limit came
        first), `virtual_s` reached, `received_bytes`, `drops` in the sender's queue.
    """
    set_defaults(flow)
    build(flow)
    started_s = time.process_time()
    ns.Simulator.Run()
    cpu_s = time.process_time() - started_s
    observer = cppyy.gbl.observer
    result = {
        "cpu_s": cpu_s,
        "events": int(ns.Simulator.GetEventCount()),
        "virtual_s": ns.Simulator.Now().GetNanoSeconds() / 1e9,
        "completion_s": None if observer.completedNs < 0 else observer.completedNs / 1e9,
        "received_bytes": int(observer.receivedBytes),
        "drops": int(observer.drops),
    }
    ns.Simulator.Destroy()
    return result


def set_defaults(flow: dict[str, Any]) -> None:
    """Configure TCP like Linux's, which Bentpipe's endpoint stands in for, as far as ns-3 has attributes."""
    attributes = {
        "ns3::TcpL4Protocol::SocketType": ns.StringValue("ns3::TcpCubic"),
        "ns3::TcpCubic::HyStartDelayMax": ns.StringValue(f"{flow['hystart_delay_max_ms']}ms"),
        "ns3::TcpSocket::SegmentSize": ns.UintegerValue(flow["segment_bytes"]),
        "ns3::TcpSocket::InitialCwnd": ns.UintegerValue(flow["initial_window"]),
        "ns3::TcpSocket::SndBufSize": ns.UintegerValue(flow["buffer_bytes"]),
        "ns3::TcpSocket::RcvBufSize": ns.UintegerValue(flow["buffer_bytes"]),
        "ns3::TcpSocket::DelAckTimeout": ns.StringValue("40ms"),
        "ns3::TcpSocketBase::Sack": ns.BooleanValue(True),
        "ns3::TcpSocketBase::Timestamp": ns.BooleanValue(True),
        "ns3::TcpSocketBase::WindowScaling": ns.BooleanValue(True),
    }
    for name, value in attributes.items():
        ns.Config.SetDefault(name, value)


def build(flow: dict[str, Any]) -> None:
    """Make two hosts, the link between them, and the flow from the first to the second at time zero."""
    nodes = ns.NodeContainer()
    nodes.Create(2)
    link = ns.PointToPointHelper()
    link.SetDeviceAttribute("DataRate", ns.StringValue(f"{flow['rate_bps']}bps"))
    link.SetChannelAttribute("Delay", ns.StringValue(f"{flow['rtt_ns'] // 2}ns"))
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue(f"{flow['queue_bytes']}B"))
    # The device's queue shall be the only one. With flow control a full queue stops the layer above, which
    # drops in its place, and addresses bring an FqCoDel along.
    link.DisableFlowControl()
    devices = link.Install(nodes)
    ns.InternetStackHelper().Install(nodes)
    network = ns.Ipv4AddressHelper(ns.Ipv4Address("198.18.0.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = network.Assign(devices)
    target = ns.InetSocketAddress(interfaces.GetAddress(1), PORT).ConvertTo()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", target).Install(nodes.Get(1)).Get(0)
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", target)
    source.SetAttribute("MaxBytes", ns.UintegerValue(flow["bytes"]))
    # Writes of whole segments: ns-3 need not split or join buffers.
    source.SetAttribute("SendSize", ns.UintegerValue(flow["segment_bytes"]))
    source.Install(nodes.Get(0))
    sender = devices.Get(0).GetObject[ns.PointToPointNetDevice]()
    cppyy.gbl.observer.Attach(sink.GetObject[ns.PacketSink](), sender, flow["bytes"], flow["limit_s"])


def say(answer: dict[str, Any]) -> None:
    """Write one line."""
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
