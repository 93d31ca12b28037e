"""The sign-in of a site, for any framework."""
