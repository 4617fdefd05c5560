"""Part of ``make results``: in how many cells of the article's table the certified method is closer to the original."""

from __future__ import annotations

from dataclasses import dataclass

from amun_dp.comparing import MethodComparison
from amun_dp.comparing.article_figures import article_emd, article_log
from amun_dp.comparing.cell_summary import summarise

MEASURES = ("frequency", "time")


@dataclass(frozen=True, slots=True)
class Duel:
    """One cell of the article's table at the average ε."""

    log: str
    advantage: float
    measure: str
    ours: float | None
    """Mean; None where not every run released something: a mean of the lucky ones alone wins nothing."""
    theirs: float

    @property
    def won(self) -> bool:
        return self.ours is not None and self.ours < self.theirs


def duels(found: MethodComparison, form: str, against: tuple[str, ...]) -> list[Duel]:
    """A form of the certified method against the best that the article prints for these methods."""
    result = []
    for log, facts in found.facts.items():
        for advantage in found.advantages:
            one = summarise(found.runs, log, f"certified:{form}", advantage, None)
            if one is None:
                continue
            always = one.released == one.runs
            for measure in MEASURES:
                printed = [article_emd(article_log(facts), advantage, measure, each, "average") for each in against]
                known = [value for value in printed if value is not None]
                if known and not (measure == "time" and max(known) == 0):
                    ours = one.mean(f"{measure}_emd") if always else None
                    result.append(Duel(log, advantage, measure, ours, min(known)))
    return result


def section(found: MethodComparison) -> str:
    lines = [_HEAD]
    for form, against, names in (
        ("public", ("filtering", "sampling"), "the better of Amun_f and Amun_s"),
        ("generated", ("sacofa",), "SaCoFa"),
    ):
        fought = duels(found, form, against)
        if not fought:
            continue
        lost = [each for each in fought if not each.won]
        lines.append(
            f"`{form}` against {names}: closer in **{len(fought) - len(lost)} of {len(fought)} cells**. Not closer: "
            + ("; ".join(_told(each) for each in lost) or "none")
            + "."
        )
        lines.append("")
    return "\n".join(lines)


def _told(duel: Duel) -> str:
    ours = "not always released" if duel.ours is None else f"{duel.ours:.3g}"
    return f"{duel.log} {duel.advantage:g} {duel.measure} ({ours}, article {duel.theirs:g})"


_HEAD = """\
The same guessing advantage, but not the same promise: the certified method bounds every guess about a whole case, and
that is [proved](certified.md); what the article's methods promise is refuted ([claims](claims.md)). Compared are means
of ours with the article's printed EMD at the average ε; its times on CCC19, all printed as 0.00, are left out.
`public` takes the log's own variants as public, as the article does; that discloses every variant that one case alone
has. `threshold` (the default) and `generated` assume nothing about variants; SaCoFa, too, invents variants.

Read it with care. On logs with about as many variants as cases (CCC19, BPIC15, Sepsis) the public set carries most of
the `public` result. Where the error by edge is near or above 1, the release says nothing about single edges, whatever
the EMD. The constants of the method were chosen on these logs.
"""
