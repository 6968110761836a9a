# SPDX-License-Identifier: BSD-2-Clause
"""The variables in OVMF's flash, those that were deleted too: each write has left its trace.

Source: EDK II, MdeModulePkg/Include/Guid/VariableFormat.h, and the UEFI PI specification,
volume 3 (firmware volume header). A store that was full has been compacted, and forgot.
"""
import dataclasses
import struct
import uuid

REPORT_GUID = uuid.UUID("77cca71c-9cb0-422d-9cb0-be2977edbfe7")
GLOBAL_GUID = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
AUTHENTICATED_STORE = uuid.UUID("aaf32c78-947b-439a-a180-2e144ec37792")
VOLUME_SIGNATURE, VOLUME_HEADER_BYTES = 40, 48  # where they are
STORE_HEADER_BYTES = 28
HEADER = struct.Struct("<HBBIQ16sIII16s")
START = 0x55AA
MISSING = 0xFFFFFFFF
ADDED, DELETED = 0x3F, 0x01 << 1  # a cleared bit marks it


@dataclasses.dataclass(frozen=True)
class Variable:
    name: str
    guid: uuid.UUID
    attributes: int
    state: int
    data: bytes
    at: int  # in the image
    end: int  # where the next one begins

    @property
    def is_there(self):
        return self.state | 1 == ADDED  # bit 0 cleared: another one is about to take its place


class BadStore(ValueError):
    """No variable store that this knows."""


def _store(image):
    """Where it begins, and its bytes."""
    if image[VOLUME_SIGNATURE : VOLUME_SIGNATURE + 4] != b"_FVH":
        raise BadStore("no firmware volume")
    (store,) = struct.unpack_from("<H", image, VOLUME_HEADER_BYTES)
    if uuid.UUID(bytes_le=image[store : store + 16]) != AUTHENTICATED_STORE:
        raise BadStore("no store of authenticated variables")
    (size,) = struct.unpack_from("<I", image, store + 16)
    return store, size


def size(image):
    """Bytes of the store."""
    return _store(image)[1]


def variables(image):
    """All variables in the flash image, in the order in which they were written."""
    store, size = _store(image)
    at, end = store + STORE_HEADER_BYTES, store + size
    found = []
    while at + HEADER.size <= end:
        start, state, _, attributes, _, _, _, name_bytes, data_bytes, guid = HEADER.unpack_from(
            image, at
        )
        if start != START:
            break
        name = at + HEADER.size
        # A name cut off inside its head counts as one alone: EDK II, NameSizeOfVariable().
        if state == 0xFF or MISSING in (attributes, name_bytes, data_bytes):
            name_bytes = data_bytes = 0
        data = name + name_bytes
        if data + data_bytes > end:
            break
        text = image[name:data].decode("utf-16-le", errors="replace").rstrip("\0")
        value = image[data : data + data_bytes]
        behind = -(-(data + data_bytes) // 4) * 4
        owner = uuid.UUID(bytes_le=guid)
        found.append(Variable(text, owner, attributes, state, value, at, behind))
        at = behind
    return found


def ours(image):
    """The report's variables and BootNext."""
    return [
        v
        for v in variables(image)
        if v.guid == REPORT_GUID or (v.guid == GLOBAL_GUID and v.name == "BootNext")
    ]


def writes(image):
    """How often noisefloor has written to the store: what it added, and what it removed. What
    the firmware removes, BootNext, is not ours."""
    found = ours(image)
    removed = [v for v in found if v.guid == REPORT_GUID and not v.state & DELETED]
    replaced = len(removed) - len({v.name for v in removed if not _is_there(found, v.name)})
    return len(found) + len(removed) - max(replaced, 0)


def _is_there(found, name):
    return any(v.is_there for v in found if v.name == name)
