# SPDX-License-Identifier: BSD-2-Clause
# Tests: unit programs with sanitizers, fuzz targets, and pytest that drives QEMU.

include tests/files.mk
include tests/inject/files.mk
include tests/variants/files.mk

# Sanitizers. Debug information has lines only, which is quicker to write: sanitizers print no names
# of variables.
SANITIZE := -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Tested code, and tests with many rounds, are optimised; others would take longer to compile than
# to run.
OPTIMIZE := -O1
# More than processors: many tests wait.
PYTEST_WORKERS ?= $(shell expr $$(nproc) + 2)
FUZZ_SECONDS ?= 60

# Objects that tests may link. An archive gives only what is asked for, so a test that defines a
# register access of arch/ itself takes that file's place. The library functions are libc's, which
# the sanitizers watch. There is an archive for each floor.
TESTED_HOST_SRCS := $(filter-out %/main.c,$(HOST_SRCS) $(COLLECT_SRCS))
TESTED_SRCS := $(FONT_SRC) $(CORE_SRCS) $(TESTED_HOST_SRCS)
TESTED_ARCH_SRCS := $(filter-out arch/string.c,$(filter %.c %/kernels.S,$(call \
	arch-srcs,$(HOST_ARCH)))) $(DRIVER_SRCS) $(NET_SRCS)
# Sources that read the firmware's answers. A test defines the firmware, in C's calling convention.
TESTED_EFI_SRCS := $(addprefix efi/,firmware.c firmware_files.c firmware_map.c \
	firmware_options.c firmware_variables.c load_options.c net/http.c net/http_answer.c \
	net/pxe.c net/served.c net/snp.c net/uri.c)
# Sources for which a test defines a door.
TESTED_PROBE_SRCS := $(addprefix probe/,arena.c bios_area.c memory_map.c options.c tree_map.c \
	tsc_adjust.c platform/work_memory.c save/nvram.c save/volume.c) \
	pvh/x86_64/start_info.c

# A test links what it uses of them. Programs without host are linked with STATIC_LIBS alone.
TESTED_LIBS := -Wl,--as-needed $(HOST_LIBS) $(COLLECT_LIBS)

names = $(notdir $(basename $(1)))
FUZZ_PROGRAMS := $(addprefix $(BUILD)/fuzz/,$(call names,$(FUZZ_SRCS)))
# Tests with many rounds, or with frequent switches from core to core.
ROUNDS_SRCS := $(shell grep -lE 'tests/unit/(rounds|windows|kept_run|mock_platform)\.h' \
	$(UNIT_SRCS))

# unit-program,SOURCE: the program that has the tests of a file, without the build's folder. A room
# is a folder below tests/unit/core or tests/unit/host, else one below tests/unit.
below-unit = $(wordlist 3,9,$(subst /, ,$(1)))
room-parts = $(wordlist 1,$(if $(filter core host,$(firstword $(1))),2,1),$(1))
room = $(subst $() ,/,$(call room-parts,$(filter-out %.c,$(call below-unit,$(1)))))
unit-program = $(if $(filter $(UNIT_ALONE),$(1)),$(1:tests/unit/%.c=%),$(call room,$(1))/tests)
$(foreach source,$(UNIT_SRCS),$(eval UNIT_OF_$(call unit-program,$(source)) += $(source)))
UNIT_NAMES := $(sort $(foreach source,$(UNIT_SRCS),$(call unit-program,$(source))))
UNIT_PROGRAMS := $(UNIT_NAMES:%=$(BUILD)/unit/%)

# seed-program,SOURCE: as well, for the seeds of a fuzz target.
seed-program = $(if $(filter $(FUZZ_ALONE),$(1)),$(call names,$(1)),targets)
$(foreach source,$(FUZZ_SRCS),$(eval SEEDS_OF_$(call seed-program,$(source)) += $(source)))
SEED_NAMES := $(sort $(foreach source,$(FUZZ_SRCS),$(call seed-program,$(source))))
SEED_PROGRAMS := $(SEED_NAMES:%=$(BUILD)/seeds/%)

