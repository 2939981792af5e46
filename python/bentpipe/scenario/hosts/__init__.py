"""Hosts: what client, server and proxies are told to do."""
