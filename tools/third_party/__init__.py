"""Standing checks of Bentpipe against what others have made: programs, validation tables, schemas."""