$(eval $(call host-rules,unit-obj,$(CC),$$(OPTIMIZE) $(SANITIZE) $$(REGISTERED)))
$(eval $(call host-rules,fuzz-obj,clang,-O1 $(SANITIZE) -fsanitize=fuzzer-no-link))
$(eval $(call host-rules,coverage-obj,$(CC),-O0 --coverage))
$(foreach folder,unit-obj fuzz-obj coverage-obj clang,$(BUILD)/$(folder)/efi/%.o $(addprefix \
	$(BUILD)/$(folder)/tests/fuzz/fuzz_,firmware.o snp.o volume.o)): \
	OBJECT_CFLAGS := $(filter-out -DGNU_EFI%,$(EFI_INCLUDES)) -fshort-wchar
$(BUILD)/unit-obj/tests/fuzz/fuzz_%.o: REGISTERED = -include tests/fuzz/registered.h \
	-DLLVMFuzzerTestOneInput=$(notdir $(basename $@))
# cmocka 2 calls assert_in_range() deprecated; what it wants instead, 1.1 has not.
$(addprefix $(BUILD)/,$(addsuffix /tests/unit/%.o,unit-obj host-obj coverage-obj)): \
	OBJECT_CFLAGS := -DCMOCKA_DISABLE_DEPRECATION_WARNINGS
# lwIP takes the address of the first member of NULL, and then asks whether that is NULL.
OTHERS_SANITIZE := $(SANITIZE) -fno-sanitize=null
$(eval $(call others-rules,unit-obj,$(CC),-O1 $(OTHERS_SANITIZE)))
$(eval $(call others-rules,fuzz-obj,clang,-O1 $(OTHERS_SANITIZE) -fsanitize=fuzzer-no-link))
$(eval $(call others-rules,coverage-obj,$(CC),-O0))

# The sources of each floor, and the other projects' sources that it needs.
FLOORS := host machine core
FLOOR_SRCS_host := $(TESTED_HOST_SRCS)
FLOOR_SRCS_machine := $(TESTED_ARCH_SRCS) $(TESTED_PROBE_SRCS) $(TESTED_EFI_SRCS)
FLOOR_SRCS_core := $(FONT_SRC) $(CORE_SRCS)
FLOOR_OTHERS_machine := lwip
FLOOR_OTHERS_core := libfdt qrcodegen
# floor-objects,FOLDER,FLOOR are a floor's objects; floor-archives,FOLDER are the archives of all
# floors, in the order to link them.
floor-objects = $(call host-objects,$(1),$(FLOOR_SRCS_$(2))) \
	$(foreach other,$(FLOOR_OTHERS_$(2)),$(call $(other)-objects,$(1)))
floor-archives = $(FLOORS:%=$(BUILD)/$(1)/%.a)
UNIT_LIB_OBJS := $(foreach floor,$(FLOORS),$(call floor-objects,unit-obj,$(floor)))
FUZZ_LIB_OBJS := $(foreach floor,$(FLOORS),$(call floor-objects,fuzz-obj,$(floor)))
UNIT_COMMON_OBJS := $(call host-objects,unit-obj,$(UNIT_COMMON_SRCS))
UNIT_OBJS := $(call host-objects,unit-obj,$(UNIT_SRCS))
STATISTICS_OBJS := $(call host-objects,host-obj,$(STATISTICS_SRCS))
STATISTICS_COMMON_OBJS := $(call host-objects,host-obj,$(UNIT_COMMON_SRCS))
$(call host-objects,unit-obj,$(filter-out $(ROUNDS_SRCS),$(UNIT_SRCS))): OPTIMIZE := -O0
# The searches of sources spend most of their time here.
$(addprefix $(BUILD)/unit-obj/core/,events/%.o gaps/exposure.o): OPTIMIZE := -O2
SEED_OBJS := $(call host-objects,unit-obj,$(FUZZ_SRCS) tests/fuzz/driver.c)
FUZZ_OBJS := $(call host-objects,fuzz-obj,$(FUZZ_SRCS))

UNIT_FLOORS := $(call floor-archives,unit-obj)
FUZZ_FLOORS := $(call floor-archives,fuzz-obj)
$(foreach folder,unit-obj fuzz-obj,$(foreach floor,$(FLOORS),$(eval \
	$(BUILD)/$(folder)/$(floor).a: $(call floor-objects,$(folder),$(floor)))))
$(BUILD)/unit-obj/common.a: $(UNIT_COMMON_OBJS)
$(BUILD)/host-obj/common.a: $(STATISTICS_COMMON_OBJS)
$(UNIT_FLOORS) $(FUZZ_FLOORS) $(addprefix $(BUILD)/,unit-obj/common.a host-obj/common.a):
	@rm -f $@
	$(call print,AR,$@)ar rcs $@ $^

