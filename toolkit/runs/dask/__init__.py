"""Runs on a Dask cluster: the coordinator's side and the workers' side."""
