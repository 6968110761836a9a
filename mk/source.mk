# SPDX-License-Identifier: BSD-2-Clause
# What others have written: sources of Debian's, of any release that mk/sources/NAME.sha256 lists.

# Lists of Debian's archive, which mk/apt.sh fetches once for all that is taken from there.
export APT_STATE := $(if $(filter /%,$(BUILD)),,$(CURDIR)/)$(BUILD)/apt

# source,VARIABLE,NAME: what the source package NAME has is in $(VARIABLE)/src, as soon as there
# is $(VARIABLE)/fetched. VARIABLE_TARBALL=FILE names a copy of what is fetched else.
define source
$(1) := $(BUILD)/$(2)
$(1)_TARBALL ?=

# The list is no prerequisite: what has been fetched stays good when another is added.
$(BUILD)/$(2)/fetched: mk/source.sh mk/apt.sh | $(PACKAGES_BUILD) $(PACKAGES_FETCH)
	@mk/source.sh $(2) $(BUILD)/$(2) mk/sources/$(2).sha256 $(1)_TARBALL=$$($(1)_TARBALL)
	@touch $$@
endef

# libfdt of the device tree compiler, and what of ours includes it.

$(eval $(call source,LIBFDT,device-tree-compiler))

LIBFDT_PARTS := fdt fdt_check fdt_ro
LIBFDT_SRCS := $(LIBFDT_PARTS:%=$(LIBFDT)/src/libfdt/%.c)

$(LIBFDT_SRCS): $(LIBFDT)/fetched ;

LIBFDT_INCLUDES := -isystem $(LIBFDT)/src/libfdt
LIBFDT_USERS := $(patsubst %.c,%.o,$(wildcard core/device_tree/*.c))
$(foreach user,$(LIBFDT_USERS),$(eval $(BUILD)/%/$(user): OBJECT_CFLAGS := $(LIBFDT_INCLUDES)))
# Trees older than version 17 are refused before.
LIBFDT_CFLAGS := $(LIBFDT_INCLUDES) -DFDT_ASSUME_MASK=4

libfdt-objects = $(LIBFDT_PARTS:%=$(BUILD)/$(1)/libfdt/%.o)

# libfdt-rules,FOLDER,COMPILER,FLAGS,NEEDS: its compile rules.
define libfdt-rules
$(BUILD)/$(1)/libfdt/%.o: $(LIBFDT)/src/libfdt/%.c $(4) mk/flags.mk mk/source.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $(3) $(LIBFDT_CFLAGS) -w -c -o $$@ $$<

$(LIBFDT_USERS:%=$(BUILD)/$(1)/%): $(LIBFDT)/fetched
endef

# others-objects,FOLDER: what becomes of them in a folder under $(BUILD), beside ours.
others-objects = $(call libfdt-objects,$(1)) $(call lwip-objects,$(1)) \
	$(call qrcodegen-objects,$(1))

# others-rules,FOLDER,COMPILER,FLAGS,NEEDS: how. Their warnings are not ours to fix. NEEDS has what
# COMPILER takes beyond the group `build`.
define others-rules
$(call libfdt-rules,$(1),$(2),$(3),$(PACKAGES_BUILD) $(4))

$(call lwip-rules,$(1),$(2),$(3),$(PACKAGES_BUILD) $(4))

$(call qrcodegen-rules,$(1),$(2),$(3),$(PACKAGES_BUILD) $(4))
endef
