# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks: the image in QEMU; the collector.

.PHONY: bench-loop bench-size

BENCH_LOOP_NEEDS_x86_64 := $(BUILD)/noisefloor-all-evidence.efi

bench-loop: $(RUN_NEEDS) $(BENCH_LOOP_NEEDS_$(ARCH))
bench-loop: ## measure the cost of a sample of the loop, and of a gap: ARCH=aarch64
	@tests/bench/loop.py $(EFI_BUILD)/noisefloor.efi --out $(BUILD)/bench/loop

bench-size: $(BUILD)/noisefloor.efi $(PACKAGES_RUN) ## size of the image, memory with 255 cores
	@tests/bench/size.py $< --out $(BUILD)/bench/size

BENCH_FLEET_OBJS := $(call host-objects,host-obj,$(addprefix tests/bench/,fleet_nodes.c \
	fleet_send.c fleet_flood.c fleet_stream.c) host/lib/crc32c.c \
	$(HOST_CORE_SRCS) \
	$(filter %/cpu.c %/crc32c.c,$(HOST_ARCH_SRCS)))

$(BUILD)/bench/fleet_nodes: $(BENCH_FLEET_OBJS)
	@mkdir -p $(@D)
	$(call print,LD,$@)$(CC) -o $@ $^ -lz

WRITTEN += $(BENCH_FLEET_OBJS:.o=.d)

# Not installed: the machine's own log stays as it is.
BENCH_RSYSLOG := rsyslog libestr0 libfastjson4 liblognorm5

.PHONY: bench-fleet

bench-fleet: ## 10,000 nodes into one collector, beside rsyslog
bench-fleet: $(BUILD)/noisefloor-collect $(BUILD)/bench/fleet_nodes | $(BUILD)/noisefloor
	@mk/unpack.sh $(BUILD)/rsyslog $(BENCH_RSYSLOG)
	@tests/bench/fleet.py $^ --rsyslog $(BUILD)/rsyslog/root --out $(BUILD)/bench/fleet

BENCH_INDEX_MACHINES ?= 100000

.PHONY: bench-index

bench-index: ## status and fleet of 300,000 runs: BENCH_INDEX_MACHINES=100000
bench-index: $(BUILD)/noisefloor $(BUILD)/noisefloor-collect
	@tests/bench/index.py $< --machines $(BENCH_INDEX_MACHINES) --out $(BUILD)/bench/index

BENCH_HOSTILE_DATAGRAMS ?= 1000000

.PHONY: bench-hostile

bench-hostile: ## a collector in a flood: BENCH_HOSTILE_DATAGRAMS=1000000
bench-hostile: $(BUILD)/noisefloor-collect $(BUILD)/bench/fleet_nodes | $(BUILD)/noisefloor
	@tests/bench/hostile.py $^ --datagrams $(BENCH_HOSTILE_DATAGRAMS) \
		--out $(BUILD)/bench/hostile

KILLS ?= 100
CUTS ?= 30
FAILS ?= 20

.PHONY: bench-crash

bench-crash: ## a collector killed, cut off, lied to by its disk: KILLS=100 CUTS=30 FAILS=20
bench-crash: $(BUILD)/noisefloor-collect $(BUILD)/bench/fleet_nodes $(BUILD)/bad_disk.so \
		| $(BUILD)/noisefloor
	@tests/bench/crash.py $^ --kills $(KILLS) --cuts $(CUTS) --fails $(FAILS) \
		--out $(BUILD)/bench/crash

BENCH_ENGINES_NODES ?= 2000

.PHONY: bench-engines

bench-engines: ## measure a node's cost to a collector and to an engine
bench-engines: $(BUILD)/noisefloor-collect $(BUILD)/noisefloor $(BUILD)/bench/fleet_nodes engines
	@tests/bench/engines.py $(BUILD)/noisefloor $(BUILD)/bench/fleet_nodes \
		--nodes $(BENCH_ENGINES_NODES) --out $(BUILD)/bench/engines
