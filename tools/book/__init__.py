"""The documentation as one site: the pages of docs/, and a reference that is generated from the code (`make docs`)."""
