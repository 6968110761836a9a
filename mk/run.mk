# SPDX-License-Identifier: BSD-2-Clause
# Running the probe in QEMU. make knows failure only as 2; qemu/run gives the probe's own code.

SMP ?= 2
FIRMWARE ?=
ACCEL ?= auto
EMULATOR ?= $(if $(filter aarch64,$(ARCH)),aarch64,system)
CONFIG ?= duration=10s
NIC ?=
BOOT ?= disk
BOARD ?=

RUN := qemu/run --app $(EFI_BUILD)/noisefloor.efi --out $(BUILD)/run
RUN_APP := $(if $(filter pvh,$(BOOT)),$(PVH_APP),$(EFI_BUILD)/noisefloor.efi)
RUN_TOOLS := $(PACKAGES_RUN) $(if $(filter aarch64,$(ARCH)),$(PACKAGES_AARCH64)) \
	$(BUILD)/noisefloor
RUN_NEEDS := $(RUN_TOOLS) $(EFI_BUILD)/noisefloor.efi

.PHONY: run demo services ladder qemu10 qemu10-if-possible

run: ## measure in QEMU: ARCH=aarch64 SMP=2 BOOT=pvh ACCEL=auto|kvm|tcg CONFIG="duration=10s"
run: $(RUN_TOOLS) $(RUN_APP)
	@qemu/run --app $(RUN_APP) --out $(BUILD)/run --boot $(BOOT) --smp $(SMP) \
		--emulator $(EMULATOR) --accel $(ACCEL) --config "$(CONFIG)" \
		$(if $(BOARD),--board $(BOARD)) $(if $(FIRMWARE),--firmware $(FIRMWARE)) \
		$(if $(NIC),--nic $(NIC))

qemu10: $(PACKAGES_RUN) ## fetch QEMU 10 from Debian's backports into build/qemu10
	@qemu/fetch10 $(BUILD)/qemu10

# For tests, which report why they are skipped.
qemu10-if-possible: $(PACKAGES_RUN)
	@qemu/fetch10 $(BUILD)/qemu10 || true

# SMIs of 300 ns to 2 ms by the injector's handler and NMIs by the HPET. QEMU counts instructions,
# so that there is nothing of the host in the result.
$(BUILD)/demo.bin: tests/inject/schedule.py $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	@$(PYTHON) -B $< $@ kind=uniform seed=1 count=2000 start=500ms nmi_period=100ms

demo: CONFIG = duration=3s
demo: ## measure injected SMIs and NMIs, and nothing else
demo: $(RUN_NEEDS) $(BUILD)/inject.efi $(BUILD)/demo.bin
	@$(RUN) --icount 0 --config "$(CONFIG)" --inject $(BUILD)/inject.efi \
		--file inject.bin=$(BUILD)/demo.bin --qemu=-global --qemu=hpet.msi=on

# GetTime takes 200 us by quirks.efi, and variables are in SMM: what QEMU counts, as above.
$(BUILD)/services.txt: $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	@echo get-time-spins >$@

services: CONFIG = mode=services stages=handoff service_calls=30 services=get_time,$\
	get_variable_small,get_variable_large,next_variable,query_variables,set_variable,$\
	rtc,keyboard,pm_timer,port_80
services: ## measure calls of OVMF's services, with variables in SMM
services: $(RUN_NEEDS) $(BUILD)/quirks.efi $(BUILD)/services.txt
	@$(RUN) --icount 2 --firmware smm --config "$(CONFIG)" --inject $(BUILD)/quirks.efi \
		--file quirks.txt=$(BUILD)/services.txt

# A machine that an OS has something to take over from: OVMF is none, so the injector makes it one.
$(BUILD)/legacy.bin: tests/inject/schedule.py $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	@$(PYTHON) -B $< $@ mode=legacy

LADDER_CONFIG ?= stages=firmware,bare,acpi,handoff duration=5s
LADDER_USB := -device qemu-xhci -device ich9-usb-ehci1,id=ehci,addr=1d.7,multifunction=on \
	-device ich9-usb-uhci1,masterbus=ehci.0,firstport=0,addr=1d.0,multifunction=on

ladder: $(RUN_NEEDS) $(BUILD)/inject.efi $(BUILD)/legacy.bin ## stage by stage, from legacy firmware
	@$(RUN) --smp $(SMP) $(if $(FIRMWARE),--firmware $(FIRMWARE)) --accel tcg \
		--config "$(LADDER_CONFIG)" \
		--inject $(BUILD)/inject.efi --file inject.bin=$(BUILD)/legacy.bin \
		$(addprefix --qemu=,$(LADDER_USB))
