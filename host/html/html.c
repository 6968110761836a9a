/* SPDX-License-Identifier: BSD-2-Clause */
/* Head and foot, cells. */
#include "html.h"

#include "host/lib/markup.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void html_open(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
	      "style-src &#39;unsafe-inline&#39;\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n",
	      f);
	html_element(f, "title", title);
	fprintf(f, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	html_element(f, "h1", title);
	fputc('\n', f);
}

void html_close(FILE *f)
{
	fputs("</main>\n</body>\n</html>\n", f);
}

void html_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	markup_text(f, text);
	fprintf(f, "</%s>", name);
}

void html_paragraph(void *page, const char *text)
{
	html_element(page, "p", text);
	fputc('\n', page);
}

void html_cell(FILE *f, const char *text)
{
	html_element(f, "td", text);
}

void html_cell_format(FILE *f, const char *format, ...)
{
	va_list args;

	fputs("<td class=\"n\">", f);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fputs("</td>", f);
}

void html_cell_number(FILE *f, uint64_t value)
{
	html_cell_format(f, "%" PRIu64, value);
}

void html_cell_maybe(FILE *f, struct maybe m)
{
	if (m.known)
		html_cell_number(f, m.value);
	else
		html_cell_format(f, "n/a");
}

void html_cell_duration(FILE *f, uint64_t ns)
{
	char buf[24];

	html_cell_format(f, "%s", ns ? html_duration(ns, buf) : "\xe2\x80\x93");
}

void html_table_open(FILE *f)
{
	fputs("<div class=\"wide\" tabindex=\"0\"><table><thead><tr>", f);
}

void html_head(FILE *f, const char *name, bool number)
{
	size_t bytes = strcspn(name, "(");

	/* A narrow table has the unit below. */
	fprintf(f, "<th%s>%.*s%s", number ? " class=\"n\"" : "", (int)bytes, name,
		name[bytes] ? "<wbr/>" : "");
	markup_text(f, name + bytes);
	fputs("</th>", f);
}

void html_table_rows(FILE *f)
{
	fputs("</tr></thead><tbody>\n", f);
}

void html_table(FILE *f, const char *heads)
{
	html_table_open(f);
	while (*heads) {
		size_t bytes = strcspn(heads, "|");
		int number = *heads == '>';

		fprintf(f, "<th%s>%.*s</th>", number ? " class=\"n\"" : "", (int)bytes - number,
			heads + number);
		heads += bytes + (heads[bytes] == '|');
	}
	html_table_rows(f);
}

void html_table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

void html_row(FILE *f, const char *class)
{
	if (class)
		fprintf(f, "<tr class=\"%s\">", class);
	else
		fputs("<tr>", f);
}

void html_row_end(FILE *f)
{
	fputs("</tr>\n", f);
}

/* No run has causes of AArch64 and those of x86-64: they share colours and shapes. */
static const struct {
	const char *class, *shape;
} causes[CAUSES] = {
	[CAUSE_SMI] = { "k-red", "m0-3l3 6h-6z" },                        /* triangle */
	[CAUSE_NMI] = { "k-blue", "m-3-3h6v6h-6z" },                      /* square */
	[CAUSE_MCE] = { "k-pink", "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z" }, /* star */
	[CAUSE_EL3] = { "k-red", "m0-3l3 6h-6z" },
	[CAUSE_HYPERVISOR] = { "k-blue", "m-3-3h6v6h-6z" },
	[CAUSE_SERROR] = { "k-pink", "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z" },
	[CAUSE_STEAL] = { "k-steal", "m0-4l4 4l-4 4l-4-4z" }, /* diamond */
	[CAUSE_STOPPED] = { "k-stopped", "m0 3l3-6h-6z" },    /* triangle, upside down */
	[CAUSE_STALL] = { "k-stall", "m-4-1h8v2h-8z" },       /* bar */
	[CAUSE_UNKNOWN] = { "k-unknown", "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0" }, /* disc */
};

const char *html_cause_class(enum cause cause)
{
	return causes[cause].class;
}

const char *html_cause_shape(enum cause cause)
{
	return causes[cause].shape;
}

const char *html_ppm(double value, char buf[24])
{
	snprintf(buf, 24, value >= 1000 ? "%.0f" : "%.4g", value);
	return buf;
}

const char *html_duration(uint64_t ns, char buf[24])
{
	struct text t;

	text_init(&t, buf, 24);
	text_duration(&t, ns);
	return buf;
}
