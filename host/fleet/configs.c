/* SPDX-License-Identifier: BSD-2-Clause */
/* A list that is sorted once: a fleet may have as many configurations as machines. */
#include "configs.h"

#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/text.h"

#include <stdlib.h>
#include <string.h>

void configs_add_many(struct configs *c, const uint8_t digest[SHA256_BYTES], size_t nodes,
		      const char *uuid)
{
	struct configs_one *one;

	if (!facts_config_known(digest))
		return;
	one = MEMORY_ADD(c->at, c->count);
	*one = (struct configs_one){ .nodes = nodes, .uuid = uuid };
	memcpy(one->digest, digest, SHA256_BYTES);
}

void configs_add(struct configs *c, const uint8_t digest[SHA256_BYTES], const char *uuid)
{
	configs_add_many(c, digest, 1, uuid);
}

static int by_digest(const void *a, const void *b)
{
	const struct configs_one *x = a, *y = b;

	return memcmp(x->digest, y->digest, SHA256_BYTES) ?: strcmp(x->uuid, y->uuid);
}

static int by_nodes(const void *a, const void *b)
{
	const struct configs_one *x = a, *y = b;

	return ORDER(y->nodes, x->nodes) ?: by_digest(x, y);
}

bool configs_differ(struct configs *c)
{
	size_t kept = 0;

	ORDER_SORT(c->at, c->count, by_digest);
	for (size_t i = 0; i < c->count; i++) {
		struct configs_one *last = kept ? &c->at[kept - 1] : NULL;

		if (last && memcmp(last->digest, c->at[i].digest, SHA256_BYTES) == 0)
			last->nodes += c->at[i].nodes;
		else
			c->at[kept++] = c->at[i];
	}
	c->count = kept;
	ORDER_SORT(c->at, c->count, by_nodes);
	return c->count > 1;
}

const char *configs_short(const uint8_t digest[SHA256_BYTES], char buf[CONFIGS_DIGITS + 1])
{
	struct text t;

	text_init(&t, buf, CONFIGS_DIGITS + 1);
	text_hex(&t, digest, CONFIGS_DIGITS / 2);
	return buf;
}

json_t *configs_digits(const uint8_t digest[SHA256_BYTES])
{
	TEXT_DEFINE(digits, 2 * SHA256_BYTES + 1);

	text_hex(&digits, digest, SHA256_BYTES);
	return json_string(digits.buf);
}

json_t *configs_json(const struct configs *c)
{
	return JSON_ARRAY(i, i < c->count,
			  json_pack("{s:o, s:I, s:s}", "config", configs_digits(c->at[i].digest),
				    "nodes", (json_int_t)c->at[i].nodes, "uuid", c->at[i].uuid));
}

void configs_free(struct configs *c)
{
	free(c->at);
	*c = (struct configs){ 0 };
}
