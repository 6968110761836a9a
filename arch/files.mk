ARCH_SRCS := $(sort $(wildcard arch/*.c arch/$(ARCH)/*.c arch/$(ARCH)/*.S))
