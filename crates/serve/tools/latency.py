#!/usr/bin/env python3
"""Measures a running server: `/masters` of uncached positions, and pages while scans run.

    scoresheet sample big.bga 400 --plies 1-40 --seed 7 --distinct >positions.txt
    python3 tools/latency.py http://127.0.0.1:8064 PID positions.txt [SCANS]

Needs only the standard library. PID is the server's process. The kernel counts the processor time of its threads, which
other programs on a busy machine hardly affect. SCANS (default: 50) searches replay games at once, and meanwhile the
script requests `/explorer`.
"""
import glob
import http.client
import json
import re
import sys
import threading
import time
from urllib.parse import quote, urlsplit

FEN = re.compile(r"[pnbrqkPNBRQK1-8/]{15,} [wb] [KQkqA-Ha-h-]+ (?:[a-h][36]|-)(?: \d+ \d+)?")


def processor(pid):
    """Returns the processor time of all threads in milliseconds."""
    spent = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as file:
            spent += int(file.read().split()[0])
    return spent / 1e6


def line(name, times):
    """Returns a row of a table of times in milliseconds."""
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))]
    return f"{name} | {len(times)} | {at(0.5):.1f} | {at(0.95):.1f} | {at(0.99):.1f} | {times[-1]:.1f}"


def main(address, pid, positions, scans=50):
    at = urlsplit(address)
    connect = lambda: http.client.HTTPConnection(at.hostname, at.port, timeout=120)
    connection = connect()

    def request(path):
        began = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body[:200])
        return 1000 * (time.perf_counter() - began)

    with open(positions, encoding="utf-8") as file:
        fens = [found[0] for found in map(FEN.search, file) if found]
    print("request | count | p50 ms | p95 ms | p99 ms | worst ms")
    print("---|---|---|---|---|---")
    request("/explorer")
    paths = [f"/masters?fen={quote(fen)}" for fen in fens]
    times, spent = [], []
    for path in paths:
        before = processor(pid)
        times.append(request(path))
        spent.append(processor(pid) - before)
    print(line("`/masters`, first time", times))
    print(line("its processor time", spent), flush=True)
    print(line("`/masters`, again", map(request, paths)), flush=True)

    if not scans:
        return
    states, done = [], threading.Event()

    def scan(number):
        client = connect()
        # Material without an index and with varying plies, so the cache has no answer.
        body = json.dumps({"material": "KRPkr", "where": f"plies > {number}", "listed": 1})
        try:
            client.request("POST", "/api/v1/find", body, {"Content-Type": "application/json"})
            answer = client.getresponse()
            answer.read()
            states.append(answer.status)
        except OSError as error:
            states.append(type(error).__name__)

    threads = [threading.Thread(target=scan, args=(number,)) for number in range(scans)]
    pages = []

    def visit():
        while not done.is_set():
            pages.append(request("/explorer"))
            time.sleep(0.02)

    visitor = threading.Thread(target=visit)
    began = time.perf_counter()
    [thread.start() for thread in threads]
    visitor.start()
    [thread.join() for thread in threads]
    took = time.perf_counter() - began
    done.set()
    visitor.join()
    print(line(f"`/explorer` during {scans} scans", pages))
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    print(f"\nscans: {counts} in {took:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 50)
