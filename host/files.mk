HOST_SRCS := $(sort $(wildcard host/*.c))
