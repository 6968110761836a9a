# SPDX-License-Identifier: BSD-2-Clause
# The sources of drivers/, but for net/, which needs lwIP.
DRIVER_SRCS := $(sort $(wildcard drivers/*.c drivers/nic/*.c drivers/tpm/*.c))
