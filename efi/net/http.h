/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware's HTTP client can fetch, where the image was started from a URI. */
#pragma once

#include <efi.h>

struct options;

/*
 * When the image was fetched from a URI, or is on a RAM disk that the firmware made of what it
 * fetched: ask the same server for a configuration, in the same folder, and apply it (served.h).
 * Mistakes, and a file that breaks off, are counted in o->mistakes. What can be done by https, and
 * which certificates are trusted, is the firmware's.
 */
void http_read(struct options *o, EFI_HANDLE device);
