# SPDX-License-Identifier: BSD-2-Clause
# Debian packages, by what needs them. A target that needs a group depends on
# $(PACKAGES_<GROUP>); the check costs some 20 ms, and only after dpkg changed.

packages-build := gnu-efi gcc libc6-dev binutils make libjansson-dev python3
packages-font := fonts-spleen
packages-run := qemu-system-x86 ipxe-qemu ovmf mtools python3
packages-image := mtools dosfstools gdisk xorriso sbsigntool
packages-test := libcmocka-dev python3-pytest python3-pytest-xdist mandoc zsh openssl \
	shim-unsigned u-boot-qemu
packages-lint := clang-format shellcheck python3-pyflakes git mandoc man-db groff sbsigntool openssl
packages-fuzz := clang libclang-rt-14-dev
packages-coverage := gcovr
packages-bench := jq
packages-docs := chromium fonts-dejavu-core
packages-peers := rtla rt-tests busybox-static cpio efibootmgr gdisk

PACKAGE_GROUPS := build font run image test lint fuzz coverage bench peers docs

# packages,GROUP: the stamp that stands for a group's packages.
packages = $(BUILD)/packages/$(1)

PACKAGES_BUILD := $(call packages,build)
PACKAGES_FONT := $(call packages,font)
PACKAGES_RUN := $(call packages,run)
PACKAGES_IMAGE := $(call packages,image)
PACKAGES_TEST := $(call packages,test)
PACKAGES_LINT := $(call packages,lint)
PACKAGES_FUZZ := $(call packages,fuzz)
PACKAGES_COVERAGE := $(call packages,coverage)
PACKAGES_BENCH := $(call packages,bench)
PACKAGES_PEERS := $(call packages,peers)
PACKAGES_DOCS := $(call packages,docs)

$(BUILD)/packages/%: mk/packages.sh mk/packages.mk $(wildcard /var/lib/dpkg/status)
	@mk/packages.sh $@ $(packages-$*)

.PHONY: packages $(PACKAGE_GROUPS:%=packages-%)
packages: $(PACKAGE_GROUPS:%=packages-%) ## install every Debian package that any target needs

$(PACKAGE_GROUPS:%=packages-%): packages-%: $(BUILD)/packages/%
