/* SPDX-License-Identifier: MIT */
/* Parsing, and the text of --help. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>
#include "options.h"

/* There on every Debian machine, and large enough after the smallest installation. */
#define DEFAULT_INPUT "/usr/share"
/* Three levels and the serial check then take some ten seconds on two cpus. */
#define DEFAULT_MAX_BYTES (UINT64_C(64) << 20)
#define MAX_THREADS 4096u

static const char help[] =
	"usage: sdpower-pool [OPTION]...\n"
	"Compresses and hashes every file of a folder on a work-stealing thread pool that asks\n"
	"libsdpower whom to wake, where to steal and where to put new work; checks the results\n"
	"against a serial run and compares the power levels.\n"
	"\n"
	"  -i, --input DIR        folder to work on (default " DEFAULT_INPUT ")\n"
	"  -m, --max-bytes N      use at most N bytes of it; K, M, G allowed; 0 = all\n"
	"                         (default 64M)\n"
	"  -l, --level NAME       performance, balanced, powersave, or all (default)\n"
	"  -t, --threads N        workers, 1 or more (default: one per cpu this process may use)\n"
	"  -T, --topology TEXT    pretend to be this machine, e.g. \"pack:2 core:4 pu:2\", or the\n"
	"                         one recorded in a .topo file (TEXT with a slash is its path)\n"
	"  -c, --costs FILE       go by what moving a task costs there: kept by\n"
	"                         \"sdpower calibrate --keep\" with the same cpus\n"
	"  -J, --jobs N           at most N files at a time, as in make -jN; 0 = all (default)\n"
	"  -n, --newidle NAME     which searches are worth it before a worker sleeps: dq (default);\n"
	"                         k515, k516, k617, k619, k70 as Linux does; all, none\n"
	"  -P, --trace FILE       write what every worker did in the last run to FILE, as JSON for\n"
	"                         ui.perfetto.dev\n"
	"  -j, --json             print one JSON document instead of tables\n"
	"  -h, --help             print this\n"
	"  -V, --version          print the version\n"
	"\n"
	"Exit status: 0 results equal the serial run, 1 they do not or something failed,\n"
	"2 wrong use, 130 interrupted. Files that cannot be read are counted, not fatal.\n";

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "max-bytes", required_argument, NULL, 'm' },
	{ "level", required_argument, NULL, 'l' },
	{ "threads", required_argument, NULL, 't' },
	{ "topology", required_argument, NULL, 'T' },
	{ "costs", required_argument, NULL, 'c' },
	{ "jobs", required_argument, NULL, 'J' },
	{ "newidle", required_argument, NULL, 'n' },
	{ "trace", required_argument, NULL, 'P' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static bool complain(const char *option, const char *value)
{
	fprintf(stderr, "sdpower-pool: wrong value for %s: \"%s\"\n", option, value);
	return false;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *out, char **end)
{
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, end, 10);
	*out = n;
	return !errno && n <= max;
}

static bool parse_count(const char *text, const char *option, unsigned *out)
{
	uint64_t n;
	char *end;

	if (!parse_number(text, MAX_THREADS, &n, &end) || *end)
		return complain(option, text);
	*out = (unsigned)n;
	return true;
}

static bool parse_threads(const char *text, unsigned *out)
{
	if (!parse_count(text, "--threads", out))
		return false;
	if (!*out)
		fputs("sdpower-pool: --threads needs 1 worker or more; leave it out for one per cpu\n",
			stderr);
	return *out;
}

static bool parse_bytes(const char *text, uint64_t *out)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t n;
	char *end;

	if (!parse_number(text, UINT64_MAX >> 31, &n, &end))
		return complain("--max-bytes", text);
	if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || end[1])
			return complain("--max-bytes", text);
		n <<= 10 * (unit - units + 1);
	}
	*out = n ? n : UINT64_MAX;
	return true;
}

static bool parse_level(const char *text, struct options *o)
{
	bool all = !strcmp(text, "all"), known = all;
	int i;

	for (i = 0; i < BRAIN_LEVELS; i++) {
		o->level[i] = all || !strcmp(text, brain_level_name((enum brain_level)i));
		known = known || o->level[i];
	}
	return known || complain("--level", text);
}

static bool parse_newidle(const char *text, enum newidle_mode *out)
{
	enum newidle_mode mode = 0;

	while (mode < NEWIDLE_MODES && strcmp(text, newidle_name(mode)))
		mode++;
	*out = mode;
	return mode < NEWIDLE_MODES || complain("--newidle", text);
}

static bool parse_one(struct options *o, int letter)
{
	switch (letter) {
	case 'i':
		o->input = optarg;
		return true;
	case 'm':
		return parse_bytes(optarg, &o->max_bytes);
	case 'l':
		return parse_level(optarg, o);
	case 't':
		return parse_threads(optarg, &o->threads);
	case 'T':
		o->topology = optarg;
		return true;
	case 'c':
		o->costs = optarg;
		return true;
	case 'P':
		o->trace = optarg;
		return true;
	case 'J':
		return parse_count(optarg, "--jobs", &o->jobs);
	case 'n':
		return parse_newidle(optarg, &o->newidle);
	case 'j':
		o->json = true;
		return true;
	default:
		return false;
	}
}

static void print_version(void)
{
	uint32_t v = sdpower_version();

	printf("sdpower-pool %u.%u.%u\n", v / 10000, v / 100 % 100, v % 100);
}

enum options_result options_parse(struct options *o, int argc, char **argv)
{
	int letter;

	memset(o, 0, sizeof(*o));
	o->input = DEFAULT_INPUT;
	o->max_bytes = DEFAULT_MAX_BYTES;
	parse_level("all", o);
	while ((letter = getopt_long(argc, argv, "i:m:l:t:T:c:P:J:n:jhV", long_options, NULL)) != -1) {
		if (letter == 'h') {
			fputs(help, stdout);
			return OPTIONS_DONE;
		}
		if (letter == 'V') {
			print_version();
			return OPTIONS_DONE;
		}
		if (!parse_one(o, letter)) {
			fputs("Try sdpower-pool --help.\n", stderr);
			return OPTIONS_WRONG;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "sdpower-pool: unexpected argument \"%s\"\n", argv[optind]);
		return OPTIONS_WRONG;
	}
	return OPTIONS_RUN;
}
