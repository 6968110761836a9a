# SPDX-License-Identifier: BSD-2-Clause
# What others have written: sources of Debian's, of any release that mk/sources/NAME.sha256 lists.

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
