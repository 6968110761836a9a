# SPDX-License-Identifier: BSD-2-Clause
# The tools of Linux beside the probe, in QEMU.

# Of the release this is, or with SUITE= another's kernel and tools.
PEERS_SUITE := $(if $(filter command% environment%,$(origin SUITE)),$(SUITE))
PEERS := $(BUILD)/peers$(addprefix -,$(PEERS_SUITE))

$(PEERS)/stamp: qemu/linux/stamp.c $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	$(call print,CC,$@)$(CC) $(WARNINGS) -O2 -static -o $@ $<

PEERS_NEEDS := $(PACKAGES_RUN) $(PACKAGES_PEERS) $(BUILD)/noisefloor $(BUILD)/noisefloor-static \
	$(BUILD)/noisefloor.efi $(BUILD)/inject.efi $(PEERS)/stamp

.PHONY: peers bench-peers

peers: ## hwlat, osnoise, rtla, oslat, cyclictest beside the probe: README=FILE SUITE=trixie
peers: $(PEERS_NEEDS)
	@qemu/linux/fetch $(PEERS)/kernel $(PEERS_SUITE)
	@tests/peers/peers.py --build $(BUILD) --out $(PEERS) $(addprefix --readme ,$(README))

bench-peers: ## how densely the loop, oslat, hwlat and osnoise sample
bench-peers: $(PEERS_NEEDS) $(BUILD)/bench/loop_native
	@qemu/linux/fetch $(PEERS)/kernel $(PEERS_SUITE)
	@tests/peers/bench.py --build $(BUILD) --out $(PEERS)
