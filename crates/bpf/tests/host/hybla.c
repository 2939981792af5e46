// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The header of the eBPF program in a program of the host, with what the kernel does around it. One line in, the
 * window and the threshold in packets out.
 */
#include <stdio.h>

#include "hybla.h"
#include "recovery.h"


static struct window w;
static struct hybla h;
static struct hybla_values values;
static struct recovery recovery;

int main(void)
{
	char line[128], event;
	u32 a, b, c, d;

	while (fgets(line, sizeof(line), stdin)) {
		sscanf(line, "%c %u %u %u %u", &event, &a, &b, &c, &d);
		switch (event) {
		case 'P': /* parameters */
			values = (struct hybla_values){ a, b, c };
			continue;
		case 'S': /* start: smoothed RTT, initial window */
			w = (struct window){ .cwnd = b, .ssthresh = 0x7fffffff, .most = ~0U };
			recovery.state = OPEN;
			recovery.prior.known = 0;
			hybla_init(&h, &w, &values, a);
			break;
		case 'A': /* acknowledgement: packets, smoothed RTT, whether the window was the limit, peak in flight */
			w.peak = d;
			if (recovery.state == RECOVERY)
				break;
			hybla_take_srtt(&h, &w, &values, b);
			if (!may_grow(&w, c))
				break;
			if (recovery.state == OPEN)
				hybla_grow(&h, &w, &values);
			else
				reno_grow(&w, a);
			break;
		default: /* losses, a timeout with what is in flight, losses that were none, end of recovery */
			recover(&recovery, &w, event, a);
			break;
		}
		printf("%u %u\n", w.cwnd, w.ssthresh);
	}
	return 0;
}
