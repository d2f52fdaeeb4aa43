"""Failures: why a job stopped, in plain words, and what a person does about it."""

from django.utils.translation import gettext_lazy as _

from reviews.presenters.words import Text

_REFUSED = (
    _("What is to be published cannot stand in the site as it is."),
    _("The words below say what is wrong. Change the text or where it goes, or give the job up."),
)

REASONS: dict[str, tuple[Text, Text]] = {
    "invalid": _REFUSED,
    "unsafe_path": _REFUSED,
    "findings": (
        _("A check found something that blocks this draft."),
        _("Settle each blocking finding below: change the text, or overrule it with a reason."),
    ),
    "gate": (
        _("A check found something that blocks this draft."),
        _("Settle each blocking finding below: change the text, or overrule it with a reason."),
    ),
    "target_exists": (
        _("There is an article at its path already."),
        _("Choose another path below, or make it a change of the article that is there."),
    ),
    "target_missing": (
        _("There is no article at its path."),
        _("Correct the path below, or make it a new article."),
    ),
    "changes_requested": (
        _("A reviewer asked for changes."),
        _("Change the text below and save it; reviewers then see the new version."),
    ),
    "approval_expired": (
        _("Nobody decided in time. Nothing was sent."),
        _("Ask again if it should still be published."),
    ),
    "wait_over": (
        _("Nobody decided in time. Nothing was sent."),
        _("Ask again if it should still be published."),
    ),
    "provider": (
        _("The writing service gave no usable answer."),
        _("Retry later, or write the text yourself below."),
    ),
    "judge_protocol": (
        _("The duplicate check gave an answer that could not be used."),
        _("Save the text again, or give the job up."),
    ),
    "remote_refused": (
        _("The site's server refused the change for good."),
        _("Its words are below. Ask whoever runs that server, then ask for approval again."),
    ),
    "foreign_commit": (
        _("The site holds a change with this job's number that did not come from here."),
        _("Have an operator look at it before anything else is done."),
    ),
    "unknown_commit": (
        _("The site holds this job's change already, and this database does not know of it."),
        _(
            "After a restored backup an operator can record it as published: the site is looked "
            "at first. Otherwise find out who sent it."
        ),
    ),
    "fonts": (
        _("The fonts could not be made again for what others published meanwhile."),
        _("Mend the cause named below, then ask for approval again. Nothing was sent."),
    ),
    "lfs_path": (
        _("The site gives the path of one of its files to git LFS by now."),
        _(
            "Have .gitattributes changed, then choose “Try again now” or “Ask for approval again”, "
            "whichever is offered. Else give the job up and submit it anew, with the file "
            "elsewhere. Nothing was sent."
        ),
    ),
    "font_unusable": (
        _("The site's font file cannot be read, or is no font that can be cut."),
        _("Mend the font file or the site's font setting, then retry."),
    ),
    "duplicate": (
        _("It says what an existing article already says."),
        _("An operator can publish it anyway, as a new job that is reviewed like any other."),
    ),
    "already_upstream": (
        _("The site already holds exactly this text."),
        _("Nothing is left to do."),
    ),
    "nothing_to_publish": (
        _("Nothing would change on the site."),
        _("Nothing is left to do."),
    ),
    "crash_loop": (
        _("Preparing it stopped several times."),
        _("An operator can retry it. If it stops again, look at the last error."),
    ),
    "attempts": (
        _("All tries are used up."),
        _("Mend the cause named below, then retry."),
    ),
    "deadline": (
        _("It took longer than allowed."),
        _("Mend the cause named below, then retry."),
    ),
    "delivery_exhausted": (
        _("It could not be sent after several tries."),
        _(
            "Mend the cause named below, then retry. What may have been sent is looked for every hour."
        ),
    ),
    "site_removed": (
        _("The site was removed."),
        _("Cancel it. To publish it, submit it anew to another site."),
    ),
    "unreachable": (
        _("The site's server could not be reached."),
        _("It goes on by itself once the server answers."),
    ),
    "lock_busy": (
        _("Other work on this site took too long to wait for."),
        _("It goes on by itself, and this wait uses none of its tries."),
    ),
    "credentials": (
        _("The site's server did not let the stored credentials in."),
        _("Renew the site's credentials and check the site."),
    ),
    "branch_gone": (
        _("The site's branch no longer exists."),
        _("Restore the branch, or set another one for the site."),
    ),
    "remote_moved": (
        _("Somebody else published in the same moment."),
        _("It goes on by itself on top of that change."),
    ),
    "repository": (
        _("Git could not do what was asked."),
        _("Its words are below. Check the site and mend the cause, then ask for approval again."),
    ),
    "outcome_unknown": (
        _("Whether it was published is not known yet."),
        _("The site is looked at by itself. Do not submit it again."),
    ),
    "outside": (
        _("Something outside failed."),
        _("Mend the cause named below, then retry."),
    ),
    "artifact_damaged": (
        _("A stored file of this job is missing or damaged."),
        _(
            "Write the article's text below and save it. Where another file is meant, an operator "
            "puts it back from a backup, or the job is given up and submitted anew."
        ),
    ),
    "repo_unsafe": (
        _("The local copy of the site is damaged."),
        _("An operator checks the site; nothing was sent."),
    ),
}

CONFLICTS: dict[str, Text] = {
    "conflict_content": _("Somebody else changed the same text meanwhile."),
    "conflict_add_add": _("Somebody else published an article at the same place."),
    "conflict_modify_delete": _("Somebody else removed the article meanwhile."),
    "conflict_target_moved": _("Somebody else moved the article meanwhile."),
    "conflict_twin": _("Something arrived meanwhile that other systems take for the same name."),
    "conflict_in_the_way": _("Something else stands meanwhile where the article belongs."),
    "conflict_directory_moved": _("The folder of the article was moved or removed meanwhile."),
    "conflict_several": _("Somebody else changed several of the same files meanwhile."),
}


def of(code: str, *, open_blocks: int = 0) -> tuple[Text, Text]:
    """The reason in words and what to do; both empty for an unknown or no code.

    A gate's own rule is no code here: the findings themselves say it.
    """
    if code in CONFLICTS:
        return CONFLICTS[code], _("Choose between the versions on the conflict's page.")
    if code in REASONS:
        return REASONS[code]
    return REASONS["findings"] if open_blocks else ("", "")
