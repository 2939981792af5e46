// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The header of the eBPF program in a program of the host, with what the kernel does around it. One line in, the
 * window and the threshold in packets out.
 */
#include <stdio.h>

#include "hybla.h"

enum state { OPEN, RECOVERY, LOSS };

static struct window w;
static struct hybla h;
static struct hybla_values values;
static struct {
	u32 known, cwnd, ssthresh;
} prior;
static enum state state;

/* Linux: tcp_init_cwnd_reduction, tcp_enter_loss. */
static void reduce(void)
{
	prior.known = 1;
	prior.cwnd = w.cwnd;
	prior.ssthresh = w.ssthresh;
	w.ssthresh = reno_ssthresh(w.cwnd);
}

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
			state = OPEN;
			prior.known = 0;
			hybla_init(&h, &w, &values, a);
			break;
		case 'A': /* acknowledgement: packets, smoothed RTT, whether the window was the limit, peak in flight */
			w.peak = d;
			if (state == RECOVERY)
				break;
			hybla_take_srtt(&h, &w, &values, b);
			if (!may_grow(&w, c))
				break;
			if (state == OPEN)
				hybla_grow(&h, &w, &values);
			else
				reno_grow(&w, a);
			break;
		case 'L': /* losses */
			reduce();
			w.cwnd = w.ssthresh;
			state = RECOVERY;
			break;
		case 'T': /* timeout: in flight */
			if (state == OPEN)
				reduce();
			w.cwnd = a + 1;
			w.credit = 0;
			state = LOSS;
			break;
		case 'U': /* the losses were none; Linux: tcp_undo_cwnd_reduction */
			if (prior.known) {
				w.cwnd = (u32)greatest(w.cwnd, prior.cwnd);
				w.ssthresh = (u32)greatest(w.ssthresh, prior.ssthresh);
			}
			prior.known = 0;
			/* fall through */
		case 'E': /* end of recovery */
			state = OPEN;
			break;
		}
		printf("%u %u\n", w.cwnd, w.ssthresh);
	}
	return 0;
}
