"""What runs at the two ends: our client and origin, browsers, web servers, iperf3 and a shell."""
