/* SPDX-License-Identifier: BSD-2-Clause */
/* Load options of a boot entry, as text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Load options as firmware, boot loaders and shells pass them, UTF-16LE or ASCII, with or without
 * trailing NULs, to text for config_apply(). Writes at most `cap` bytes, sets *out_bytes, adds no
 * NUL. False, with *out_bytes 0: the text does not fit, or they are none that somebody may have
 * typed, in Latin letters, as firmware stores other data there, too.
 */
bool load_options_read(const void *options, size_t bytes, char *out, size_t cap, size_t *out_bytes);
