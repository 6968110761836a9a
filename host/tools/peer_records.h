/* SPDX-License-Identifier: BSD-2-Clause */
/* noisefloor's own records, stage `os`, as one more peer. */
#ifndef HOST_PEER_RECORDS_H
#define HOST_PEER_RECORDS_H

#include "peer.h"

struct peer_records;

/* The name of the stage that is measured from inside an OS. */
#define PEER_RECORDS_STAGE "os"

struct peer_records *peer_records_new(const char *file, peer_complain *complain, void *ctx);
void peer_records_feed(struct peer_records *r, const char *bytes, size_t count);

/*
 * Append a piece for each run that was measured from inside an OS; the others are
 * complained of. True when there was any run. Frees `r`.
 */
bool peer_records_end(struct peer_records *r, struct peers *peers);

#endif
