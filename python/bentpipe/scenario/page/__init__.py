"""Pages: made ones, folders of files and HAR files, as lists of objects."""
