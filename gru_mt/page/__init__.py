"""A translator as one HTML file: it translates offline, in a browser, without an installation."""
