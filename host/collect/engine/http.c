/* SPDX-License-Identifier: BSD-2-Clause */
/* libcurl's easy interface; what an answer may cost is bounded here. */
#define _GNU_SOURCE /* asprintf */
#include "http.h"

#include "host/lib/text_sanitize.h"
#include "host/lib/whole_file.h"
#include "host/program/config_words.h"

#include "core/lib/arith.h"

#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define SCHEMES   "http,https"
#define CONNECT_S 10L

#define AUTHORIZATION     "Authorization: "
#define AUTHORIZATION_MAX 4096

static bool has_part(CURLU *u, CURLUPart part)
{
	char *text = NULL;
	bool has = curl_url_get(u, part, &text, 0) == CURLUE_OK;

	curl_free(text);
	return has;
}

bool http_is_url(const char *url)
{
	CURLU *u = curl_url();
	bool is_url = u &&
		      (strncasecmp(url, "http://", 7) == 0 ||
		       strncasecmp(url, "https://", 8) == 0) &&
		      strpbrk(url, " \t\r\n") == NULL &&
		      curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
		      !has_part(u, CURLUPART_USER) && !has_part(u, CURLUPART_PASSWORD);

	curl_url_cleanup(u);
	return is_url;
}

const char *http_unsupported(const char *url)
{
	if (!strchr(url, '@'))
		return NULL;
	return "a password in a URL is visible to all users of this machine: use --netrc-file";
}

void http_shown(const char *url, char to[HTTP_SHOWN])
{
	const char *user = strrchr(url, '@'), *rest = user ? user + 1 : url;
	const char *query = strchr(rest, '?');
	bool is_name = query && strncmp(query, "?db=", 4) == 0;

	snprintf(to, HTTP_SHOWN, "%s%.*s", user ? "***@" : "",
		 (int)strcspn(rest, is_name ? "&" : "?"), rest);
}

struct http {
	CURL *curl;
	struct curl_slist *head;
	char *authorization; /* the header; NULL: none */
	char error[CURL_ERROR_SIZE];
	struct http_answer *answer; /* to the current request */
};

/* What there is no room for is dropped. */
static size_t take(char *bytes, size_t size, size_t count, void *ctx)
{
	struct http_answer *a = ((struct http *)ctx)->answer;
	size_t taken = arith_min(count * size, HTTP_ANSWER_MAX - a->bytes);

	memcpy(a->body + a->bytes, bytes, taken);
	a->bytes += taken;
	return count * size;
}

static bool is_readable(const char *file, const char *option, char why[HTTP_SHOWN])
{
	if (!file || access(file, R_OK) == 0)
		return true;
	snprintf(why, HTTP_SHOWN, "%s %s: %s", option, file, strerror(errno));
	return false;
}

/* What is in the file would else end as headers, or a body, of someone's choice. */
static bool is_printable_line(char *line)
{
	char *end = line + strcspn(line, "\r\n");

	if (end[strspn(end, "\r\n")] || end == line)
		return false;
	*end = '\0';
	for (; *line; line++)
		if (*line < ' ' || *line > '~')
			return false;
	return true;
}

/* False: `why` has what is wrong with the file. */
static bool read_authorization(struct http *h, const char *name, char why[HTTP_SHOWN])
{
	size_t bytes;
	char *read = (char *)whole_file_read(name, AUTHORIZATION_MAX - 1, &bytes);
	char value[AUTHORIZATION_MAX] = "";

	snprintf(why, HTTP_SHOWN, "--authorization %s: %s", name, strerror(errno));
	if (!read && errno != EFBIG)
		return false;
	if (read)
		memcpy(value, read, bytes);
	free(read);
	if (!read || strlen(value) != bytes || !is_printable_line(value))
		snprintf(why, HTTP_SHOWN,
			 "--authorization %s: accepted: one line of up to %d printable characters",
			 name, AUTHORIZATION_MAX - 1);
	else if (asprintf(&h->authorization, AUTHORIZATION "%s", value) < 0)
		h->authorization = NULL;
	return h->authorization;
}

/* False: memory has run out. */
static bool set_head(struct http *h)
{
	h->head = curl_slist_append(NULL, "Content-Type: text/plain; charset=utf-8");
	/* Nothing is gained by asking first whether a megabyte may be sent. */
	return h->head && curl_slist_append(h->head, "Expect:") &&
	       (!h->authorization || curl_slist_append(h->head, h->authorization));
}

