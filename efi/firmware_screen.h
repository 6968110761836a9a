/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's screen. Source: UEFI 2.10, 12.9 (Graphics Output Protocol). */
#pragma once

#include "drivers/framebuffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Implement door.find_screen() and door.paint(). */
bool firmware_screen_find(struct framebuffer *f, bool *paints);
void firmware_screen_paint(const struct framebuffer_area *a, const uint32_t *pixels,
			   bool one_colour);
