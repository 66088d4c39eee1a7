"""Files of variables and results, one module a form: read and written."""