static void prepare(struct http *h, const struct http_access *of)
{
	/* Without signals: this may be one thread of several. */
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_PROTOCOLS_STR, SCHEMES);
	curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->head);
	if (of->cacert)
		curl_easy_setopt(h->curl, CURLOPT_CAINFO, of->cacert);
	if (of->netrc) {
		curl_easy_setopt(h->curl, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
		curl_easy_setopt(h->curl, CURLOPT_NETRC_FILE, of->netrc);
	}
}

static void check_secrets(const char *program, const struct http_access *of)
{
	if (of->netrc)
		config_key_check(program, "--netrc-file", of->netrc);
	if (of->authorization)
		config_key_check(program, "--authorization", of->authorization);
}

struct http *http_open(const char *program, const struct http_access *of, char why[HTTP_SHOWN])
{
	struct http *h;

	if (!is_readable(of->cacert, "--cacert", why) ||
	    !is_readable(of->netrc, "--netrc-file", why))
		return NULL;
	h = calloc(1, sizeof(*h));
	if (h && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		h->curl = curl_easy_init();
	snprintf(why, HTTP_SHOWN, "%s", strerror(ENOMEM));
	if (h && h->curl && (!of->authorization || read_authorization(h, of->authorization, why)) &&
	    set_head(h)) {
		prepare(h, of);
		check_secrets(program, of);
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
	free(h->authorization);
	free(h);
}

/* One line on why there is no answer. What the peer has put into it is made printable. */
static void report(struct http *h, CURLcode code)
{
	static const struct {
		CURLcode code;
		const char *why;
	} words[] = {
		{ CURLE_GOT_NOTHING, "the connection was closed, unanswered" },
		{ CURLE_PARTIAL_FILE, "the answer is cut" },
		{ CURLE_OPERATION_TIMEDOUT, "no answer in time" },
		{ CURLE_UNSUPPORTED_PROTOCOL, "the answer is not HTTP" },
		{ CURLE_WEIRD_SERVER_REPLY, "the answer is not HTTP" },
	};
	const char *why = *h->error ? h->error : curl_easy_strerror(code);
	long error = 0;

	curl_easy_getinfo(h->curl, CURLINFO_OS_ERRNO, &error);
	if (code == CURLE_COULDNT_CONNECT && error)
		why = strerror((int)error);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		why = words[i].code == code ? words[i].why : why;
	text_sanitize_ascii(h->answer->why, sizeof(h->answer->why), why);
}

void http_post(struct http *h, const char *url, const char *body, size_t bytes, unsigned seconds,
	       struct http_answer *a)
{
	CURLcode code;
	long status = 0;

	*a = (struct http_answer){ 0 };
	h->answer = a;
	*h->error = '\0';
	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, (long)seconds);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
	code = curl_easy_perform(h->curl);
	if (code == CURLE_OK)
		code = curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK)
		report(h, code);
	else
		a->status = (int)status;
}

/* ---- Why an engine did not accept points, by its answer ---- */

/* InfluxDB answers with JSON, VictoriaMetrics with plain text. */
#define UNKNOWN_FORM "the answer has no reason that can be read"

static const char *reason_of(const json_t *answer)
{
	const json_t *error = json_object_get(answer, "error");

	return error ? json_is_string(error) ? json_string_value(error) : UNKNOWN_FORM : NULL;
}

/* Of an answer that is not JSON: VictoriaMetrics reports so. NULL: none for people. */
static const char *plain_reason(const struct http_answer *http)
{
	return *http->body && !strchr("<{[", *http->body) ? http->body : NULL;
}

void http_answer_why(const struct http_answer *http, char why[HTTP_ANSWER_WHY])
{
	json_t *answer = json_loadb(http->body, http->bytes, 0, NULL);
	const char *error = answer ? reason_of(answer) : NULL;

	error = error ? error : plain_reason(http);
	if (!http->status)
		snprintf(why, HTTP_ANSWER_WHY, "%s", http->why);
	else if (http->status >= 300 && http->status < 400)
		snprintf(why, HTTP_ANSWER_WHY, "HTTP status %d: redirects are not followed",
			 http->status);
	else if (error)
		snprintf(why, HTTP_ANSWER_WHY, "HTTP status %d: %.*s", http->status,
			 (int)arith_min(150, strcspn(error, "\r\n")), error);
	else
		snprintf(why, HTTP_ANSWER_WHY, "HTTP status %d", http->status);
	text_sanitize(why);
	json_decref(answer);
}
