/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine answers to points that it does not accept. */
#include "host/collect/engine/engine_answer.h"

#include "tests/fuzz/take.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char why[ENGINE_ANSWER_WHY], *body = malloc(bytes + 1);
	const struct http_answer answer = { .status = 400, .body = body, .bytes = bytes };

	if (!body)
		abort();
	if (bytes)
		memcpy(body, data, bytes);
	body[bytes] = '\0';
	engine_answer_why(&answer, why);
	for (const char *c = why; *c; c++)
		if ((unsigned char)*c < ' ')
			abort();
	free(body);
	return 0;
}
