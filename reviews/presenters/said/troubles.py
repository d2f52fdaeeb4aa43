"""Sentences for translation: what went wrong outside, and how a site looks; a value stands as %(name)s."""

from django.utils.translation import gettext_noop as _

TROUBLES: tuple[str, ...] = (
    _("%(who)s changed %(what)s meanwhile."),
    _("The push may still be on its way. It is looked for again."),
    _("What would be published is no longer what was approved."),
    _("It is to be published later."),
    _("The site is paused."),
    _("The clock was ahead when this wait began. It counts from now on."),
    _("The site has another checkout."),
    _("%(path)s changed on the remote."),
    _("The operation key belongs to other bytes."),
    _("What arrived meanwhile is something else."),
    _("%(path)s arrived meanwhile and says the same."),
    _("%(path)s arrived meanwhile and says the same; a ready draft is kept."),
    _("%(path)s arrived meanwhile and says the same; this was asked for all the same."),
    _("The judge answered %(answer)s, neither SKIP nor KEEP."),
    _("The branch's history no longer holds the published commit. Nothing was pushed."),
    _("%(who)s removed %(path)s in commit %(commit)s (%(subject)s). Nothing was pushed."),
    _("%(who)s changed %(path)s in commit %(commit)s (%(subject)s). Nothing was pushed."),
    _(
        "The remote holds another repository than the one that was connected: its first commit "
        "is %(found)s, not %(known)s. Nothing leaves until somebody resumes the site."
    ),
    _("The worker before stopped while committing."),
    _("The stored files are intact."),
    _("The remote kept moving. It is tried again later."),
    _("The site was never fetched here."),
    _("The moment of the commit was not recorded."),
    _("A commit by %(who)s carries this job's id, but %(why)s."),
    _("its manifest trailer is not one of ours"),
    _("its %(path)s is not the approved one"),
    _("it also changes %(paths)s"),
    _(
        "The remote holds this job's commit, though none was sent from here. A backup may "
        "have been restored."
    ),
    _("%(path)s belongs to git LFS by now."),
    _("These bytes are on the site already."),
    _("The lease is lost."),
    _("It could not be delivered in the tries or time it has. It is still looked for every hour."),
    _("It could not be delivered in the tries or time it has. Nothing of it was published."),
    _("The branch went on without it, so nothing of it was published."),
    _(
        "It may have been sent to the branch %(announced)s, and the site follows %(branch)s now. "
        "Set the branch %(announced)s again, so that it can be looked for."
    ),
    _("The time to deliver it ran out before it was sent."),
    _("The database is older than seal %(number)s in %(file)s: nothing is sealed."),
    _("Preparing it did not succeed in the tries or time it has."),
    _("Preparing it did not succeed in the tries or time it has. The last trouble: %(cause)s"),
    _("Unexpected %(kind)s."),
    _("Others can read the token file %(path)s. Run: chmod 600 on it."),
    _("The token file %(path)s cannot be read: %(problem)s."),
    _(
        "The remote is itself a shallow clone: its history is cut off. Complete it with: git fetch "
        "--unshallow, or connect the repository it came from."
    ),
    _(
        "The remote names its objects by SHA-256, and only a repository of SHA-1 can be published "
        "to. Connect one that was made without --object-format=sha256."
    ),
    _('The site\'s branch is set to "%(branch)s", which is no name of a branch. Set another one.'),
    _(
        "No file of the branch matches %(pattern)s yet. If there are articles already, set another "
        "pattern."
    ),
    _(
        "The branch has names that are too long to be used here, %(count)s in all, such as "
        "%(path)s. No job can name them; shorten them if one should."
    ),
    _("The database does not take what the site's branch holds: %(problem)s."),
    _(
        "Reading the branch ended in an unexpected %(kind)s. The log of the worker holds the "
        "details."
    ),
    _("The site's articles are being listed anew. It goes on once they are."),
    _("%(count)s articles came to the site and are not listed yet. It goes on once they are."),
    _("Name the token file by its absolute path."),
    _("The commit is not built on the observed tip."),
    _("The clone has no commit %(commit)s."),
    _('The remote has no branch "%(branch)s". It has: %(known)s.'),
    _("%(count)s GiB are free for the clone."),
    _("%(address)s is an allowed address."),
    _("The remote would take a push (nothing was sent)."),
    _("%(path)s cannot be written to."),
    _("%(tool)s is too old. Install %(version)s or later."),
    _("The remote can be read."),
    _('"%(branch)s" is there%(more)s.'),
    _("This account may not write to the remote."),
    _(
        '"%(branch)s" is checked out in the remote, so git refuses a push to it. Check out another '
        "branch there, connect a bare repository, or run there: git config "
        "receive.denyCurrentBranch updateInstead"
    ),
    _("%(path)s cannot be used: %(problem)s."),
    _("The remote has no branch %(branch)s."),
    _("The remote has no branch yet. Push a first commit to it."),
    _("An argument of git may not begin with a dash."),
    _("git %(command)s answered with over %(limit)s bytes."),
    _("git %(command)s gave no answer in %(seconds)s seconds."),
    _("git %(command)s was stopped from here."),
    _("Drafting was stopped from here."),
    _("The site was set to another branch or trailer prefix meanwhile."),
    _("The token file %(path)s holds no token."),
    _("The file of trusted certificates cannot be read. Look at IMPRIMATUR_GIT_CA_FILE."),
    _("The remote refuses the token in the site's token file. Put a valid one into the file."),
    _(
        "The remote knows the login and forbids this (403). Give the token the right to read "
        "and write the repository."
    ),
    _("The remote has no repository at this address, or the token may not see it (404)."),
    _(
        "The remote answers that the repository moved (%(status)s). The token is never sent "
        "after it: connect the repository's new address."
    ),
    _("The proxy asks for a login (407), which is not supported."),
    _("The remote has trouble of its own (%(status)s). It is tried again."),
    _("The remote's certificate has expired or is not valid yet. Look at both clocks too."),
    _("The remote's certificate is for another host name."),
    _(
        "The remote's certificate is not trusted: it has expired, or an authority that this "
        "machine does not know signed it. Name that authority with IMPRIMATUR_GIT_CA_FILE."
    ),
    _("The remote's host name is not known here. Look at the address and at the network."),
    _("Nothing answers at the remote's address: the connection was refused."),
    _("The remote did not answer in time."),
    _("The %(name)s lock of %(site)s is held by somebody else."),
    _("Somebody else here waits for this site's remote, and it does not answer."),
    _("The connection broke off before the remote's answer was complete."),
    _("The remote's HEAD names no branch that is there. Choose one with --branch: %(known)s."),
    _(
        "The remote is empty: it has no branch yet. Push a first commit to it, such as a "
        "README, and connect it again."
    ),
    _(
        '%(first)s It is harmless in an old history: set IMPRIMATUR_GIT_TOLERATE="%(rules)s" '
        "to let it pass."
    ),
    _("The push was ended before the remote answered. %(more)s"),
    _("The proxy does not let us through: %(why)s"),
    _("The remote cannot be reached: %(why)s"),
    _(
        "The remote's folder belongs to another account than the one that git runs as there. Connect "
        "it over ssh as its owner, or, if it lies on this machine, run the server as that account."
    ),
    _("The remote's history holds objects that git's check refuses: %(told)s"),
    _("The connection ended before the remote answered: %(why)s"),
    _("The remote refused the commit: %(why)s"),
    _("The remote does not let us in: %(why)s"),
    _("The local clone is damaged: git does not see the branch that was just made."),
    _("The local clone is damaged: %(why)s"),
    _("The fetch could not be stored: %(why)s"),
    _("The remote did not answer in time. %(more)s"),
    _("The remote does not let us write: %(why)s"),
    _("The remote moved meanwhile: %(why)s"),
    _("The remote broke off: %(why)s"),
    _("The local clone is damaged or incomplete: %(why)s"),
    _("The remote holds it already; it was not sent from this database."),
    _("What is there is no longer what was approved."),
    _(
        "The remote holds this job's commit under another approval, though none was sent "
        "from here. A backup may have been restored."
    ),
    _("The site is paused. Hand edits wait until it is resumed."),
    _("The live checkout cannot be read now. The site's page says why."),
    _("Somebody changed the same files on the remote: %(names)s."),
    _("The checkout is at another commit."),
    _("The files were edited again."),
)
