"""The seam to Rust as frozen classes: what goes in, what comes out, what a link comes to."""
