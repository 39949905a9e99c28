"""What everything above stands on: errors, output, settings of the program, its version."""
