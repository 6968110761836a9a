# SPDX-License-Identifier: BSD-2-Clause
# What is given away: Debian packages, and all of a release in one folder. The same commit gives
# the same bytes, with the same compiler.

DEBS := $(BUILD)/noisefloor_$(VERSION)_amd64.deb $(BUILD)/noisefloor-collect_$(VERSION)_amd64.deb
# The project has no address: .invalid is nobody's (RFC 2606). Who gives packages away sets one.
DEB_MAINTAINER ?= the noisefloor authors <nobody@noisefloor.invalid>
DEB_ROOT := $(BUILD)/deb/debian/noisefloor
DEB_NEEDS := mk/deb.sh $(wildcard mk/deb/*) $(BUILD)/noisefloor $(BUILD)/noisefloor-collect \
	$(BUILD)/noisefloor.efi $(PVH_ELF) LICENSE \
	$(MAN_PAGES) $(wildcard host/completion/*) $(STICK_FILES) $(STICK_AARCH64) $(DOCS) \
	$(SCHEMA) Makefile $(PACKAGES_DEB)
RELEASE := $(BUILD)/release
RELEASED := $(DEBS) $(BUILD)/noisefloor.efi $(PVH_ELF) \
	$(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso
# AArch64's application, where the media have it.
RELEASED_AARCH64 = $(WITH_AARCH64:yes=$(BUILD)/aarch64/noisefloor.efi)

.PHONY: deb release

$(DEBS) &: $(DEB_NEEDS)
	@rm -rf $(BUILD)/deb
	@$(MAKE) -s install DESTDIR=$(DEB_ROOT) PREFIX=/usr
	$(call print,DEB,$(DEBS))VERSION=$(VERSION) MAINTAINER='$(DEB_MAINTAINER)' \
		SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) LWIP_LICENSE=$(LWIP)/src/COPYING \
		QRCODEGEN_LICENSE=$(QRCODEGEN_SRC) \
		ZLIB_LICENSE=$(ZLIB)/src/zlib.h mk/deb.sh $(BUILD)/deb $(DEBS)

deb: $(DEBS) ## Debian packages: host tool with EFI image and manual; collector with its unit

release: ## sources, image, ISO, package, SPDX list and SHA256SUMS, of what is committed
release: $(RELEASED) $(RELEASED_AARCH64) mk/spdx.py $(PACKAGES_DEB)
	@rm -rf $(RELEASE)
	@mkdir -p $(RELEASE)
	@git archive --format=tar --prefix=noisefloor-$(VERSION)/ HEAD | \
		xz -9 -T1 >$(RELEASE)/noisefloor-$(VERSION).tar.xz
	@cp $(RELEASED) $(RELEASE)
	@$(foreach image,$(RELEASED_AARCH64),cp $(image) $(RELEASE)/noisefloor-aarch64.efi)
	@SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) $(PYTHON) mk/spdx.py $(VERSION) $(RELEASE) \
		$(LIBFDT) $(LWIP) $(QRCODEGEN) $(ZLIB)
	@cd $(RELEASE) && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .
	$(call print,LIST,$(RELEASE))cat $(RELEASE)/SHA256SUMS
