/* SPDX-License-Identifier: BSD-2-Clause */
/* Why an engine did not accept points, by its answer. Nothing of that is trusted. */
#pragma once

#include "http.h"

#define ENGINE_ANSWER_WHY 200

/* In printable words. */
void engine_answer_why(const struct http_answer *http, char why[ENGINE_ANSWER_WHY]);
