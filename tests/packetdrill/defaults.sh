#!/bin/sh
# What the scripts beside this count on, where a machine has other settings.
ip tcp_metrics flush all > /dev/null 2>&1
sysctl -q net.ipv4.tcp_congestion_control=cubic
sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456"
sysctl -q net.ipv4.tcp_wmem="4096 16384 4194304"
sysctl -q net.ipv4.tcp_timestamps=1
sysctl -q net.ipv4.tcp_slow_start_after_idle=1
sysctl -q net.ipv4.tcp_ecn=0
true
