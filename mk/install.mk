# SPDX-License-Identifier: BSD-2-Clause
# `make install`: the host tool with its manual and completions, and the EFI application.

PREFIX ?= /usr/local
DESTDIR ?=

MAN_PAGES := $(sort $(wildcard host/man/*.1))

BIN_DIR := $(PREFIX)/bin
EFI_DIR := $(PREFIX)/lib/noisefloor
MAN_DIR := $(PREFIX)/share/man/man1
BASH_DIR := $(PREFIX)/share/bash-completion/completions
ZSH_DIR := $(PREFIX)/share/zsh/site-functions

INSTALLED := $(BIN_DIR)/noisefloor $(EFI_DIR)/noisefloor.efi \
	$(addprefix $(MAN_DIR)/,$(notdir $(MAN_PAGES))) \
	$(BASH_DIR)/noisefloor $(ZSH_DIR)/_noisefloor

.PHONY: install uninstall

install: ## install below PREFIX=/usr/local, in DESTDIR
install: $(BUILD)/noisefloor $(BUILD)/noisefloor.efi
	install -d $(addprefix $(DESTDIR),$(BIN_DIR) $(EFI_DIR) $(MAN_DIR) $(BASH_DIR) $(ZSH_DIR))
	install -m 755 $(BUILD)/noisefloor $(DESTDIR)$(BIN_DIR)
	install -m 644 $(BUILD)/noisefloor.efi $(DESTDIR)$(EFI_DIR)
	install -m 644 $(MAN_PAGES) $(DESTDIR)$(MAN_DIR)
	install -m 644 host/completion/noisefloor.bash $(DESTDIR)$(BASH_DIR)/noisefloor
	install -m 644 host/completion/_noisefloor $(DESTDIR)$(ZSH_DIR)

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	[ ! -d $(DESTDIR)$(EFI_DIR) ] || rmdir $(DESTDIR)$(EFI_DIR)
