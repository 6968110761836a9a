# SPDX-License-Identifier: BSD-2-Clause
"""Hosts of a fleet, side by side: 10.20.0.0/16 and the networks of 2001:db8:1::/48, every other one
of each, in a network namespace that the benchmark makes for itself. fleet_nodes.c has the same.
"""
import os
import socket
import subprocess
import sys

INSIDE = "NOISEFLOOR_BENCH_NAMESPACE"
COLLECTOR = {socket.AF_INET: "10.20.255.254", socket.AF_INET6: "2001:db8:1:ffff::1"}
IPV6_FREEBIND = 78  # ipv6(7)


def enter():
    """Start this program again in the namespace; from then on its addresses are there."""
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        os.execvp("unshare", ["unshare", *user, "--net", sys.executable, *sys.argv])
    for command in ("link set lo up", "route add local 10.20.0.0/16 dev lo",
                    "-6 route add local 2001:db8:1::/48 dev lo",
                    # The collector answers from it.
                    f"-6 address add {COLLECTOR[socket.AF_INET6]}/128 dev lo"):
        subprocess.run(["ip", *command.split()], check=True)


def address(number):
    """(family, address) of a host."""
    if number % 2:
        return socket.AF_INET6, f"2001:db8:1:{number // 2 % 65535:x}::1"
    host = number // 2 % 65534
    return socket.AF_INET, f"10.20.{host >> 8}.{host & 255}"


def connected(number, port):
    """A datagram socket of that host, to the collector's port."""
    family, host = address(number)
    sock = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
    sock.bind((host, 0))
    sock.connect((COLLECTOR[family], port))
    return sock
