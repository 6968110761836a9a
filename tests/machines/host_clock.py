# SPDX-License-Identifier: BSD-2-Clause
"""The rate of this machine's TSC, which is that of QEMU's guests: TCG hands it through."""
import ctypes
import functools
import mmap
import time

RDTSC = bytes.fromhex("0f31 48c1e220 4809d0 c3")  # rdtsc; shl $32, %rdx; or %rdx, %rax; ret
SECONDS = 0.5
BRACKETS = 100


@functools.cache
def _reader():
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(RDTSC)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_uint64)(address), page


def _pair():
    """(ns, ticks) at one moment: the tightest of many brackets."""
    read, _ = _reader()
    readings = []
    for _ in range(BRACKETS):
        before, ticks, after = time.monotonic_ns(), read(), time.monotonic_ns()
        readings.append((after - before, (before + after) // 2, ticks))
    return min(readings)[1:]


@functools.cache
def hz():
    first_ns, first = _pair()
    time.sleep(SECONDS)
    last_ns, last = _pair()
    return (last - first) * 10**9 / (last_ns - first_ns)
