"""What people see of results: tables, live views, notebooks."""
