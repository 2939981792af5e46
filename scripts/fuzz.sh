#!/usr/bin/env bash
# Searches each fuzz target for input that breaks it. Argument: seconds for each target.
# What is interesting is kept in build/fuzz/TARGET, what breaks it beside, for `target/HOST/debug/TARGET FILE`.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?seconds for each target}

# What libFuzzer needs to see where a program goes: LLVM's counters on every edge, and what is compared with what.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares"
host=$(rustc -vV | sed -n 's/^host: //p')
# With a target named, the flags are not for programs that run while building.
cargo build --locked --package bentpipe-fuzz --features libfuzzer --bins --target "$host"

for source in crates/fuzz/targets/*.rs; do
    name=$(basename "$source" .rs)
    mkdir -p "build/fuzz/$name"
    echo "$name: $seconds s"
    "target/$host/debug/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "build/fuzz/$name" "crates/fuzz/seeds/$name"
done
