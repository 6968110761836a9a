/* SPDX-License-Identifier: BSD-2-Clause */
/* What people read of readiness, a line each. Printed by the probe and by `noisefloor show` alike.
 */
#pragma once

#include "readiness.h"

/*
 * SETTING                STATE         PROFILE        JUDGED     ASKS FOR
 * turbo                  off           openshift-ran  not ready  on
 */
void readiness_text_head(struct text *out);
void readiness_text_row(struct text *out, const struct record_readiness *r);
