"""What is written in scenarios and links: tables of known keys, quantities, and where each stands."""
