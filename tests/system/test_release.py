# SPDX-License-Identifier: BSD-2-Clause
"""Published files: the Debian packages, and a release with lists. tests/debian installs it."""
import hashlib
import io
import json
import pathlib
import shutil
import subprocess
import tarfile

import hardening
import pytest
import test_docs
from environment import without_make
from ran import ran

pytestmark = pytest.mark.full

ROOT = test_docs.ROOT
MADE = ("*.deb", "*.img", "*.iso", "deb", "release")


def make(folder, *targets, **environment):
    """In a copy of the tree, with what was built: only what MADE has is made there."""
    folder.mkdir(parents=True)
    test_docs.copy_sources(folder)
    test_docs.copy_build(folder / "build")
    for path in [path for name in MADE for path in (folder / "build").glob(name)]:
        path.unlink() if path.is_file() or path.is_symlink() else shutil.rmtree(path)
    git = ran("git", "-C", ROOT, "rev-parse", "--absolute-git-dir")
    if git.returncode:
        pytest.skip("no git repository")
    command = f"umask {environment.pop('umask', '022')} && make {' '.join(targets)}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
        env=without_make("BUILD", GIT_DIR=git.stdout.strip(), GIT_WORK_TREE=str(folder),
                         **environment))
    assert done.returncode == 0, done.stdout
    return folder / "build"


@pytest.fixture(scope="module", name="one")
def fixture_one(tmp_path_factory):
    return make(tmp_path_factory.mktemp("release") / "tree", "release") / "release"


def packages(one):
    """The tool's, and the collector's."""
    assert len(list(one.glob("*.deb"))) == 2
    return [path for name in ("noisefloor", "noisefloor-collect")
            for path in one.glob(f"{name}_*.deb")]


def test_package_by_lintian(one):
    if not shutil.which("lintian"):
        pytest.skip("no lintian")
    done = subprocess.run(
        ["lintian", "--allow-root", "--no-cfg", "--fail-on", "error", *packages(one)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


# The first words and the last ones of each licence; the collector has nothing of others.
LICENCES = {
    "BSD-2-Clause": ("Redistribution and use", "POSSIBILITY OF SUCH DAMAGE."),
    "BSD-3-Clause": ("Redistribution and use", "POSSIBILITY OF SUCH DAMAGE."),
    "Expat": ("Permission is hereby granted", "other dealings in the Software."),
    "Zlib": ("This software is provided", "from any source distribution."),
}


def licence_texts(package):
    """{name: text} in the package's copyright."""
    files = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE,
                           check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as tar:
        name, = [name for name in tar.getnames() if name.endswith("/copyright")]
        text = tar.extractfile(name).read().decode()
    paragraphs = [part.partition("\n") for part in text.split("\n\n")]
    return {first.removeprefix("License: "): " ".join(rest.replace(" .\n", "\n").split())
            for first, _, rest in paragraphs if first.startswith("License: ")}


def test_packages_have_their_licences(one):
    for package, names in zip(packages(one), (set(LICENCES), {"BSD-2-Clause"})):
        found = licence_texts(package)
        assert set(found) == names
        for name in names:
            first, last = LICENCES[name]
            assert found[name].startswith(first)
            assert found[name].removesuffix(" .").endswith(last)


def test_packaged_programs_are_hardened(one, tmp_path):
    for package, name in zip(packages(one), ("noisefloor", "noisefloor-collect")):
        subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
        assert hardening.lacks(tmp_path / "usr/bin" / name) == set()


def sums(path):
    """{name: SHA-256} as sha256sum writes them."""
    return dict(reversed(line.split()) for line in path.read_text().splitlines())


def test_release_twice(one, tmp_path):
    """The same bytes in another place, time zone and language; all that is there is listed."""
    two = make(tmp_path / "elsewhere" / "two", "release", umask="077", TZ="Asia/Tokyo",
               LC_ALL="C.UTF-8") / "release"
    listed = sums(one / "SHA256SUMS")
    assert listed == sums(two / "SHA256SUMS")
    for folder in (one, two):
        files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                 for path in folder.iterdir() if path.name != "SHA256SUMS"}
        assert files == listed
    assert {pathlib.Path(name).suffix for name in listed} == {
        ".bzimage", ".deb", ".efi", ".elf", ".img", ".iso", ".json", ".xz"}
    # Files of both processors, as on the media.
    assert {"noisefloor.efi", "noisefloor-aarch64.efi"} <= set(listed)


def test_release_lists(one):
    spdx, = one.glob("*.spdx.json")
    document = json.loads(spdx.read_text())
    in_spdx = {one["fileName"]: {sum["algorithm"]: sum["checksumValue"]
                                 for sum in one["checksums"]}["SHA256"]
               for one in document["files"]}
    in_sums = sums(one / "SHA256SUMS")
    assert in_spdx == {f"./{name}": value for name, value in in_sums.items() if name != spdx.name}
    licences = {one["name"]: one["licenseDeclared"] for one in document["packages"]}
    assert licences == {"noisefloor": "BSD-2-Clause", "device-tree-compiler": "BSD-2-Clause",
                        "lwip": "BSD-3-Clause", "qr-code-generator": "MIT",
                        "spleen": "BSD-2-Clause", "zlib": "Zlib"}
    known = {"SPDXRef-DOCUMENT"} | {one["SPDXID"] for kind in ("packages", "files")
                                    for one in document[kind]}
    for link in document["relationships"]:
        assert {link["spdxElementId"], link["relatedSpdxElement"]} <= known
    archive, = one.glob("*.tar.xz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames() if "/" in name}
    committed = subprocess.run(["git", "-C", ROOT, "ls-tree", "-r", "--name-only", "HEAD"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
    assert set(committed) <= names
