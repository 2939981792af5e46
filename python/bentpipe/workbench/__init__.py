"""The workbench, `bentpipe serve`: page loads in virtual time and a running campaign, in a browser."""