$(UNIT_OBJS) $(UNIT_COMMON_OBJS) $(STATISTICS_OBJS) $(STATISTICS_COMMON_OBJS): $(PACKAGES_TEST)
$(SEED_OBJS): tests/fuzz/registered.h $(PACKAGES_TEST)
$(foreach folder,unit-obj fuzz-obj clang coverage-obj,\
	$(call host-objects,$(folder),$(COLLECT_SRCS))): $(PACKAGES_COLLECT)

# In half of the time that the usual linker takes, for hundreds of programs; not all have it.
FAST_LD := $(if $(shell command -v ld.gold),-fuse-ld=gold)

LINK_UNIT = $(CC) $(SANITIZE) $(FAST_LD) -o $@ $^ -lcmocka \
	$(if $(filter %/host.a,$^),$(TESTED_LIBS) -lexpat,-Wl,--as-needed $(STATIC_LIBS))
UNIT_ARCHIVES := $(BUILD)/unit-obj/common.a $(UNIT_FLOORS)

# The program of probe/, on the machine that tests/unit/whole mocks: its headers take the place of a
# processor's.
WHOLE_OBJS := $(call host-objects,whole-obj,$(WHOLE_SRCS))
WHOLE_CFLAGS := $(addprefix -iquote tests/unit/whole,/isa /) -include tests/unit/whole/isa/looks.h
$(eval $(call host-rules,whole-obj,$(CC),-O1 $(SANITIZE) $(WHOLE_CFLAGS)))
$(WHOLE_OBJS): $(PACKAGES_TEST) $(LWIP)/fetched
WHOLE_ARCHIVES := $(WHOLE_OBJS) $(call lwip-objects,unit-obj) \
	$(addprefix $(BUILD)/unit-obj/,common.a core.a)

unit-archives = $(if $(filter whole/%,$(1)),$(WHOLE_ARCHIVES),$(if $(filter host/% \
	$(UNIT_WITH_HOST),$(1)),$(UNIT_ARCHIVES),$(filter-out %/host.a $(if $(filter \
	core/%,$(1)),%/machine.a),$(UNIT_ARCHIVES))))

# unit-rules,NAME and seed-rules,NAME: the programs of those tests.
define unit-rules
$(BUILD)/unit/$(1): $(call host-objects,unit-obj,$(UNIT_OF_$(1))) $(call unit-archives,$(1))
	@mkdir -p $$(@D)
	$$(call print,LD,$$@)$$(LINK_UNIT)
endef
define seed-rules
$(BUILD)/seeds/$(1): $(call host-objects,unit-obj,$(SEEDS_OF_$(1)) tests/fuzz/driver.c) \
		$(UNIT_ARCHIVES)
	@mkdir -p $$(@D)
	$$(call print,LD,$$@)$$(LINK_UNIT)
endef
$(foreach name,$(UNIT_NAMES),$(eval $(call unit-rules,$(name))))
$(foreach name,$(SEED_NAMES),$(eval $(call seed-rules,$(name))))

# `make test` runs few rounds of statistics, with sanitizers. test-all runs all rounds, with the
# tool's own objects.
$(foreach source,$(STATISTICS_SRCS),$(eval \
	STATISTICS_OF_$(call unit-program,$(source)) += $(source)))
STATISTICS_NAMES := $(sort $(foreach source,$(STATISTICS_SRCS),$(call unit-program,$(source))))
STATISTICS_PROGRAMS := $(STATISTICS_NAMES:%=$(BUILD)/statistics/%)

# statistics-rules,NAME is the rule for a program of statistics.
define statistics-rules
$(BUILD)/statistics/$(1): $(call host-objects,host-obj,$(STATISTICS_OF_$(1))) \
		$(BUILD)/host-obj/common.a $(BUILD)/host-obj/tool.a
	@mkdir -p $$(@D)
	$$(call print,LD,$$@)$(CC) -pie $(HARDEN_LDFLAGS) -o $$@ $$^ -lcmocka -Wl,--as-needed \
		$(HOST_LIBS)
endef
$(foreach name,$(STATISTICS_NAMES),$(eval $(call statistics-rules,$(name))))

$(FUZZ_LIB_OBJS) $(FUZZ_OBJS): $(PACKAGES_FUZZ)

