"""Studies as rows, tables, pictures and exports."""
