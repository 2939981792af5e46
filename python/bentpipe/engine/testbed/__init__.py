"""The network of an emulated run: namespaces, addresses and names, and what the kernel does between them."""
