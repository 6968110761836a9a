DRIVER_SRCS := $(sort $(wildcard drivers/*.c))
