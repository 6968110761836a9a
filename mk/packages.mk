# SPDX-License-Identifier: BSD-2-Clause
# What targets need from the system, in groups: the rows of packages.txt. A target that needs a
# group depends on $(PACKAGES_<GROUP>); it is checked again when packages have been installed,
# removed or upgraded.

PACKAGE_GROUPS := build collect fetch cross aarch64 run firmware image test system lint fuzz \
	coverage peers docs debian lintian deb

# packages,GROUP: the stamp that stands for a group.
packages = $(BUILD)/packages/$(1)

PACKAGES_BUILD := $(call packages,build)
PACKAGES_COLLECT := $(call packages,collect)
PACKAGES_FETCH := $(call packages,fetch)
PACKAGES_CROSS := $(call packages,cross)
PACKAGES_AARCH64 := $(call packages,aarch64)
PACKAGES_RUN := $(call packages,run)
PACKAGES_IMAGE := $(call packages,image)
PACKAGES_TEST := $(call packages,test)
PACKAGES_FIRMWARE := $(call packages,firmware)
PACKAGES_SYSTEM := $(call packages,system)
PACKAGES_LINT := $(call packages,lint)
PACKAGES_FUZZ := $(call packages,fuzz)
PACKAGES_COVERAGE := $(call packages,coverage)
PACKAGES_PEERS := $(call packages,peers)
PACKAGES_DOCS := $(call packages,docs)
PACKAGES_DEBIAN := $(call packages,debian)
PACKAGES_DEB := $(call packages,deb)

# The package database, which changes with each package, on Debian, Fedora, openSUSE and Arch.
PACKAGE_DATABASE := $(wildcard /var/lib/dpkg/status /usr/lib/sysimage/rpm/rpmdb.sqlite \
	/usr/lib/sysimage/rpm/Packages.db /var/lib/rpm/rpmdb.sqlite /var/lib/pacman/local)

CHECKED := $(BUILD)/packages/checked

$(PACKAGE_GROUPS:%=$(CHECKED)/%): $(CHECKED)/%: mk/packages.sh mk/packages.txt $(PACKAGE_DATABASE)
	@mkdir -p $(@D)
	@CC='$(CC)' mk/packages.sh $(BUILD)/packages/$* $*
	@touch $@

# Whether a header or a library is there, only the compiler knows.
$(addprefix $(CHECKED)/,collect test system): | $(CHECKED)/build

# Empty: what depends on a stamp is rebuilt only when what it lists has changed.
$(PACKAGE_GROUPS:%=$(BUILD)/packages/%): $(BUILD)/packages/%: $(CHECKED)/% ;

# Groups that `make test` and test-all cannot do without, by one call of apt-get.
TEST_GROUPS := build collect fetch cross aarch64 run firmware image test system lint fuzz deb

.PHONY: packages-tests
packages-tests:
	@CC='$(CC)' mk/packages.sh $(BUILD)/packages/tests $(TEST_GROUPS)

.PHONY: packages $(PACKAGE_GROUPS:%=packages-%)
packages: $(PACKAGE_GROUPS:%=packages-%) ## install every package that any target needs

$(PACKAGE_GROUPS:%=packages-%): packages-%: $(BUILD)/packages/%
