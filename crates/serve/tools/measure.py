#!/usr/bin/env python3
"""Measures a running server of this machine: latency and bytes of routes, and its memory over many requests.

    python3 tools/measure.py http://127.0.0.1:8064 PID [REQUESTS]

Needs only the standard library. PID is the server's process. The script reads its processor time and memory in /proc.
"""
import gzip
import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

LINES = ["", "e2e4", "d2d4", "e2e4,c7c5", "e2e4,e7e5,g1f3,b8c6,f1b5", "e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6", "b2b3,h7h5"]
ROUTES = [
    ("/masters?play=LINE", "15 top games"),
    ("/masters?play=LINE&topGames=0", "no games"),
    ("/masters?play=LINE&since=2010&until=2020", "filtered by year"),
    ("/lichess?play=LINE&ratings=2500", "filtered by rating"),
    ("/api/v1/tree?play=LINE", ""),
    ("/api/v1/tree?play=LINE&transpositions=1", "with transpositions"),
    ("/api/v1/position?play=LINE", ""),
    ("/api/v1/games?limit=100&play=LINE", "first page of games with the position"),
    ("/api/v1/games?limit=100&where=elo+%3E%3D+2600&sort=-elo", "filtered and sorted"),
    ("/api/v1/stats?where=eco+%3D+B90", ""),
    ("/explorer", ""),
]


def processor(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Returns the private resident memory in KiB, without mapped archives."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


def main(address, pid, requests=0):
    at = urlsplit(address)
    connection = http.client.HTTPConnection(at.hostname, at.port)

    def request(path, packed=False):
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"} if packed else {})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body[:200])
        return body

    # Measure each line separately. An unused parameter makes each request unique, so the cache has no answer.
    print("`/masters` of one position | p50 ms | processor ms | games")
    print("---|---|---|---")
    for line in LINES:
        request(f"/masters?play={line}")
        times, before = [], processor(pid)
        for number in range(20):
            began = time.perf_counter()
            answer = json.loads(request(f"/masters?play={line}&source={number}"))
            times.append(1000 * (time.perf_counter() - began))
        spent = 1000 * (processor(pid) - before) / len(times)
        times.sort()
        games = answer["white"] + answer["draws"] + answer["black"]
        print(f"{line or 'the starting position'} | {times[10]:.1f} | {spent:.1f} | {games}", flush=True)
    print("\nroute | p50 ms | p95 ms | worst ms | processor ms | bytes | gzip")
    print("---|---|---|---|---|---|---")
    for route, what in ROUTES:
        paths = [route.replace("LINE", line) for line in LINES] if "LINE" in route else [route]
        rounds = max(1, 140 // len(paths))
        for path in paths:
            request(path)
        times, before = [], processor(pid)
        for _ in range(rounds):
            for path in paths:
                began = time.perf_counter()
                request(path)
                times.append(1000 * (time.perf_counter() - began))
        spent = 1000 * (processor(pid) - before) / len(times)
        times.sort()
        body = request(paths[0])
        packed = request(paths[0], packed=True)
        if packed[:2] == b"\x1f\x8b":
            assert gzip.decompress(packed) == body
        name = f"`{route}` {what}".strip()
        figures = f"{times[len(times) // 2]:.1f} | {times[int(len(times) * 0.95)]:.1f} | {times[-1]:.1f} | {spent:.1f}"
        print(f"{name} | {figures} | {len(body)} | {len(packed)}", flush=True)
    if requests:
        marks = []
        for number in range(requests):
            line = LINES[number % len(LINES)]
            kind = number % 4
            if kind == 0:
                request(f"/api/v1/position?play={line}&n={number}")
            elif kind == 1:
                request(f"/api/v1/games/{1 + number * 7919 % 280_000}")
            elif kind == 2:
                where = f"plies+%3E+{number % 400}+and+elo+%3E%3D+{2000 + number % 700}"
                request(f"/api/v1/games?limit=5&where={where}" if number % 40 == 2 else "/explorer")
            else:
                completion = f"/api/v1/complete?text=car&n={number}" if number % 100 == 7 else "/assets/js/app.js"
                request("/masters?play=b2b3,h7h5" if number % 8 == 3 else completion)
            if number % (requests // 10) == 0:
                marks.append(memory(pid))
        marks.append(memory(pid))
        print(f"\nown memory over {requests} requests, KiB: {marks}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
