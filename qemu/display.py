# SPDX-License-Identifier: BSD-2-Clause
"""The display adapter of a running machine."""
import re

# Its first region of memory in the monitor's list of PCI devices.
ADAPTER = re.compile(
    r"VGA controller.*?BAR0: 32 bit prefetchable memory at 0x([0-9a-f]+) \[0x([0-9a-f]+)\]", re.S
)


def framebuffer(guest):
    """The addresses of its memory."""
    first, last = ADAPTER.search(guest.qmp.hmp("info pci")).groups()
    return range(int(first, 16), int(last, 16) + 1)
