# SPDX-License-Identifier: BSD-2-Clause
# What a newcomer to a fresh Debian does, in a minimal root of its own.

# The current stable release; bookworm and testing can be had as well.
SUITE ?= trixie

.PHONY: test-debian

test-debian: ## HEAD in a minimal root of Debian, as root and as a user: SUITE=trixie
test-debian: deb $(PACKAGES_DEBIAN) $(PACKAGES_TEST)
	@SUITE=$(SUITE) tests/run --build $(BUILD) --workers 0 \
		--pytest tests/debian --capture=no
