EFI_SRCS := $(sort $(wildcard efi/*.c efi/*.S))
