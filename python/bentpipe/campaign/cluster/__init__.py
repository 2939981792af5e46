"""Campaigns on a cluster: Dask's scheduler and workers in place of threads.

`choice` is what a user asks for, `launch` makes or finds it, `connection` is what this side knows of Dask.
`crew` is the executor's view: `dispatch` gives batches of runs (`batch`), sized by what runs have cost
(`costs`), to those whom `roll` counts. A worker has `enrolment`, which says what it is (`release`), and
`work`, which measures a batch.
"""
