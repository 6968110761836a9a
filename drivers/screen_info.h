/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen that Linux's boot_params describe. */
#pragma once

#include "framebuffer.h"

/*
 * Read boot_params, which begin with a struct screen_info. framebuffer_check() refuses what cannot
 * be used; without a linear screen whose pixels are as in struct framebuffer, all is 0.
 */
struct framebuffer screen_info_read(const uint8_t *params);
