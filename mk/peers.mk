# SPDX-License-Identifier: BSD-2-Clause
# The tools of Linux beside the probe, in QEMU.

# The release: this one, or with SUITE= another's kernel and tools.
PEERS_SUITE := $(if $(filter command% environment%,$(origin SUITE)),$(SUITE))
PEERS := $(EFI_BUILD)/peers$(addprefix -,$(PEERS_SUITE))
PEERS_LD_x86_64 = $(CC) -static
PEERS_LD_aarch64 = $(FOREIGN_LD)

$(PEERS)/stamp: qemu/linux/stamp.c arch/$(ARCH)/clock_now.h $(PACKAGES_BUILD) \
		$(if $(filter aarch64,$(ARCH)),$(FOREIGN_LIBS)/stamp)
	@mkdir -p $(@D)
	$(call print,CC,$@)$(PEERS_LD_$(ARCH)) $(WARNINGS) -O2 -Iarch/$(ARCH) -o $@ $<

PEERS_NEEDS_aarch64 := $(PACKAGES_AARCH64) $(PACKAGES_FIRMWARE) $(EFI_BUILD)/monitor.bin
PEERS_NEEDS := $(PACKAGES_RUN) $(PACKAGES_PEERS) $(PEERS_NEEDS_$(ARCH)) $(BUILD)/noisefloor \
	$(addprefix $(EFI_BUILD)/,noisefloor-static noisefloor.efi inject.efi) $(PEERS)/stamp
PEERS_FETCH := PROCESSOR=$(ARCH) qemu/linux/fetch $(PEERS)/kernel $(PEERS_SUITE)
PEERS_RUN := --build $(EFI_BUILD) --tool $(BUILD)/noisefloor --out $(PEERS)

.PHONY: peers bench-peers

peers: ## hwlat, osnoise, rtla, oslat, cyclictest beside the probe: README=FILE SUITE= ARCH=aarch64
peers: $(PEERS_NEEDS)
	@$(PEERS_FETCH)
	@tests/peers/peers.py $(PEERS_RUN) $(addprefix --readme ,$(README))

bench-peers: ## how densely the loop, hwlat and osnoise sample: ARCH=aarch64
bench-peers: $(PEERS_NEEDS)
	@$(PEERS_FETCH)
	@tests/peers/bench.py $(PEERS_RUN)
