# SPDX-License-Identifier: BSD-2-Clause
# Checks of the text and of the image; `make help`.

LINT := $(PYTHON) -B tests/lint
C_FILES = $(shell $(PYTHON) -B -c 'import sys; sys.path[:0] = ["tests/lint"]; \
	import sources; print(*sources.files(".c", ".h"))')

LINTS := layers names arguments headers licence words promises scripts man printed format pe elf

.PHONY: lint $(LINTS:%=lint-%) format help

lint: ## check layers, names, arguments, headers, format, words, scripts, manual, tables, image
lint: $(LINTS:%=lint-%)

lint-layers: $(PACKAGES_BUILD)
	@$(LINT)/layers.py

lint-names: $(PACKAGES_BUILD)
	@$(LINT)/names.py

lint-arguments: $(PACKAGES_BUILD)
	@$(LINT)/arguments.py

# A header needs nothing included before it, and may be included twice. Those of efi/, of probe/ and
# of EFI test programs get the EFI flags; those of arch/ first look in their own processor's folder.
ALONE_EFI := efi/% pvh/% probe/% arch/% drivers/% $(addprefix tests/,inject/% quirks/% system/% \
	fuzz/file_system.h fuzz/services.h)
ALONE := $(ALONE_HEADERS:%=$(BUILD)/lint/alone/%)

.PHONY: headers-alone

lint-headers: $(PACKAGES_BUILD)
	@$(MAKE) -s headers-alone ALONE_HEADERS='$(filter %.h,$(C_FILES))'

headers-alone: $(ALONE)
	@echo 'headers: $(words $(ALONE)), good'

$(ALONE): $(BUILD)/lint/alone/%: %
	@mkdir -p $(@D)
	@printf '#include "$<"\n#include "$<"\n' | $(CC) $(foreach isa,x86_64 aarch64,$(if \
		$(filter arch/$(isa)/%,$<),-Iarch/$(isa))) $(filter-out -M%,$(if $(filter \
		$(ALONE_EFI),$<),$(EFI_CFLAGS) $(EFI_INCLUDES),$(HOST_CFLAGS))) -I. \
		-fsyntax-only -MMD -MP -MT $@ -MF $@.d -x c - && touch $@

WRITTEN += $(ALONE:%=%.d)

lint-licence: $(PACKAGES_LINT)
	@$(LINT)/licence.py

lint-promises:
	@$(LINT)/promises.py

lint-scripts: $(PACKAGES_LINT)
	@$(LINT)/scripts.py $(BUILD)/lint/scripts

lint-man: $(BUILD)/tables $(PACKAGES_LINT)
	@$(LINT)/man.py $<

lint-words: $(PACKAGES_BUILD) ## check the words of text, comments and strings, and lines' width
	@$(LINT)/words.py

lint-printed: $(BUILD)/tables
	@$(LINT)/printed.py $<

lint-elf: $(PVH_ELF) $(PACKAGES_LINT)
	@for image in $(basename $(filter %.bzimage,$(PVH_ELF))); do \
		$(LINT)/boot_headers.py $$image.linked $$image.elf $$image.bzimage || exit; done

lint-format: $(PACKAGES_LINT)
	@$(LINT)/scripts.py --format $(BUILD)/lint/format

lint-pe: $(BUILD)/noisefloor.efi $(filter %-oneway.bzimage,$(PVH_ELF)) $(PACKAGES_LINT)
	@$(LINT)/pe.py $<
	@for image in $(filter %.bzimage,$^) $<; do \
		tests/lint/signature.sh $$image $(BUILD)/lint || exit; done
	@$(LINT)/pe.py $(BUILD)/lint/signed.efi

format: $(PACKAGES_LINT) ## bring all C files into the project's format
	@clang-format -i $(C_FILES)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' \
		$(filter Makefile %.mk,$(MAKEFILE_LIST)) | sort
