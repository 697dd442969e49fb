"""Files that are complete or absent, folders and locks; tables, columns and matrices in files."""
