/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A configuration from the server that the image came from, whatever protocol that speaks: by the
 * names of core/config/config_names.h, the first that is there. What was asked is reported.
 */
#pragma once

#include "core/config/config.h"
#include "core/config/config_names.h"

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

#define SERVED_SECONDS 10
#define SERVED_ROOM    (CONFIG_TEXT_MAX + 1) /* one more than the limit: a longer file shows */

struct options;

/*
 * If the image came through PXE on this device: request a configuration from the boot server, and
 * apply it. Mistakes, and a truncated file, are counted in o->mistakes.
 */
void served_by_pxe(struct options *o, EFI_HANDLE device);

/*
 * Counterpart of served_by_pxe() if the image was fetched from a URI, or is on a RAM disk that the
 * firmware made from the download. The firmware decides what https can do, and which certificates
 * are trusted.
 */
void served_by_http(struct options *o, EFI_HANDLE device);

/* State of a request, for both protocols */

struct served {
	struct options *options;
	const char *protocol; /* "tftp" */
	const char *server;   /* for people */
	/*
	 * Ask for one file: apply it, or report what became of it. False: it is not there, and the
	 * next name is tried.
	 */
	bool (*ask)(struct served *s, const char *name);

	char *text; /* SERVED_ROOM bytes */
	EFI_EVENT deadline;
	bool late;
	bool is_there; /* the server has begun to send the file, or has refused it by other means
			* than not having it */
};

/* Fetch a file. This takes at most SERVED_SECONDS, plus one time-out of the firmware. */
void served_fetch(struct served *s, const struct config_names *names);

bool served_is_late(struct served *s);

/* The file has come: `bytes` of s->text. */
void served_apply(struct served *s, const char *name, uint64_t bytes);

/*
 * The file did not come. One that is there stops the run before it starts; a server that is silent
 * may have none.
 */
void served_blame(struct served *s, const char *name, const char *what);

/* served_blame() with the text of a firmware status. */
void served_blame_status(struct served *s, const char *name, EFI_STATUS status);
