"""Published claims about MTD(f), each with an experiment, thresholds and a verdict."""
