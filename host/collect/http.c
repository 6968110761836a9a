/* SPDX-License-Identifier: BSD-2-Clause */
/* libcurl's easy interface; what an answer may cost is bounded here. */
#include "http.h"

#include "host/lib/text_sanitize.h"
#include "host/program/config_words.h"

#include "core/lib/arith.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECT_S  10L
#define ANSWER_MAX ((size_t)150) /* bytes of an answer that are stored */

#define AUTHORIZATION     "Authorization: "
#define AUTHORIZATION_MAX 4095

struct http {
	CURL *curl;
	struct curl_slist *head;
	char authorization[sizeof(AUTHORIZATION) + AUTHORIZATION_MAX + 1]; /* a header, or "" */
	char error[CURL_ERROR_SIZE];
	char answer[ANSWER_MAX + 1]; /* to the current request: its beginning */
	size_t bytes;
};

bool http_is_url(const char *url)
{
	CURLU *u = curl_url();
	bool is_url = u && !strpbrk(url, "@ \t\r\n") &&
		      (strncasecmp(url, "http://", 7) == 0 ||
		       strncasecmp(url, "https://", 8) == 0) &&
		      curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK;

	curl_url_cleanup(u);
	return is_url;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *ctx)
{
	struct http *h = ctx;
	size_t taken = arith_min(count * size, ANSWER_MAX - h->bytes);

	memcpy(h->answer + h->bytes, bytes, taken);
	h->bytes += taken;
	return count * size;
}

static bool check_file(const char *option, const char *path, bool is_secret, char why[HTTP_WHY])
{
	bool is_readable = !path || access(path, R_OK) == 0;

	if (!is_readable)
		snprintf(why, HTTP_WHY, "%s %s: %s", option, path, strerror(errno));
	else if (path && is_secret)
		config_key_check("noisefloor-collect", option, path);
	return is_readable;
}

/*
 * Refuse anything but one printable line: further lines would be headers, or a body, of someone
 * else's choice.
 */
static bool read_authorization(struct http *h, const char *path, char why[HTTP_WHY])
{
	char *value = h->authorization + strlen(AUTHORIZATION);
	FILE *f = fopen(path, "re");
	size_t bytes = f ? fread(value, 1, AUTHORIZATION_MAX + 2, f) : 0, n = 0;

	memcpy(h->authorization, AUTHORIZATION, strlen(AUTHORIZATION));
	if (f)
		fclose(f);
	while (bytes && strchr("\r\n", value[bytes - 1]))
		bytes--;
	while (n < bytes && value[n] >= ' ' && value[n] <= '~')
		n++;
	if (bytes && n == bytes && bytes <= AUTHORIZATION_MAX) {
		value[bytes] = '\0';
		return true;
	}
	snprintf(why, HTTP_WHY,
		 "--authorization %s: accepted: one line of up to %d printable characters", path,
		 AUTHORIZATION_MAX);
	return false;
}

/* False: memory has run out. */
static bool set_head(struct http *h)
{
	h->head = curl_slist_append(NULL, "Content-Type: text/plain; charset=utf-8");
	/* Do not ask first whether a megabyte may be sent: that gains nothing. */
	return h->head && curl_slist_append(h->head, "Expect:") &&
	       (!*h->authorization || curl_slist_append(h->head, h->authorization));
}

static void http_prepare(struct http *h, const struct http_access *of)
{
	/* Without signals: this may be one thread of several. */
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->head);
	if (of->cacert)
		curl_easy_setopt(h->curl, CURLOPT_CAINFO, of->cacert);
	if (of->netrc) {
		curl_easy_setopt(h->curl, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
		curl_easy_setopt(h->curl, CURLOPT_NETRC_FILE, of->netrc);
	}
}

struct http *http_open(const struct http_access *of, char why[HTTP_WHY])
{
	struct http *h = calloc(1, sizeof(*h));

	snprintf(why, HTTP_WHY, "%s", strerror(ENOMEM));
	if (h && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		h->curl = curl_easy_init();
	if (h && h->curl && check_file("--cacert", of->cacert, false, why) &&
	    check_file("--netrc-file", of->netrc, true, why) &&
	    check_file("--authorization", of->authorization, true, why) &&
	    (!of->authorization || read_authorization(h, of->authorization, why)) && set_head(h)) {
		http_prepare(h, of);
		return h;
	}
	http_close(h);
	return NULL;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->curl);
	curl_slist_free_all(h->head);
	free(h);
}

int http_post(struct http *h, const char *url, const char *body, size_t bytes, unsigned seconds,
	      char why[HTTP_WHY])
{
	CURLcode code;
	long status = 0;

	h->bytes = 0;
	*h->error = '\0';
	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, (long)seconds);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
	code = curl_easy_perform(h->curl);
	h->answer[h->bytes] = '\0';
	if (code == CURLE_OK)
		curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status)
		snprintf(why, HTTP_WHY, "HTTP status %ld%s%.*s", status, *h->answer ? ": " : "",
			 (int)strcspn(h->answer, "\r\n"), h->answer);
	else
		snprintf(why, HTTP_WHY, "%s", *h->error ? h->error : curl_easy_strerror(code));
	text_sanitize(why);
	return (int)status;
}
