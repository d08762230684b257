#!/usr/bin/env python3
"""Measures a server over minutes: `/masters` of random positions, a mixture of other requests, and its memory.

    scoresheet sample games.bga 2000 --plies 1-40 --seed 7 --distinct >positions.txt
    python3 tools/load.py PORT positions.txt [MINUTES] [SEED] -- scoresheet-serve --port PORT games.bga

Needs only the standard library. Starts the server, which must not run yet, and ends it. First requests what a visitor
sees first after a start. Then one client asks `/masters` for positions that the server has not answered before, and
again. Then four clients send requests in a random order for MINUTES (default: 10). SEED (default: 1) fixes the order of
all requests. Memory is RssAnon, which excludes mapped archives.
"""
import http.client
import json
import random
import re
import subprocess
import sys
import threading
import time
from urllib.parse import quote

FEN = re.compile(r"[pnbrqkPNBRQK1-8/]{15,} [wb] [KQkqA-Ha-h-]+ (?:[a-h][36]|-)(?: \d+ \d+)?")
CLIENTS = 4


def memory(pid):
    """Returns the private memory in MB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:")) / 1000


def row(name, times):
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))]
    return f"{name} | {len(times)} | {at(0.5):.1f} | {at(0.95):.1f} | {at(0.99):.1f} | {times[-1]:.1f}"


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, path):
        """Returns the time of a request in milliseconds. A request that fails ends the run."""
        began = time.perf_counter()
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        took = 1000 * (time.perf_counter() - began)
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:300]}")
        return took


def mixture(choice, fens, names, games):
    """Returns a random request, as visitors of the pages send them."""
    fen = quote(choice.choice(fens))
    kind = choice.randrange(10)
    if kind < 3:
        return f"/masters?fen={fen}"
    if kind == 3:
        return f"/api/v1/tree?fen={fen}&transpositions=1"
    if kind == 4:
        return f"/api/v1/position?fen={fen}"
    if kind == 5:
        return f"/api/v1/games/{choice.randrange(1, games + 1)}?fens=1"
    if kind == 6:
        return f"/api/v1/games?limit=50&fen={fen}"
    if kind == 7:
        where = f"elo >= {choice.randrange(2000, 2700)} and year >= {choice.randrange(1900, 2020)}"
        return f"/api/v1/games?limit=50&sort=-date&where={quote(where)}"
    if kind == 8:
        return f"/api/v1/player?name={quote(choice.choice(names))}"
    return choice.choice(["/explorer", "/api/v1/events", "/api/v1/stats", "/api/v1/complete?field=player&text=kas"])


def measure(port, positions, minutes, seed, pid):
    client = Client(port)
    began = time.perf_counter()
    while True:
        try:
            client.ask("/api/v1/archives")
            break
        except ConnectionRefusedError:
            client = Client(port)
            time.sleep(0.002)
    print(f"first answer {1000 * (time.perf_counter() - began):.0f} ms after the start\n")
    print("request | count | p50 ms | p95 ms | p99 ms | worst ms\n---|---|---|---|---|---")
    for path in ["/api/v1/events", "/api/v1/player?name=Carlsen", "/api/v1/stats"]:
        name = f"`{path}`"
        print(row(f"{name}, first", [client.ask(path)]))
        print(row(f"{name}, again", [client.ask(path) for _ in range(20)]), flush=True)
    with open(positions, encoding="utf-8") as file:
        fens = [found[0] for found in map(FEN.search, file) if found]
    random.Random(seed).shuffle(fens)
    distinct = fens[: len(fens) // 2]
    print(row("`/masters`, first", [client.ask(f"/masters?fen={quote(fen)}") for fen in distinct]))
    print(row("`/masters`, again", [client.ask(f"/masters?fen={quote(fen)}") for fen in distinct]), flush=True)

    names = ["Carlsen", "Kasparov", "Anand, V", "Fischer", "Tal", "Polgar", "Nakamura", "Topalov", "Karpov", "Aronian"]
    client.connection.request("GET", "/api/v1/archives")
    games = sum(archive["games"] for archive in json.loads(client.connection.getresponse().read())["archives"])
    times, faults, marks = [], [], []
    end = time.monotonic() + 60 * minutes

    def work(number):
        choice, mine = random.Random(seed * 1000 + number), Client(port)
        while time.monotonic() < end and not faults:
            path = mixture(choice, fens, names, games)
            try:
                times.append((path.split("?")[0].rstrip("0123456789"), mine.ask(path)))
            except (OSError, RuntimeError, http.client.HTTPException) as error:
                faults.append(f"{path}: {error}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        marks.append((time.monotonic() - began, memory(pid)))
        time.sleep(min(30, max(1, 60 * minutes / 20)))
    for thread in threads:
        thread.join()
    print(f"\n{CLIENTS} clients, {minutes:g} minutes, {len(times) / 60 / minutes:.0f} requests a second:\n")
    print("request | count | p50 ms | p95 ms | p99 ms | worst ms\n---|---|---|---|---|---")
    for path in sorted({path for path, _ in times}):
        print(row(f"`{path}`", [took for known, took in times if known == path]))
    print("\nseconds | " + " | ".join(f"{at:.0f}" for at, _ in marks))
    print("---" + "|---" * len(marks))
    print("MB | " + " | ".join(f"{size:.0f}" for _, size in marks))
    if faults:
        raise SystemExit(f"failed: {faults}")


def main(arguments):
    if "--" not in arguments:
        raise SystemExit(__doc__)
    at = arguments.index("--")
    port, positions, *rest = arguments[:at]
    minutes, seed = float(rest[0]) if rest else 10, int(rest[1]) if rest[1:] else 1
    server = subprocess.Popen(arguments[at + 1 :], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        measure(int(port), positions, minutes, seed, server.pid)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
