"""One file a revision; each declares its own tables and never imports the models."""