$(BUILD)/fuzz/%: $(BUILD)/fuzz-obj/tests/fuzz/%.o $(FUZZ_FLOORS)
	@mkdir -p $(@D)
	$(call print,LD,$@)clang $(SANITIZE) -fsanitize=fuzzer -o $@ $^ $(TESTED_LIBS)

# The second compiler accepts what the fuzzers are made of; that this links shows with the seeds.
CLANG_PASSED := $(call host-objects,clang,$(filter-out $(BUILD)/%,$(TESTED_SRCS) \
	$(filter %.c,$(TESTED_ARCH_SRCS)) $(TESTED_PROBE_SRCS) $(TESTED_EFI_SRCS) $(FUZZ_SRCS)))
$(CLANG_PASSED): $(BUILD)/clang/%.o: %.c $(PACKAGES_BUILD) $(PACKAGES_FUZZ) mk/flags.mk mk/host.mk
	@mkdir -p $(@D)
	$(call print,CLANG,$<)clang $(HOST_CFLAGS) $(OBJECT_CFLAGS) -fsyntax-only -MF $(@:.o=.d) \
		-MT $@ $< && touch $@

WRITTEN += $(WHOLE_OBJS:.o=.d) $(UNIT_LIB_OBJS:.o=.d) $(UNIT_COMMON_OBJS:.o=.d) $(UNIT_OBJS:.o=.d)
WRITTEN += $(SEED_OBJS:.o=.d) $(FUZZ_LIB_OBJS:.o=.d) $(FUZZ_OBJS:.o=.d)
WRITTEN += $(CLANG_PASSED:.o=.d) $(STATISTICS_OBJS:.o=.d) $(STATISTICS_COMMON_OBJS:.o=.d)

# Kept, so that a second `make test` links nothing.
.SECONDARY:

# A page of the screen as a picture, without a machine.
PREVIEW_OBJS := $(call host-objects,unit-obj,tests/preview/preview.c)
$(BUILD)/preview: $(PREVIEW_OBJS) $(BUILD)/unit-obj/common.a $(UNIT_FLOORS)
	$(call print,LD,$@)$(CC) $(SANITIZE) -o $@ $^ $(TESTED_LIBS)
WRITTEN += $(PREVIEW_OBJS:.o=.d)

# `make test-unit T=config`: what has that in its file's name or its folder's.
T ?=
wanted = $(foreach name,$(1),$(if $(findstring $(T),$($(2)_OF_$(name))),$(name)))
wanted-sources = $(foreach name,$(1),$(foreach source,$($(2)_OF_$(name)),\
	$(if $(findstring $(T),$(source)),$(source))))
UNIT_WANTED := $(if $(T),$(addprefix $(BUILD)/unit/,$(call wanted,$(UNIT_NAMES),UNIT)),\
	$(UNIT_PROGRAMS))
SEEDS_WANTED := $(if $(T),$(addprefix $(BUILD)/seeds/,$(call wanted,$(SEED_NAMES),SEEDS)),\
	$(SEED_PROGRAMS))
SOURCES_WANTED := $(strip $(call wanted-sources,$(UNIT_NAMES),UNIT) \
	$(call wanted-sources,$(SEED_NAMES),SEEDS))
RUN_PYTEST = tests/run --build $(BUILD) --workers $(PYTEST_WORKERS)

# program-map,FOLDER,SOURCES, for tests/programs.py, has a line per source with the program that has
# its tests. Programs are in FOLDER, except those of SOURCES, which are in statistics/.
program-folder = $(if $(filter $(1),$(3)),statistics,$(2))
define program-map
$(foreach name,$(UNIT_NAMES),$(foreach source,$(UNIT_OF_$(name)),\
$(source) $(call program-folder,$(source),$(1),$(2))/$(name)
))$(foreach name,$(SEED_NAMES),$(foreach source,$(SEEDS_OF_$(name)),$(source) seeds/$(name)
))
endef
.PHONY: $(BUILD)/programs
$(BUILD)/programs:
	@:$(shell mkdir -p $(@D))$(file >$@,$(call program-map,unit,$(ALL_ROUNDS)))
NET_TESTS := $(addprefix tests/system/,test_http.py test_net.py test_net_exact.py \
	test_pxe.py)
