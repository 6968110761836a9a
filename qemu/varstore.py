# SPDX-License-Identifier: BSD-2-Clause
"""Variables put into an EDK2 variable store from outside, as its firmware would have.

Source: EDK2, MdeModulePkg/Include/Guid/VariableFormat.h (authenticated format); UEFI 2.10,
32.4.1 (EFI_SIGNATURE_LIST).
"""
import struct
import uuid

STORE_GUID = uuid.UUID("aaf32c78-947b-439a-a180-2e144ec37792")
X509_GUID = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
GLOBAL_GUID = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
SHIM_GUID = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")
OWNER_GUID = uuid.UUID("6e6f6973-6566-4c6f-8f72-000000000001")

NON_VOLATILE, BOOT_SERVICE, RUNTIME = 1, 2, 4
VARIABLE = 0x55AA
ADDED = 0x3F
STATE_AT = 2
DELETED = 0x3D  # a cleared bit
VOLUME_HEADER_LENGTH_AT = 48
STORE_HEADER = struct.Struct("<16sIBBHI")
VARIABLE_HEADER = struct.Struct("<HBBIQ16sIII16s")


def _align(at):
    return (at + 3) & ~3


def _store(volume):
    """Where the variables begin, and where their room ends."""
    (start,) = struct.unpack_from("<H", volume, VOLUME_HEADER_LENGTH_AT)
    guid, size, *_ = STORE_HEADER.unpack_from(volume, start)
    assert guid == STORE_GUID.bytes_le, "no store of authenticated variables"
    return start + _align(STORE_HEADER.size), start + size


def _variables(volume):
    """Where each begins, and at last where the next one would."""
    at, _ = _store(volume)
    while struct.unpack_from("<H", volume, at)[0] == VARIABLE:
        yield at
        sizes = VARIABLE_HEADER.unpack_from(volume, at)[7:9]
        at = _align(at + VARIABLE_HEADER.size + sum(sizes))
    yield at


def _end_of_variables(volume):
    *_, at = _variables(volume)
    return at, _store(volume)[1]


def remove(volume, name):
    """Remove the variables of that name."""
    name = name.encode("utf-16-le") + b"\0\0"
    *found, _ = _variables(volume)
    for at in found:
        if volume[at + VARIABLE_HEADER.size :].startswith(name):
            volume[at + STATE_AT] &= DELETED


def free(volume):
    """Bytes that are left in its log."""
    at, end = _end_of_variables(volume)
    return end - at


def add(volume, name, guid, data, attributes=NON_VOLATILE | BOOT_SERVICE):
    """A variable, which boot services alone see, as shim wants its own; `volume` is the flash's
    content, as a bytearray."""
    at, end = _end_of_variables(volume)
    name = name.encode("utf-16-le") + b"\0\0"
    header = VARIABLE_HEADER.pack(
        VARIABLE, ADDED, 0, attributes, 0, bytes(16), 0,
        len(name), len(data), guid.bytes_le,
    )
    variable = header + name + data
    assert at + len(variable) <= end, "the store is full"
    volume[at : at + len(variable)] = variable


def signature_list(certificate):
    """A certificate (DER) as a list of signatures that has only it."""
    size = 16 + len(certificate)
    header = X509_GUID.bytes_le + struct.pack("<III", 28 + size, 0, size)
    return header + OWNER_GUID.bytes_le + certificate
