"""Reading from and writing to the tables: functions of a connection, one file per concept."""
