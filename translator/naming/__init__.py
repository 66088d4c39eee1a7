"""What a variable's name means: one version's catalog and one dialect, asked together."""
