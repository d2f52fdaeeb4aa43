"""Views: permission, form, one service or selector, render or redirect."""
