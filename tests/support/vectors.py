"""Texts that would run a script where somebody forgot to escape; each names itself by its number."""

TEXTS = (
    "<script>alert({n})</script>",
    "<ScRiPt >alert({n})</sCrIpT >",
    "<img src=x onerror=alert({n})>",
    "<svg onload=alert({n})>",
    "<svg><script>alert({n})</script></svg>",
    "<svg><animate onbegin=alert({n}) attributeName=x dur=1s>",
    "<svg><a xlink:href=\"javascript:alert({n})\"><text y=9>x</text></a></svg>",
    "<math><mi xlink:href=\"javascript:alert({n})\">x</mi></math>",
    "<body onload=alert({n})>",
    "<input autofocus onfocus=alert({n})>",
    "<select autofocus onfocus=alert({n})></select>",
    "<details open ontoggle=alert({n})>",
    "<video><source onerror=alert({n})></video>",
    "<audio src=x onerror=alert({n})></audio>",
    "<marquee onstart=alert({n})>x</marquee>",
    "<iframe srcdoc=\"<script>alert({n})</script>\"></iframe>",
    "<iframe src=\"javascript:alert({n})\"></iframe>",
    "<object data=javascript:alert({n})></object>",
    "<embed src=javascript:alert({n})>",
    "<form action=\"javascript:alert({n})\"><button>x</button></form>",
    "<button formaction=javascript:alert({n})>x</button>",
    "<a href=javascript&colon;alert({n})>x</a>",
    "<a href=\"java&#x09;script:alert({n})\">x</a>",
    "<meta http-equiv=refresh content=\"0;url=javascript:alert({n})\">",
    "<base href=\"//xss.invalid/{n}/\">",
    "<link rel=stylesheet href=\"//xss.invalid/{n}.css\">",
    "<style>@import '//xss.invalid/{n}'</style>",
    "<p style='background:url(//xss.invalid/{n})'>x</p>",
    "<noscript><p title='</noscript><img src=x onerror=alert({n})>'>",
    "</title><script>alert({n})</script>",
    "</textarea><script>alert({n})</script>",
    "</script><script>alert({n})</script>",
    "<!--><img src=x onerror=alert({n})>-->",
    "<![CDATA[<img src=x onerror=alert({n})>]]>",
    "[a](javascript:alert({n}))",
    "[b](JaVaScRiPt&#58;alert({n}))",
    "[d](data:text/html,<script>alert({n})</script>)",
    "<javascript:alert({n})>",
    '![p\\" onerror=alert({n}) y](https://xss.invalid/{n}.gif)',
    '![x](x "\\"onerror=alert({n})")',
    "# h {{#\"><img src=x onerror=alert({n})>}}",
    "<p hx-get=\"//xss.invalid/{n}\" hx-trigger=load>x</p>",
    "<p hx-on:load=\"alert({n})\" hx-on::load=\"alert({n})\">x</p>",
)  # fmt: skip
INLINE = (
    "\"'><img src=x onerror=alert({n})>",
    '"onmouseover=alert({n}) x="',
    "'onmouseover=alert({n}) x='",
    "` onmouseover=alert({n}) `",
    "javascript:alert({n})",
    "{{{{7*7}}}}{{% now 'Y' %}}alert({n})",
    "${{alert({n})}}",
)
"""The same for a single line: what breaks out of an attribute, an address or a template."""

FIRST_INLINE = 101


def texts() -> list[str]:
    """Vectors for a text of many lines."""
    return [one.format(n=number) for number, one in enumerate(TEXTS, 1)]


def inline() -> list[str]:
    """Vectors for one line."""
    return [one.format(n=number) for number, one in enumerate(INLINE, FIRST_INLINE)]


def article() -> str:
    """A draft that holds all of them, in its front matter and in its text, also inside of code."""
    head = ["---", 'title: "</title><script>alert(90)</script>"']
    tags = ", ".join(
        f'"{one}"' for one in ("<img src=x onerror=alert('tag')>", "</b><b onmouseover=alert(91)>")
    )
    code = ['```"><img/src=x/onerror=alert(92)>', *inline(), "```"]
    return (
        "\n\n".join(
            ["\n".join([*head, f"tags: [{tags}]", "---"]), *texts(), *inline(), "\n".join(code)]
        )
        + "\n"
    )


def line(length: int = 300) -> str:
    """As many of them as one field of this length takes."""
    found = ""
    for one in [*inline(), *texts()]:
        if len(found) + len(one) < length:
            found += one
    return found
