"""One file a measure; each has NAME, TITLE and measure(lab) -> [Row]."""
