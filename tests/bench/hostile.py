#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A collector that wants keys, among a fleet of nodes and a flood of hostile datagrams.

The flood comes from as many senders as there are processors: rubbish, datagrams of true runs with a
bit changed, cut, without a key, signed with another one, signed with a node's own key for another
node's run, and sent again. The fleet sends meanwhile, and what the flood crowds out it sends again.
Afterwards every file is compared with what its node sent, and no other may be there. Exit status:
0, 1 if a line was lost or taken, 2 where there is nothing to judge.
"""
import argparse
import multiprocessing
import os
import pathlib
import random
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "system"))

import fleet  # noqa: E402
import node  # noqa: E402

KINDS = 400  # of each way, signed beforehand: SipHash in Python takes its time
END_SECONDS = 60
STRANGER = bytes(16)
FLEET = bytes.fromhex(fleet.KEY)


def uuid_of(n):
    return f"{n:08x}-6666-7777-8888-999999999999"


def hostile(seed):
    """Datagrams to begin with. None is of a node that the fleet has."""
    dice = random.Random(seed)
    made = []
    for n in range(KINDS):
        sid, uuid, other = dice.getrandbits(64), uuid_of(n), uuid_of(n + 1)
        lines = node.run_lines(sid, uuid, 1)
        own = node.own_key(FLEET, uuid)
        made += [
            dice.randbytes(dice.randrange(1400)),
            b"nfd2" + dice.randbytes(dice.randrange(1400)),
            node.datagram(sid, 0, 0, lines, uuid=uuid),
            node.datagram(sid, 0, 0, lines, key=STRANGER, uuid=uuid),
            node.datagram(sid, 0, 0, node.run_lines(sid, other, 1), key=own, uuid=other),
            node.datagram(sid, 0, 0, lines, key=node.own_key(STRANGER, uuid), uuid=uuid),
        ]
    return made


def flood(port, count, seed):
    dice = random.Random(seed)
    made = hostile(seed)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("127.0.0.1", port))
        for n in range(count):
            data = made[n % len(made)]
            if n % 3 and data:
                data = bytearray(data)
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
                data = data[: dice.randrange(len(data))] if n % 7 == 0 else data
            try:
                sock.send(data)
            except OSError:
                time.sleep(0.001)


def bench(args):
    folder = fleet.empty(args.out)
    (folder / "key").touch(0o600)
    (folder / "key").write_text(fleet.KEY)
    size = ["--nodes", args.nodes, "--gaps", args.gaps]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [args.collector, "--listen", "127.0.0.1:0", "--dir", folder / "runs", "--quiet",
             "--key", folder / "key"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
    port = fleet.port_in(folder / "log")
    each = args.datagrams // os.cpu_count()
    floods = [multiprocessing.Process(target=flood, args=(port, each, args.seed + n))
              for n in range(os.cpu_count())]
    started = time.monotonic()
    for one in floods:
        one.start()
    sent, code = fleet.answer_of([args.nodes_program, "send", "--port", port, *size, "--key",
                                  fleet.KEY, "--own-keys"])
    for one in floods:
        one.join()
    seconds = time.monotonic() - started
    memory = fleet.resident(process)
    process.terminate()
    process.wait(END_SECONDS)
    checked, wrong = fleet.answer_of([args.nodes_program, "check", "--dir", folder / "runs", *size])
    files = len(list((folder / "runs").glob("????????????????.jsonl")))
    print(f"{each * os.cpu_count()} hostile datagrams, seed {args.seed}; {sent['delivered']} of "
          f"{sent['nodes']} nodes delivered {sent['lines']} lines, {sent['again']} datagrams sent "
          f"again; files: {files}, wrong: {checked['wrong']}; {seconds:.0f} s, {memory:.0f} MB")
    return (process.returncode == 0 and not code and not wrong and files == sent["nodes"]
            and all(one.exitcode == 0 for one in floods))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collector", type=pathlib.Path)
    parser.add_argument("nodes_program", type=pathlib.Path)
    parser.add_argument("--datagrams", type=int, default=1000000)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--gaps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    try:
        return 0 if bench(args) else 1
    except (fleet.BenchError, OSError, subprocess.TimeoutExpired) as error:
        print(f"bench-hostile: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
