# SPDX-License-Identifier: BSD-2-Clause
# noisefloor: build, run, test. `make help` lists the targets.

MAKEFLAGS += -rR --no-print-directory
# As many jobs as processors, unless -j has a number. Of several goals one follows the other.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS))$(filter -j% --jobs%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# The processor of the machines to measure, and the one that this runs on, as the host tool does.
ARCH ?= x86_64
HOST_ARCH := $(shell uname -m)
BUILD ?= build
# One name for the folder, however it is given: objects are linked in the order of their names.
override BUILD := $(subst !,,$(subst !$(CURDIR)/,,!$(BUILD)))
# Lists are split at blanks: the tree's own path may have one, what is named here may not.
NAMES := BUILD SIGNED IMAGE_CONF IMAGE_APP IMAGE_APP_AARCH64 FONT_FILE LIBFDT_TARBALL LWIP_TARBALL \
	SPLEEN_TARBALL TFA_TARBALL ZLIB_TARBALL PREFIX DESTDIR
$(foreach name,$(NAMES),$(if $(word 2,$($(name))),$(error \
	$(name)=$($(name)): make cannot take a name with a blank in it)))
$(if $(BUILD),,$(error BUILD= is empty: it names a folder))
# Build folder: processors other than x86_64 have one of their own.
EFI_BUILD := $(BUILD)$(if $(filter-out x86_64,$(ARCH)),/$(ARCH))
EFI_OBJ := efi-obj$(EFI_BUILD:$(BUILD)%=%)
CC := gcc
PYTHON := /usr/bin/python3
VERSION := 0.1.0
# The time that all files of an image bear, so that the same sources give the same bytes.
SOURCE_DATE_EPOCH ?= 1795219200

# Goals of the longer tiers of tests, which fetch or link more.
ALL_GOALS := test-all test-exact test-net test-machines
# Files in which compilers name the headers of an object, to be included at the end.
WRITTEN :=

include mk/packages.mk
include mk/flags.mk
include core/files.mk
include arch/files.mk
include drivers/files.mk
include probe/files.mk
include efi/files.mk
include pvh/files.mk
include mk/source.mk
include mk/lwip.mk
include mk/qrcodegen.mk
include mk/zlib.mk
include host/files.mk
include mk/efi.mk
include mk/pvh.mk
include mk/host.mk
include mk/tests.mk
include mk/image.mk
include mk/run.mk
include mk/bench.mk
include mk/peers.mk
include mk/debian.mk
include mk/docs.mk
include mk/lint.mk
include mk/install.mk
include mk/release.mk

# Nothing makes these but the compilers: without a rule of theirs make would look for one, for each.
WRITTEN := $(sort $(WRITTEN))
$(WRITTEN): ;
include $(wildcard $(WRITTEN))

.PHONY: all clean
all: ## build the probe for UEFI and for PVH, the host tool and the collector, and its schema
all: $(EFI_BUILD)/noisefloor.efi $(PVH_ELF) $(BUILD)/noisefloor $(BUILD)/noisefloor-collect \
	$(STICK_FILES) $(SCHEMA)

clean: ## remove everything that was built
	rm -rf $(BUILD)