TEST_UNIT := tests/unit tests/fuzz
TEST_SYSTEM := tests/system tests/lint tests/machines tests/sessions
# Firmware's variables as its first start leaves them.
WARM := $(addprefix $(BUILD)/warm/,plain.fd smm.fd)
$(WARM): $(PACKAGES_FIRMWARE) | $(PACKAGES_RUN) $(BUILD)/noisefloor.efi $(BUILD)/noisefloor
	@mkdir -p $(@D)
	$(call print,BOOT,$@)BUILD=$(BUILD) qemu/run --accel tcg --smp 1 \
		--firmware $(basename $(@F)) --app $(BUILD)/noisefloor.efi \
		--config "duration=10ms save=none live=no" \
		--out $(@:.fd=) </dev/null >$@.log 2>&1 || { cat $@.log >&2; exit 1; }
	@mv $(@:.fd=)/vars.fd $@

SYSTEM_NEEDS := $(PACKAGES_TEST) $(PACKAGES_SYSTEM) $(PACKAGES_FIRMWARE) $(PACKAGES_RUN) \
	$(PACKAGES_LINT) $(BUILD)/tables $(BUILD)/schema.json \
	$(BUILD)/noisefloor.efi $(PVH_ELF) $(WARM) $(BUILD)/noisefloor \
	$(BUILD)/noisefloor-collect \
	$(BUILD)/image/noisefloor.conf $(BUILD)/image/medium.sh \
	$(BUILD)/puppet.efi $(BUILD)/launcher.efi $(BUILD)/inject.efi \
	$(BUILD)/quirks.efi \
	$(VARIANT_IMAGES) \
	$(BUILD)/bench/fleet_nodes $(BUILD)/bad_disk.so $(BUILD)/preview \
	$(BUILD)/noisefloor.img \
	$(BUILD)/noisefloor.iso
# No test of these takes AArch64's application from the media.
X86_64_GOALS := $(if $(filter x86_64,$(ARCH)),test test-system test-attribution)
ALL_NEEDS := $(SYSTEM_NEEDS) $(PACKAGES_AARCH64) $(AARCH64_IMAGES) \
	$(BUILD)/noisefloor-static $(BUILD)/aarch64/noisefloor-static qemu-user-if-possible \
	shim-aarch64-if-possible \
	qemu10-if-possible engines-if-possible \
	loaders-if-possible lava-if-possible \
	tfa-if-possible ovmf13-if-possible lintian-if-possible $(PACKAGES_DEB)

# TALLY=FILE keeps what was counted; `make test-all AFTER=FILE` continues from there, and runs only
# what `make test` leaves out.
TALLY ?=
AFTER ?=
TEST_TALLY = $(if $(TALLY),--tally $(TALLY)) $(if $(AFTER),--after $(AFTER))
# Tests that `make test` leaves out, and those with more rounds.
TEST_REST = -m "(full or rounds) and not long"

# Between the collector and the disk, by LD_PRELOAD.
$(BUILD)/bad_disk.so: tests/system/bad_disk.c $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	$(call print,LD,$@)$(CC) $(COMMON_CFLAGS) -shared -fPIC -o $@ $<

# Not installed: they are run from where they are unpacked, and nothing else starts them.
ENGINES := influxdb victoria-metrics

.PHONY: test test-all test-unit test-system test-exact test-net test-attribution test-engines
.PHONY: test-machines fuzz coverage engines engines-if-possible loaders-if-possible
.PHONY: machines-if-possible
.PHONY: qemu-user-if-possible shim-aarch64-if-possible ovmf13-if-possible lintian-if-possible

# Other machines, and what starts the probe there.
MACHINES := $(BUILD)/machines

engines: ## fetch the time-series engines of Debian into build/engines
	@mk/unpack.sh $(BUILD)/engines $(ENGINES)

# For tests, which report why they are skipped.
engines-if-possible:
	@mk/unpack.sh $(BUILD)/engines $(ENGINES) || true

# For tests that emulate a processor; they skip without it.
qemu-user-if-possible:
	@mk/unpack.sh $(BUILD)/qemu-user qemu-user-static || true

# For tests of Secure Boot on AArch64; they skip without it.
shim-aarch64-if-possible:
	@mk/foreign.sh $(BUILD)/aarch64/shim aarch64 shim-signed || true

# For tests of another loader and another firmware; they skip without them.
loaders-if-possible: $(PACKAGES_BUILD)
	@mk/unpack.sh $(MACHINES)/grub grub-efi-amd64-bin || true
	@mk/unpack.sh $(MACHINES)/ia32 ovmf-ia32 || true

