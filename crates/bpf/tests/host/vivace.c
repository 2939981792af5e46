// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The header of the eBPF program in a program of the host. One line in; pacing rate, window and base rate out. */
#include <stdio.h>

#include "vivace.h"

static struct vivace v;
static struct vivace_values values;

int main(void)
{
	char line[256], event;
	u64 a, b, c, d, e, f, g;

	while (fgets(line, sizeof(line), stdin)) {
		sscanf(line, "%c %llu %llu %llu %llu %llu %llu %llu", &event, &a, &b, &c, &d, &e, &f, &g);
		switch (event) {
		case 'P': /* parameters */
			values.start_rate = a;
			continue;
		case 'S': /* start: instant, seed, packet size, initial window, smoothed RTT */
			vivace_init(&v, &values, (u32)b, a);
			v.mss = c;
			v.initial_window = d;
			v.srtt_us = e;
			break;
		case 'X': /* sent: bytes */
			v.sent += a;
			break;
		case 'A': { /* acknowledgement */
			struct acknowledgement ack = { a, b, c, d, e, f, (u32)g };

			vivace_acknowledged(&v, &ack);
			break;
		}
		case 'T': /* timeout: window */
			vivace_timed_out(&v, a);
			break;
		case 'E': /* end of recovery: instant */
			vivace_recovered(&v, a);
			break;
		}
		printf("%llu %llu %llu\n", vivace_rate(&v), vivace_window(&v), v.rate);
	}
	return 0;
}
