"""Pages of HTML: of events, studies, laboratory runs and games; as one file, or served."""
