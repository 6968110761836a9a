#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Contents of a release, as SPDX 2.3 (JSON): spdx.py VERSION FOLDER SOURCE... The folder's files
are listed with their checksums, and with others' work inside them: the source packages of Debian's
in the folders SOURCE, whose version is in the tarball's name."""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

version, folder, *sources = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]),
                                          datetime.timezone.utc)
LICENCES = {"device-tree-compiler": ("BSD-2-Clause", "2006-2012, David Gibson, IBM Corporation"),
            "lwip": ("BSD-3-Clause", "2001-2004, Swedish Institute of Computer Science"),
            "qr-code-generator": ("MIT", "Project Nayuki"),
            "zlib": ("Zlib", "1995-2022, Jean-loup Gailly and Mark Adler")}


def identity(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def source_version(source):
    tarball, = source.glob(f"{source.name}_*.orig.tar.*")
    return re.search(r"_(\d+(\.\d+)*)", tarball.name)[1]


def package(name, version, licence, copyright, location):
    return {"SPDXID": identity(name), "name": name, "versionInfo": version,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": copyright,
            "downloadLocation": location, "filesAnalyzed": False}


def listed(path):
    data = path.read_bytes()
    return {"SPDXID": identity(f"file-{path.name}"), "fileName": f"./{path.name}",
            "checksums": [{"algorithm": name.upper(),
                           "checksumValue": hashlib.new(name, data).hexdigest()}
                          for name in ("sha1", "sha256")],
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}


packages = [
    package("noisefloor", version, "BSD-2-Clause", "2026, the noisefloor authors", "NOASSERTION"),
    *(package(source.name, source_version(source), *LICENCES[source.name], "NOASSERTION")
      for source in sources),
    package("spleen", "NOASSERTION", "BSD-2-Clause", "2018-2020, Frederic Cambus", "NOASSERTION"),
]
files = [listed(path) for path in sorted(folder.iterdir())]
links = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-noisefloor")]
links += [("SPDXRef-noisefloor", "CONTAINS", one["SPDXID"]) for one in packages[1:] + files]
# A name of its own for each release: by the checksums of what is in it.
name = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:32]
document = {
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"noisefloor-{version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/noisefloor-{version}-{name}",
    "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                     "creators": ["Tool: noisefloor-spdx.py"]},
    "packages": packages, "files": files,
    "relationships": [{"spdxElementId": a, "relationshipType": how, "relatedSpdxElement": b}
                      for a, how, b in links],
}
path = folder / f"noisefloor-{version}.spdx.json"
path.write_text(json.dumps(document, indent=1) + "\n")
