"""The login of a site, whatever its framework."""
