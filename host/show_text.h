/* SPDX-License-Identifier: BSD-2-Clause */
/* A run as text for people: what the probe itself prints, from its records. */
#ifndef HOST_SHOW_TEXT_H
#define HOST_SHOW_TEXT_H

#include "reader.h"

/* The record types it needs, as bits 1 << type. */
#define SHOW_TEXT_WANTED                                                                    \
	(1u << RECORD_BEGIN | 1u << RECORD_STAGE | 1u << RECORD_WINDOW | 1u << RECORD_GAP | \
	 1u << RECORD_EVENT | 1u << RECORD_CPU | 1u << RECORD_SOURCE | 1u << RECORD_PAUSE | \
	 1u << RECORD_LOG | 1u << RECORD_END)

/* Print the run, whose records were kept with shown_keep(), to standard output. */
void show_text(const char *file, struct reader_run *run);

#endif
