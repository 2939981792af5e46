// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The header of the eBPF program in a program of the host, on Reno's window, with what the kernel does around it. One
 * line in, the window and the threshold in packets out.
 */
#include <stdio.h>

#include "search.h"
#include "recovery.h"

enum { INFINITE = 0x7fffffff };

static struct window w;
static struct search s;
static struct search_values values;
static struct recovery recovery;
static u32 sent, delivered;

/* Whether SEARCH has set the window. */
static int searched(const struct search_ack *ack)
{
	enum search_step step;

	if (w.ssthresh < INFINITE)
		return 0;
	step = search_acknowledged(&s, &values, ack, w.cwnd);
	if (step == SEARCH_GROW)
		return 0;
	w.cwnd = s.cwnd;
	if (step == SEARCH_LEAVE)
		w.ssthresh = s.cwnd;
	return 1;
}

int main(void)
{
	char line[128], event;
	u64 now_us, rtt_us;
	u32 a, in_flight, limited, peak;
	struct search_ack ack;

	while (fgets(line, sizeof(line), stdin)) {
		event = line[0];
		switch (event) {
		case 'P': /* parameters */
			sscanf(line, "P %u %u %u", &values.window, &values.threshold, &values.arrivals);
			continue;
		case 'I': /* start: initial window */
			sscanf(line, "I %u", &a);
			w = (struct window){ .cwnd = a, .ssthresh = INFINITE, .most = ~0U };
			s = (struct search){ .initial_window = a };
			recovery.state = OPEN;
			recovery.prior.known = 0;
			/* Near the end of what counters hold. */
			sent = delivered = ~0U - 1000;
			break;
		case 'X': /* packets sent */
			sscanf(line, "X %u", &a);
			sent += a;
			break;
		case 'A': /* acknowledgement: instant, RTT, packets, in flight, was the window the limit, peak in flight */
			sscanf(line, "A %llu %llu %u %u %u %u", &now_us, &rtt_us, &a, &in_flight, &limited, &peak);
			delivered += a;
			w.peak = peak;
			ack = (struct search_ack){ now_us, rtt_us, a, in_flight, sent, delivered };
			if (!searched(&ack) && recovery.state != RECOVERY && may_grow(&w, limited))
				reno_grow(&w, a);
			break;
		case 'T': /* timeout: in flight */
			sscanf(line, "T %u", &a);
			recover(&recovery, &w, event, a);
			break;
		default: /* losses, losses that were none, end of recovery */
			recover(&recovery, &w, event, 0);
			break;
		}
		printf("%u %u\n", w.cwnd, w.ssthresh);
	}
	return 0;
}
