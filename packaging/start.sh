#!/usr/bin/env bash
# Measures the startup time of the packed command (limit: 20 ms, the median of 50 runs). If this machine allows it, runs
# a job in a root folder that contains only the program.
source "$(dirname "$0")/common.sh"
cd "$root"
archive=$release/scoresheet-$version-$(uname -m)-unknown-linux-musl.tar.gz
[ -f "$archive" ] || skip "no static archive for this processor"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
tar -xzf "$archive" -C "$room" --strip-components=1
python3 - "$room/scoresheet" <<'END'
import statistics, subprocess, sys, time
times = []
for _ in range(50):
    start = time.perf_counter()
    subprocess.run([sys.argv[1], "--version"], check=True, stdout=subprocess.DEVNULL)
    times.append((time.perf_counter() - start) * 1000)
median = statistics.median(times)
print(f"starts in {median:.1f} ms (median of {len(times)}, slowest {max(times):.1f})")
sys.exit(median > 20)
END
[ "$(id -u)" = 0 ] && command -v chroot >/dev/null || skip "only root can change the root folder"
mkdir "$room/alone"
cp "$room/scoresheet" testdata/lichess-sample.pgn.zst "$room/alone/"
chroot "$room/alone" /scoresheet import lichess-sample.pgn.zst -o sample.bga --quiet
[ "$(chroot "$room/alone" /scoresheet fen sample.bga 1:0)" = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" ]
chroot "$room/alone" /scoresheet find sample.bga --moves "e4 c5" --count
chroot "$room/alone" /scoresheet verify sample.bga | tail -1
