"""What every measure stands on: servers, peers, timing, arithmetic, the table and the picture."""
