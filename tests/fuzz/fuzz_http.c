/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine answers to points that it does not accept. */
#include "host/collect/engine/http.h"

#include "tests/fuzz/take.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct http_answer answer = { .status = 400 };
	char why[HTTP_ANSWER_WHY];

	answer.bytes = bytes < HTTP_ANSWER_MAX ? bytes : HTTP_ANSWER_MAX;
	if (bytes)
		memcpy(answer.body, data, answer.bytes);
	http_answer_why(&answer, why);
	for (const char *c = why; *c; c++)
		if ((unsigned char)*c < ' ')
			abort();
	return 0;
}
