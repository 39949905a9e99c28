"""What is asked of the tables and written to them: functions of a connection, a file a concept."""
