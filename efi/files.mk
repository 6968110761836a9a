# SPDX-License-Identifier: BSD-2-Clause
# The sources of efi/.
EFI_SRCS := $(sort $(wildcard efi/*.c efi/*.S efi/*/*.c))
