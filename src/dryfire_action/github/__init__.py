"""Talking to GitHub: the client, the one comment, the pull request of an event, and what another run left behind."""
