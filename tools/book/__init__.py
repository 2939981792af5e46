"""The documentation as a site (`make docs`): the pages of docs/ and a reference made from the code."""