# For tests of other emulators, which only test-machines has.
machines-if-possible: $(PACKAGES_BUILD)
	@mk/bochs.sh $(MACHINES)/bochs || true
	@mk/kvm.sh $(MACHINES)/kvm || true

# The firmware of Debian 13, whichever release this is; tests skip without it.
ovmf13-if-possible:
	@SUITE=trixie mk/unpack.sh $(BUILD)/ovmf13 ovmf || true

# For the check of packages; it is skipped without lintian.
lintian-if-possible:
	@CC='$(CC)' mk/packages.sh $(BUILD)/packages/lintian lintian || true

# Real firmware at level 3 of AArch64; tests skip without it. TFA_TARBALL=FILE names a copy of its
# source.
TFA_TARBALL ?=
TFA_FLASH := $(BUILD)/tfa/uboot.bin
$(TFA_FLASH): mk/source.sh $(wildcard tests/inject/aarch64/tfa/* tests/inject/*.h) \
		tests/inject/fwcfg.c tests/inject/aarch64/monitor/monitor.h | $(PACKAGES_BUILD) \
		$(PACKAGES_CROSS) $(PACKAGES_FIRMWARE)
	@tests/inject/aarch64/tfa/build.sh $(@D) TFA_TARBALL=$(TFA_TARBALL)

.PHONY: tfa-if-possible
tfa-if-possible:
	@$(MAKE) $(TFA_FLASH) || true

# LAVA's own parser of what the probe prints with lava=yes, and what that imports.
LAVA_PACKAGES := lava-dispatcher lava-common $(addprefix python3-,pexpect ptyprocess yaml requests \
	urllib3 certifi chardet idna six)
.PHONY: lava-if-possible
lava-if-possible:
	@mk/unpack.sh $(BUILD)/lava $(LAVA_PACKAGES) || true

# By the processor; test-all has the tests of all.
TEST_NEEDS_x86_64 := $(UNIT_PROGRAMS) $(SEED_PROGRAMS) $(BUILD)/programs $(SYSTEM_NEEDS)
TEST_NEEDS_aarch64 := $(PACKAGES_TEST) $(PACKAGES_FIRMWARE) $(PACKAGES_RUN) $(PACKAGES_AARCH64) \
	$(AARCH64_IMAGES) $(BUILD)/noisefloor $(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso
TEST_x86_64 = $(TEST_UNIT) $(TEST_SYSTEM) -m "not full"
TEST_aarch64 = $(wildcard tests/system/test_aarch64*.py) tests/system/test_attribution.py \
	-k aarch64 -m "not long"

test: ## run what proves each thing once, before a commit: ARCH=aarch64
test: $(TEST_NEEDS_$(ARCH))
	@$(RUN_PYTEST) $(TEST_TALLY) --pytest $(TEST_$(ARCH))

test-all: ## run all tests, with all rounds
test-all: ALL_ROUNDS := $(STATISTICS_SRCS)
test-all: $(UNIT_PROGRAMS) $(SEED_PROGRAMS) $(BUILD)/programs $(ALL_NEEDS) $(CLANG_PASSED) \
	$(STATISTICS_PROGRAMS)
	@$(RUN_PYTEST) $(TEST_TALLY) --rounds all --pytest $(TEST_UNIT) $(TEST_SYSTEM) \
		$(if $(AFTER),$(TEST_REST),-m "not long")

test-unit: ## run the unit tests and the fuzzers' seeds; T=config: those of that name
test-unit: $(UNIT_WANTED) $(SEEDS_WANTED) $(BUILD)/programs
	@$(RUN_PYTEST) $(if $(T),--workers 0) --pytest $(if $(T),$(or $(SOURCES_WANTED),\
		$(error T=$(T): in the name of no unit test's file or folder)),$(TEST_UNIT))

test-system: $(SYSTEM_NEEDS) ## run the tests of `make test` that boot QEMU
	@$(RUN_PYTEST) --pytest $(TEST_SYSTEM) -m "not full"

test-exact: $(ALL_NEEDS) ## match gaps with injected SMIs, all schedules
	@$(RUN_PYTEST) --pytest $(TEST_SYSTEM) -m exact

test-net: $(ALL_NEEDS) ## records from QEMU to the collector, over good, bad and lying networks
	@$(RUN_PYTEST) --pytest $(NET_TESTS)

test-attribution: $(SYSTEM_NEEDS) ## compare injected and reported causes, as a matrix
	@$(RUN_PYTEST) --pytest tests/system/test_attribution.py

test-engines: ## points into two engines; fleets of 2,000 from them, and over two collectors
test-engines: engines $(PACKAGES_TEST) $(BUILD)/noisefloor $(BUILD)/noisefloor-collect
test-engines: $(BUILD)/bench/fleet_nodes $(BUILD)/bad_disk.so
	@$(RUN_PYTEST) --pytest tests/system/test_engines.py tests/system/test_collectors.py

test-machines: ## the probe on many machines; kexec from other kernels
test-machines: $(ALL_NEEDS) machines-if-possible
	@$(RUN_PYTEST) --pytest tests/machines tests/system/test_aarch64.py \
		tests/system/test_kexec.py

SEED ?= 1
COUNT ?= 20

.PHONY: mutants
mutants: $(PACKAGES_TEST) ## spoil lines of the product, and see which tests notice: SEED=1 COUNT=20
	@tests/mutants --seed $(SEED) --count $(COUNT)

fuzz: $(FUZZ_PROGRAMS) ## run every fuzz target for FUZZ_SECONDS=60
	@tests/fuzz/run $(BUILD) $(FUZZ_SECONDS) $(FUZZ_PROGRAMS)

# How each source is compiled, for clangd, which looks there by itself. The application's flags
# come first.
DATABASE := $(BUILD)/noisefloor.efi $(PVH_ELF) $(BUILD)/noisefloor $(BUILD)/noisefloor-collect \
	$(UNIT_OBJS) $(UNIT_COMMON_OBJS) \
	$(SEED_OBJS) $(FUZZ_OBJS) $(PUPPET_OBJS) $(QUIRKS_OBJS) \
	$(BUILD)/inject.efi $(VARIANT_IMAGES) \
	$(BUILD)/bench/fleet_nodes $(BUILD)/bad_disk.so $(BUILD)/preview

.PHONY: compile_commands.json
compile_commands.json: $(PACKAGES_BUILD) ## build/compile_commands.json, for clangd
	@$(MAKE) -nB V=1 $(DATABASE) | mk/compile_commands.py >$(BUILD)/$@.part
	@mv $(BUILD)/$@.part $(BUILD)/$@

# Unit tests once more without sanitizers, counted line by line.
COVERAGE_OBJS := $(call host-objects,coverage-obj,$(UNIT_COMMON_SRCS) $(TESTED_SRCS))
COVERAGE_NAMES := $(filter-out whole/%,$(UNIT_NAMES))
COVERAGE_ARCH_OBJS := $(call host-objects,coverage-obj,$(TESTED_ARCH_SRCS) $(TESTED_PROBE_SRCS) \
	$(TESTED_EFI_SRCS))
WRITTEN += $(COVERAGE_OBJS:.o=.d) $(COVERAGE_ARCH_OBJS:.o=.d)

$(BUILD)/coverage-obj/tested.a: $(COVERAGE_OBJS) $(COVERAGE_ARCH_OBJS)
$(BUILD)/coverage-obj/tested.a: $(call others-objects,coverage-obj)
	@rm -f $@
	$(call print,AR,$@)ar rcs $@ $^

# coverage-rules,NAME: the program of those tests.
define coverage-rules
$(BUILD)/coverage/$(1): $(call host-objects,coverage-obj,$(UNIT_OF_$(1))) \
		$(BUILD)/coverage-obj/tested.a
	@mkdir -p $$(@D)
	$$(call print,LD,$$@)$(CC) --coverage -o $$@ $$^ -lcmocka $(TESTED_LIBS) -lexpat
endef
$(foreach name,$(COVERAGE_NAMES),$(eval $(call coverage-rules,$(name))))

coverage: $(COVERAGE_NAMES:%=$(BUILD)/coverage/%) $(PACKAGES_COVERAGE)
coverage: ## measure the coverage of core/ and host/ by the unit tests
	@find $(BUILD)/coverage-obj -name '*.gcda' -delete
	@:$(file >$(BUILD)/programs-coverage,$(call program-map,coverage))
	@PROGRAMS=programs-coverage $(RUN_PYTEST) --pytest tests/unit
	@gcovr --root . --filter core/ --filter host/ --filter 'arch/.*/(topology|attribution)' \
		--csv - $(BUILD)/coverage-obj | \
		$(PYTHON) tests/coverage_table.py
