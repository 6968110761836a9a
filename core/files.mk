CORE_SRCS := $(sort $(wildcard core/*.c))
