"""Articles: an index over what a site's branch holds, for the duplicate judge; never the truth."""

from django.db import models

from publisher.models.fields import PATH_LENGTH, commit_field
from publisher.models.site import Site


class Article(models.Model):
    """One article at ``Site.indexed_commit``, with the sketch of its text."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="indexed_articles")
    path = models.CharField(max_length=PATH_LENGTH)
    blob = commit_field()
    title = models.CharField(max_length=300, blank=True, default="")
    sketch = models.BinaryField(default=b"")
    glyphs = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["site", "path"]
        constraints = [models.UniqueConstraint(fields=["site", "path"], name="article_path_once")]

    def __str__(self) -> str:
        return self.path
