# SPDX-License-Identifier: BSD-2-Clause
# `make install` installs the host tool and the collector with their manual and completions, the
# schema of their output and jq filters for it, and the EFI application.

PREFIX ?= /usr/local
DESTDIR ?=

MAN_PAGES := $(sort $(wildcard host/man/*.1))

BIN_DIR := $(PREFIX)/bin
EFI_DIR := $(PREFIX)/lib/noisefloor
MAN_DIR := $(PREFIX)/share/man/man1
SHARE_DIR := $(PREFIX)/share/noisefloor
JQ_DIR := $(SHARE_DIR)/jq
DOC_DIR := $(PREFIX)/share/doc/noisefloor
EXAMPLE_DIR := $(DOC_DIR)/examples
BASH_DIR := $(PREFIX)/share/bash-completion/completions
ZSH_DIR := $(PREFIX)/share/zsh/site-functions

# `noisefloor boot stick` copies these to a medium, as `make image` does.
STICK_FILES := $(BUILD)/image/noisefloor.conf $(BUILD)/image/README.txt
STICK_SCRIPT := $(BUILD)/image/medium.sh
STICK_AARCH64 := $(WITH_AARCH64:yes=$(BUILD)/aarch64/noisefloor.efi)
DOCS := $(sort $(wildcard docs/*.md))
FILTERS := $(sort $(wildcard host/jq/*.jq))
EXAMPLES := $(sort $(wildcard docs/examples/*))

PROGRAMS := noisefloor noisefloor-collect
INSTALLED := $(addprefix $(BIN_DIR)/,$(PROGRAMS)) \
	$(addprefix $(EFI_DIR)/,noisefloor.efi noisefloor.bzimage noisefloor-oneway.bzimage) \
	$(addprefix $(EFI_DIR)/,noisefloor-aarch64.efi medium.sh) \
	$(addprefix $(SHARE_DIR)/,$(notdir $(STICK_FILES) $(SCHEMA))) \
	$(addprefix $(JQ_DIR)/,$(notdir $(FILTERS))) \
	$(addprefix $(DOC_DIR)/,$(notdir $(DOCS))) \
	$(addprefix $(EXAMPLE_DIR)/,$(notdir $(EXAMPLES))) \
	$(addprefix $(MAN_DIR)/,$(notdir $(MAN_PAGES))) \
	$(addprefix $(BASH_DIR)/,$(PROGRAMS)) $(addprefix $(ZSH_DIR)/_,$(PROGRAMS))

.PHONY: install uninstall

install: ## install below PREFIX=/usr/local, in DESTDIR
install: $(addprefix $(BUILD)/,$(PROGRAMS)) $(BUILD)/noisefloor.efi
install: $(SCHEMA) $(STICK_FILES) $(STICK_SCRIPT) $(STICK_AARCH64) $(filter %.bzimage,$(PVH_ELF))
	install -d $(addprefix $(DESTDIR),$(BIN_DIR) $(EFI_DIR) $(MAN_DIR) $(SHARE_DIR) $(JQ_DIR) \
		$(DOC_DIR) $(EXAMPLE_DIR) $(BASH_DIR) $(ZSH_DIR))
	install -m 755 $(addprefix $(BUILD)/,$(PROGRAMS)) $(DESTDIR)$(BIN_DIR)
	install -m 644 $(BUILD)/noisefloor.efi $(filter %.bzimage,$(PVH_ELF)) \
		$(DESTDIR)$(EFI_DIR)
	install -m 755 $(STICK_SCRIPT) $(DESTDIR)$(EFI_DIR)
	$(if $(STICK_AARCH64),install -m 644 $(STICK_AARCH64) \
		$(DESTDIR)$(EFI_DIR)/noisefloor-aarch64.efi)
	install -m 644 $(STICK_FILES) $(SCHEMA) $(DESTDIR)$(SHARE_DIR)
	install -m 644 $(FILTERS) $(DESTDIR)$(JQ_DIR)
	install -m 644 $(DOCS) $(DESTDIR)$(DOC_DIR)
	install -m 644 $(EXAMPLES) $(DESTDIR)$(EXAMPLE_DIR)
	install -m 644 $(MAN_PAGES) $(DESTDIR)$(MAN_DIR)
	for program in $(PROGRAMS); do \
		install -m 644 host/completion/$$program.bash $(DESTDIR)$(BASH_DIR)/$$program; \
	done
	install -m 644 $(addprefix host/completion/_,$(PROGRAMS)) $(DESTDIR)$(ZSH_DIR)

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	for dir in $(addprefix $(DESTDIR),$(EFI_DIR) $(JQ_DIR) $(SHARE_DIR) $(EXAMPLE_DIR) \
		$(DOC_DIR)); do \
		[ ! -d "$$dir" ] || rmdir --ignore-fail-on-non-empty "$$dir"; done
