"""Campaigns: plan the runs of a scenario, execute them, keep every result.

Nothing is imported here: commands that make one run need `plan` and `requirements`, and no ledger.
"""
