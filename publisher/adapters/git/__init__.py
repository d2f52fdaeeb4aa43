"""Git: a site's repository behind the Repository port, and the locks around it."""
