# SPDX-License-Identifier: BSD-2-Clause
"""The host tool as AArch64's compiler takes it: without a warning, and with all that it calls.

Its libraries are not there for another processor, so it is not linked to the end.
"""
import pathlib
import subprocess

import pytest

pytestmark = pytest.mark.full

ROOT = pathlib.Path(__file__).resolve().parents[2]
CROSS = "aarch64-linux-gnu-"
MAKEFILE = """include Makefile
print: ; @echo $(filter-out -M% -O% -g,$(HOST_CFLAGS)) \
	$(HOST_CORE_SRCS) $(HOST_ARCH_SRCS) $(HOST_SRCS)
"""


def output(*argv, **options):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_compiles_and_calls_nothing_that_is_missing(tmp_path):
    words = output("make", "-s", "-f", "-", "print", "HOST_ARCH=aarch64", cwd=ROOT, input=MAKEFILE)
    flags = [f"-I{ROOT}/{word[2:]}" if word.startswith("-I") else word
             for word in words.split() if word.startswith("-")]
    sources = [ROOT / word for word in words.split() if word.endswith(".c")]
    assert len(sources) > 100
    output(f"{CROSS}gcc", "-fsyntax-only", *flags, *sources)
    # What the tool takes of arch/ needs no more of it than that.
    of_arch = [source for source in sources if (ROOT / "arch") in source.parents]
    output(f"{CROSS}gcc", "-c", *flags, *of_arch, cwd=tmp_path)
    output(f"{CROSS}ld", "-r", "-o", "all.o", *tmp_path.glob("*.o"), cwd=tmp_path)
    missing = output(f"{CROSS}nm", "-u", "all.o", cwd=tmp_path).split()[1::2]
    assert "text_add" in missing
    assert not [name for name in missing if name.startswith("arch_")]
