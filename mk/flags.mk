# SPDX-License-Identifier: BSD-2-Clause
# Compiler flags, by what is built.

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	-Wpointer-arith -Wvla -Werror
# Images are the same with -g and with -g0.
DEBUG_INFO := -g
COMMON_CFLAGS := -std=gnu11 -O2 $(DEBUG_INFO) -fsigned-char $(WARNINGS) -I. \
	-DNF_VERSION='"$(VERSION)"' "-ffile-prefix-map=$(CURDIR)=." -MMD -MP

# Programs that run here.
HOST_CFLAGS = $(COMMON_CFLAGS) -Iarch/$(HOST_ARCH)

# Hardening options, those of dpkg-buildflags that are installed. The environment's options, as
# dpkg-buildpackage and rpmbuild set them, come last.
HARDEN_CFLAGS_x86_64 := -fcf-protection
HARDEN_CFLAGS_aarch64 := -mbranch-protection=standard
HARDEN_CFLAGS = -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	$(HARDEN_CFLAGS_$(HOST_ARCH)) $(CPPFLAGS) $(CFLAGS)
HARDEN_LDFLAGS := -Wl,-z,relro -Wl,-z,now $(LDFLAGS)

# gcc or clang: by name too, as it may not be installed yet.
COMPILER := $(if $(findstring clang,$(CC) $(shell $(CC) --version 2>/dev/null)),clang,gcc)
# A loop that clears memory shall not become a call of memset, which is such a loop; clang makes
# none of freestanding code.
EFI_CFLAGS_gcc := -fno-tree-loop-distribute-patterns
EFI_CFLAGS_clang :=
EFI_CFLAGS_x86_64 := -mno-red-zone -fcf-protection=none
EFI_CFLAGS_x86_64_gcc := -maccumulate-outgoing-args
EFI_CFLAGS_aarch64 := -mno-outline-atomics

# The EFI application: no libc, no FPU or vector registers, position-independent.
EFI_CFLAGS := $(COMMON_CFLAGS) -ffreestanding -fshort-wchar -fpic \
	-mgeneral-regs-only -fno-stack-protector -fno-strict-aliasing \
	-ffunction-sections -fdata-sections -fvisibility=hidden $(EFI_CFLAGS_$(COMPILER)) \
	$(EFI_CFLAGS_$(ARCH)) $(EFI_CFLAGS_$(ARCH)_$(COMPILER))

# One short line per command; `make V=1` shows the whole of it.
print = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)' && )

# Options for code that does not run while the machine is measured: optimise for size. gcc moves
# constants out of loops at any price: 2 KB.
SMALL_CFLAGS_gcc := -fno-move-loop-invariants -fno-tree-loop-im -fno-tree-dominator-opts
SMALL_CFLAGS_clang :=
SMALL_CFLAGS := -Oz $(SMALL_CFLAGS_$(COMPILER))
SMALL := core drivers probe efi pvh
SMALL_ARCH := calibrate members trap_try $(addprefix $(ARCH)/,apic cpu device \
	counters/attribution_smm counters/attribution_levels \
	counters/counters_arm counters/counters_find first_look identify paging services smp \
	survey survey/survey topology translation work/caches \
	work/processor)
$(foreach folder,$(SMALL),$(BUILD)/$(EFI_OBJ)/$(folder)/%.o): SIZE_CFLAGS := $(SMALL_CFLAGS)
$(SMALL_ARCH:%=$(BUILD)/$(EFI_OBJ)/arch/%.o): SIZE_CFLAGS := $(SMALL_CFLAGS)
