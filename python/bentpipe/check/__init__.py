"""Budgets: what pages, flows and pings are held to, judged in virtual time, and what a change made slower."""
