"""Options that commands share: their types, declarations and meanings."""
