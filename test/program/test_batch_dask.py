#!/usr/bin/python3
"""`tools/snug-dask` on a cluster of two processes: workers are killed three times, and the bytes stay the same.

usage: test_batch_dask.py SNUG SNUG_DASK MAKE_GLB [JOBS]
"""
import filecmp
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

try:
    import distributed  # noqa: F401
    import psutil
except ImportError:
    # As test/support/skip.sh has it.
    sys.exit(subprocess.run(["sh", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/skip.sh"), "dask",
                             "no Dask (apt-get install python3-distributed)"]).returncode)

SHARDS = 24


def write_jobs(path, count):
    with open(path, "w") as file:
        for i in range(count):
            check = ["worm.glb", "skins.glb", "--clip", "bend", "--fps", "20", "--place", "0,0,0", "--place", f"{0.002 * i},0,0"]
            file.write(json.dumps({"id": f"job {i}", "check": check if i % 50 else ["missing.glb"]}) + "\n")


def find_workers(process):
    """Workers are those descendants that a nanny has spawned."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if "spawn_main" in " ".join(child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
        except psutil.Error:
            pass
    return found


def count_shards(folder):
    return len([name for name in os.listdir(folder) if name.endswith(".jsonl")]) if os.path.isdir(folder) else 0


def kill_workers(process, results, times):
    """One whenever some more shards are done."""
    killed = 0
    while process.poll() is None and killed < times:
        if count_shards(results) >= 3 * (killed + 1):
            workers = find_workers(process)
            if workers:
                workers[killed % len(workers)].send_signal(signal.SIGKILL)
                killed += 1
        time.sleep(0.02)
    return killed


def main():
    snug, snug_dask, make_glb = (os.path.abspath(path) for path in sys.argv[1:4])
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 600
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("worm", "skins"):
            subprocess.run([make_glb, name, f"{name}.glb"], check=True)
        write_jobs("jobs.jsonl", count)
        start = time.monotonic()
        subprocess.run([snug, "batch", "jobs.jsonl", "-o", "alone"], check=True, stdout=subprocess.DEVNULL)
        alone = time.monotonic() - start
        subprocess.run([snug, "batch", "jobs.jsonl", "--merge", "alone", "-o", "alone.jsonl"], check=True)
        start = time.monotonic()
        process = subprocess.Popen(["/usr/bin/python3", snug_dask, "jobs.jsonl", "-o", "cluster", "--shards", str(SHARDS), "--workers", "2",
                                    "--snug", snug, "--merge", "cluster.jsonl"], stderr=subprocess.PIPE, text=True)
        killed = kill_workers(process, "cluster", 3)
        _, errors = process.communicate()
        print(f"{count} jobs: {alone:.1f} s alone, {time.monotonic() - start:.1f} s on two workers, {killed} of which were killed")
        assert process.returncode == 0, errors
        assert killed == 3, f"{killed} workers were killed"
        assert f"{SHARDS} of {SHARDS} shards" in errors, errors
        assert filecmp.cmp("alone.jsonl", "cluster.jsonl", shallow=False), "the results are other bytes"
    print("3 workers killed, 0 jobs lost, 0 doubled")


main()
