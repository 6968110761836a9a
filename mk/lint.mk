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

lint-headers: $(PACKAGES_BUILD)
	@$(LINT)/headers.py --hosted '$(filter-out -M%,$(HOST_CFLAGS))' \
		--efi '$(filter-out -M%,$(EFI_CFLAGS)) $(EFI_INCLUDES)' \
		--passed $(BUILD)/lint/headers.json

lint-licence: $(PACKAGES_LINT)
	@$(LINT)/licence.py

lint-promises:
	@$(LINT)/promises.py

lint-scripts: $(PACKAGES_LINT)
	@$(LINT)/scripts.py --passed $(BUILD)/lint/scripts.json

lint-man: $(BUILD)/tables $(PACKAGES_LINT)
	@$(LINT)/man.py $<

lint-words: $(PACKAGES_BUILD) ## check the words of text, comments and strings, and lines' width
	@$(LINT)/words.py

lint-printed: $(BUILD)/tables
	@$(LINT)/printed.py $<

lint-elf: $(BUILD)/noisefloor.elf $(BUILD)/noisefloor.bzimage $(PACKAGES_LINT)
	@$(LINT)/boot_headers.py $(BUILD)/noisefloor.linked $(BUILD)/noisefloor.elf \
		$(BUILD)/noisefloor.bzimage

lint-format: $(PACKAGES_LINT)
	@$(LINT)/scripts.py --format --passed $(BUILD)/lint/format.json

lint-pe: $(BUILD)/noisefloor.efi $(PACKAGES_LINT)
	@$(LINT)/pe.py $<
	@tests/lint/signature.sh $< $(BUILD)/lint
	@$(LINT)/pe.py $(BUILD)/lint/signed.efi

format: $(PACKAGES_LINT) ## bring all C files into the project's format
	@clang-format -i $(C_FILES)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' \
		$(filter Makefile %.mk,$(MAKEFILE_LIST)) | sort
