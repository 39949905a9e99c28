"""Results as tables of text, one file a kind of result: functions of an output and a result."""
