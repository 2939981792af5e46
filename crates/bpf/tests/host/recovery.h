/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the kernel does to the window of a loss-based congestion control when something is lost. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "window.h"

enum state { OPEN, RECOVERY, LOSS };

struct recovery {
	enum state state;
	struct {
		u32 known, cwnd, ssthresh;
	} prior;
};

/* Linux: tcp_init_cwnd_reduction, tcp_enter_loss. */
static void reduce(struct recovery *r, struct window *w)
{
	r->prior.known = 1;
	r->prior.cwnd = w->cwnd;
	r->prior.ssthresh = w->ssthresh;
	w->ssthresh = reno_ssthresh(w->cwnd);
}

/* One event of a line: losses, a timeout with so many packets in flight, losses that were none, the end of recovery. */
static void recover(struct recovery *r, struct window *w, char event, u32 in_flight)
{
	switch (event) {
	case 'L':
		reduce(r, w);
		w->cwnd = w->ssthresh;
		r->state = RECOVERY;
		break;
	case 'T':
		if (r->state == OPEN)
			reduce(r, w);
		w->cwnd = in_flight + 1;
		w->credit = 0;
		r->state = LOSS;
		break;
	case 'U': /* Linux: tcp_undo_cwnd_reduction */
		if (r->prior.known) {
			w->cwnd = (u32)greatest(w->cwnd, r->prior.cwnd);
			w->ssthresh = (u32)greatest(w->ssthresh, r->prior.ssthresh);
		}
		r->prior.known = 0;
		r->state = OPEN;
		break;
	case 'E':
		r->state = OPEN;
		break;
	}
}

#endif
