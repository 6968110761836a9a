/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the report that puts gaps together: events, and sources of them. */
#pragma once

#include "report.h"

/* The stage's events and sources, as text and as records on all links; counts what is left out. */
void report_events(struct report *r);

/* A source, under a head where it is the stage's first: as text. */
void report_source_text(struct report *r, const struct record_source *record, bool first);
