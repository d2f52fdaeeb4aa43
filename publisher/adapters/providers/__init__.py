"""Providers: who writes drafts from sources, behind the Provider port."""
