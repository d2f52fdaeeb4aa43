"""Sentences for translation: why an act was refused or how it went; a value stands as %(name)s."""

from django.utils.translation import gettext_noop as _

REFUSALS: tuple[str, ...] = (
    _("Conflict markers are left in %(path)s, line %(lines)s."),
    _("A pattern has 1 to %(most)s characters."),
    _("The braces of the pattern %(pattern)s are not paired."),
    _("A pattern has at most %(most)s alternatives."),
    _('The path "%(path)s" %(why)s'),
    _("The path is empty. Name a file."),
    _("is outside the site's folders (%(roots)s)."),
    _("is not valid Unicode. Send it as UTF-8."),
    _("holds a control character. Remove it."),
    _("holds a line separator. Remove it."),
    _("holds the invisible U+%(code)s. Remove it."),
    _('is not in form NFC. Send it as "%(composed)s".'),
    _("is over %(limit)s bytes. Shorten it."),
    _("has over %(limit)s parts. Use fewer folders."),
    _("has a part over %(limit)s bytes."),
    _('holds a backslash. Write folders with "/".'),
    _("is absolute. Name it from the repository's top folder."),
    _('holds "..". Write where the file is itself.'),
    _('has an empty part or ".". Write each part once.'),
    _('begins with "-", which tools take for an option.'),
    _("has a part that ends in a dot or a space. Remove it."),
    _('holds "%(name)s", a device on Windows. Rename it.'),
    _("Give the repository's address: an absolute path or a URL."),
    _("This address is not allowed. Use one of: %(known)s (file = absolute path)."),
    _(
        "No site may be on this host here. Use one of: %(known)s; or whoever runs the server adds "
        "it to IMPRIMATUR_GIT_HOSTS."
    ),
    _("Give a local repository as an absolute path, without file:."),
    _(
        "Too many hashes that you sent never belonged to their job. Wait ten minutes, then take the "
        "hash from the job's page or from inspect."
    ),
    _("This has at most %(most)s characters."),
    _("That is no name of a branch. Give its plain name, such as main."),
    _("The address names no host."),
    _("The address names a port that is no number between 1 and 65535."),
    _(
        "The address holds credentials. Leave them out and connect it without; then whoever "
        "runs the server names a file there that holds the token."
    ),
    _("The address may have neither ? nor #."),
    _("There is no such kind; known: %(known)s."),
    _("Retry is not possible now."),
    _("Ask again is not possible now."),
    _("%(act)s is not possible now."),
    _("Say why, so that others can follow."),
    _(
        "Whether it was published is not known yet. It is looked for every hour, and may be "
        "retried once the branch went on without it."
    ),
    _("The site was removed. Nothing can be published there any more."),
    _(
        "Jobs of this site are still open: %(count)s. Let them finish or cancel them, then remove it."
    ),
    _(
        "Job %(job)s may have been sent to the branch %(branch)s, where it is looked for. Set "
        "another branch once its page tells what came of it."
    ),
    _(
        "This site's commits are known by the prefix %(prefix)s, so it stays. To use another one, "
        "remove the site and connect the repository anew."
    ),
    _("Only a job in review has findings to overrule."),
    _("There is no such finding in this revision."),
    _(
        "What stands at %(path)s is no file any more, so it is neither replaced nor taken. "
        "Choose a new path, or give the conflict up."
    ),
    _("This finding cannot be overruled. Do what it advises."),
    _("Findings still block this draft."),
    _("There is no draft yet that could be approved."),
    _("A job that takes something back keeps its path."),
    _(
        "This job removes an article, so there is no text to change. Submit a new job to publish "
        "one."
    ),
    _("Only what was skipped as a duplicate can be published anyway."),
    _("Only a job in review can be recorded as published."),
    _(
        "No backup was restored here since this job was made, so nothing of it was forgotten. If "
        "an older copy was put in place by other means, say so first: restore --accept."
    ),
    _("Whoever asked for this may act here no more."),
    _(
        "The remote was looked at: up to %(tip)s no commit of %(branch)s carries this job's id. "
        "Nothing was recorded."
    ),
    _(
        "The remote was looked at: commit %(commit)s by %(who)s carries this job's id, but "
        "%(why)s. Nothing was recorded."
    ),
    _("The job moved on meanwhile. Look again."),
    _(
        "It is too late to cancel: the text may already be on its way. Its outcome is being "
        "looked for."
    ),
    _("Unknown kind %(kind)s. Known: %(known)s."),
    _("Unknown provider. Known: %(known)s."),
    _("Unknown action. Known: %(known)s."),
    _("Give a source to draft from, or the content to publish."),
    _("Give either %(one)s or %(other)s, not both."),
    _("Front matter can only be set on an existing article."),
    _("Name at least one key of the front matter to set."),
    _(
        "The value for “%(key)s” must be a text, a number, true or false, or a list of these. To "
        "write another one, send the whole article as the content."
    ),
    _("With a source, the judge decides what is done."),
    _("Assets go with a ready draft, not with a source."),
    _("Each source needs an id of its own."),
    _("The idempotency key is empty. Name one, or leave it out."),
    _("The idempotency key is longer than 300 characters. Shorten it."),
    _("The text is over 5 MiB."),
    _("There are more than %(most)s assets."),
    _("The same path is named twice."),
    _("%(above)s cannot be a file and the folder of %(path)s."),
    _("%(path)s and %(twin)s are one file on some systems."),
    _(
        "%(path)s is in the way of %(font)s, the font file that is made for this site. Choose "
        "another name."
    ),
    _(
        "On some systems %(step)s of %(path)s is the same as %(other)s of %(with)s. Write it one "
        "way, or choose another name."
    ),
    _("The file name holds what looks like a secret. Rename the file."),
    _("Say which path of the repository this is for."),
    _("The source %(id)s is empty."),
    _("The %(name)s is longer than %(limit)s characters. Shorten it."),
    _("The asset %(path)s is over 10 MiB."),
    _(
        "The value for “%(key)s” holds a number that not every program reads alike: it is beyond "
        "%(limit)s or has no end. Write it as a text, in quotes."
    ),
    _("The value for “%(key)s” cannot be written as JSON. Send the whole article as the content."),
    _("The %(name)s holds a NUL character. Remove it."),
    _("The %(name)s is not valid Unicode. Send it as UTF-8."),
    _("The memory scope holds what looks like a secret. Name another."),
    _("This time is before 1970. Leave it out to publish at once."),
    _("This time is over %(years)s years ahead. Give an earlier one."),
    _("This conflict is settled already."),
    _("One of the versions changed meanwhile. Your text is kept: look again."),
    _("%(name)s names “%(key)s” twice. Keep one of them."),
    _("Nothing was chosen for %(path)s."),
    _("%(path)s is named twice. Send it once."),
    _(
        "The stored file %(path)s is missing or damaged. Send it again, or submit a new job with "
        "all files."
    ),
    _("These bytes are no longer stored."),
    _("A stored file of this draft is missing or damaged. Save its text again."),
    _("%(path)s is no file of this conflict."),
    _(
        "The stored text of %(path)s is damaged. Choose another way, or ask an operator to put the "
        "file back or to give the conflict up."
    ),
    _("Unknown choice. Known: %(known)s."),
    _("Write the text that shall be published."),
    _("Nobody moved %(path)s."),
    _("Somebody saved another version meanwhile. Your text is kept: compare and save again."),
    _("Give at least one source that is not empty."),
    _("This job cannot be edited now. An approved one must be withdrawn first."),
    _("The draft needs the article %(path)s itself."),
    _("Saved without a change."),
    _("Use letters, digits and hyphens for the site's name."),
    _("Use letters and digits for the trailer prefix."),
    _("Name the font file to cut the subset from."),
    _("Name the font file by its absolute path."),
    _("There is no font file %(path)s that can be read here."),
    _("There is no clone in %(path)s on this machine."),
    _("This folder belongs to the server's own data. Name one outside of it."),
    _(
        "A site of another scope publishes to this repository, and its branch is not known "
        "yet. Try again once it is, or name another repository."
    ),
    _(
        "A site of another scope publishes to this branch of this repository. Name another "
        "branch or repository, or have a site in that scope."
    ),
    _(
        "Another site has this folder as its live checkout. Name the repository that it "
        "was cloned from."
    ),
    _("Another site has this folder. Make a clone for this site alone and name that one."),
    _("There is a site named %(name)s already."),
    _("A site has no setting %(name)s."),
    _(
        "The site already has %(twin)s, which other systems take for the same file. Use that "
        "path to change it, or choose another name."
    ),
    _(
        "The site already has the folder %(twin)s, which other systems take for this name. Choose "
        "another name."
    ),
    _(
        "The site already has %(twin)s, a symbolic link or another repository, which other systems "
        "take for %(step)s. Choose another name."
    ),
    _(
        "The site already has the file %(twin)s, which other systems take for the folder "
        "%(folder)s. Choose another name."
    ),
    _(
        "The site already has the folder %(twin)s, which other systems take for %(folder)s. Write "
        "it as it is there."
    ),
    _(
        "The repository has %(twin)s, which other systems take for %(name)s and which no job may "
        "name as it is spelled there. Rename it in the repository first, or choose another name."
    ),
    _("In the repository %(path)s is a folder. Choose another name."),
    _("In the repository %(path)s is a file, not a folder. Choose another path."),
    _(
        "In the repository %(path)s is a symbolic link or another repository, not a file. Choose "
        "another path."
    ),
    _(
        "In the repository %(path)s is a symbolic link or another repository, not a folder. "
        "Choose another path."
    ),
    _("This idempotency key was used before, for another request."),
    _("The stored bytes %(name)s were changed."),
    _("What is stored here cannot be read: the command verify names what is wrong with it."),
    _("The stored bytes %(name)s are missing."),
    _("The stored bytes %(name)s cannot be read: %(problem)s."),
    _("Another sweep told of it meanwhile."),
    _("The site was stopped meanwhile. %(reason)s If that is right, resume it again."),
    _("This job has no finished draft yet."),
    _("There is no job %(id)s that you may see."),
    _("There is no such conflict that you may see."),
    _("There is no site %(name)s that you may see."),
    _("There is no scope %(scope)s that you may see."),
    _("There is no provider named %(name)s."),
    _("Nobody decided in time. Nothing was sent."),
    _("You wrote or requested this text, so somebody else decides about it."),
    _("What you reviewed is not what is asked about now. Review the new version."),
    _("%(who)s decided already: %(decision)s."),
    _("approve"),
    _("reject"),
    _("request_changes"),
    _("withdraw"),
    _("The time to decide ran out. Nothing was sent. Ask again to decide after all."),
    _("Send the hash of what was reviewed."),
    _("The hash is sha256: and 64 hexadecimal digits."),
    _("Send a request id, so that a repeat is recognised."),
    _("A request id has at most 200 printable characters."),
    _("A request id is kept as it is sent, and this one holds a secret. Send another."),
    _("There is no such approval that you may see."),
    _("This job does not wait for approval now."),
    _("It is too late to withdraw: the text may already be on its way."),
    _("Nobody approved this yet, so there is nothing to withdraw."),
    _("This request is closed."),
    _("You decided already; others are still asked."),
    _("What would be sent changed after it was shown. Review the new version."),
    _("%(path)s was not shown to you in full. Read it, or say that you know it."),
    _(
        "%(paths)s and %(count)s more were not shown to you in full. "
        "Read them, or say for each that you know it."
    ),
    _("%(paths)s were not shown to you in full. Read them, or say for each that you know it."),
    _("Decide one of: %(known)s."),
    _("This request id was used before, for another decision. Nothing was changed."),
    _("Rejected. This is final for this job; a new one can start from its text."),
    _("Changes are requested. The job waits for a new version."),
    _("Approved. Exactly this is published, once."),
    _("Withdrawn. Nothing was sent; the job asks for approval again."),
    _("Noted: %(quorum)s. Others are still asked."),
    _("The approval was withdrawn."),
    _("names git's own folder, which no job may touch."),
    _("names a file that git takes instructions from."),
    _("%(given)s of %(needed)s approvals"),
    _("%(given)s of %(needed)s approvals, one of them from %(groups)s"),
    _("Only what was published can be taken back."),
    _("This topic is opened and closed by others all the time. Try again."),
    _("This topic was closed before, with another text. Open it again to close it anew."),
    _("Name the session whose topic this is."),
    _("Give the text of the topic: a draft is made from it."),
    _("Name the live checkout by its absolute path."),
    _("The quiet time is a number of seconds from 0 up."),
    _("The quiet time is over 30 days. Give a shorter one."),
    _(
        "The pattern %(pattern)s names no file. Begin at the repository's top folder, without a "
        "slash in front, an empty part, “.” or “..”."
    ),
)
