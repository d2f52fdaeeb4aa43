"""Articles and other files: an index over what a site's branch holds; never the truth."""

from django.db import models

from publisher.models.fields import PATH_LENGTH, PlaceKeyField, commit_field
from publisher.models.site import Site


class Article(models.Model):
    """One article at ``Site.indexed_commit``, with the sketch of its text."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="indexed_articles")
    path = models.CharField(max_length=PATH_LENGTH)
    place_key = PlaceKeyField(default=b"")
    blob = commit_field()
    title = models.CharField(max_length=300, blank=True, default="")
    sketch = models.BinaryField(default=b"")
    glyphs = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["site", "path"]
        constraints = [models.UniqueConstraint(fields=["site", "path"], name="article_path_once")]
        indexes = [models.Index(fields=["site", "place_key"], name="article_by_place")]

    def __str__(self) -> str:
        return self.path


class OtherFile(models.Model):
    """What else the branch holds at ``Site.indexed_commit``, and a new path may meet.

    Links and submodules are no regular files: nothing can lie in them.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="other_files")
    path = models.CharField(max_length=PATH_LENGTH)
    place_key = PlaceKeyField(default=b"")
    is_regular = models.BooleanField()

    class Meta:
        ordering = ["site", "path"]
        constraints = [models.UniqueConstraint(fields=["site", "path"], name="other_file_once")]
        indexes = [models.Index(fields=["site", "place_key"], name="other_file_by_place")]

    def __str__(self) -> str:
        return self.path
