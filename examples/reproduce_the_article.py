# %% [markdown]
# # Reproduce the article
# The worked example of "Differentially Private Release of Event Logs for Process Mining" (Elkoumy, Pankova, Dumas), to
# the digit; what the corrected conventions change in it; which claims do not hold. Writes no file.

# %%
import os
from dataclasses import replace
from pathlib import Path

import pandas as pd

import amun_dp
from accounting.claims.article import ARTICLE_CLAIMS
from accounting.guarantee import Verdict
from amun_dp._base.units import MINUTE
from amun_dp.article.conventions import ARTICLE, CORRECTED
from amun_dp.release.requests import ArticleName
from proofs.registry import checkers, run

ADVANTAGE = 0.3  # the article's δ
# Case, activity, time (August 2020), and as printed: PK before filtering, and after it New PK and ε.
PRINTED = """
1 A 08T10:20 0.33 - -
1 B 08T10:50 0.75 - -
1 C 08T16:15 0.33 - -
2 D 08T12:37 0.33 0.2 1.39
2 A 08T14:37 0.35 0.35 1.24
2 E 08T15:07 0.35 0.35 1.24
2 C 08T20:31 0.33 0.2 1.39
3 A 09T13:30 0.5 0.6 1.8
3 B 09T13:55 0.5 0.33 1.24
3 C 09T20:55 0.167 0.2 1.39
4 D 09T15:00 0.5 0.6 1.79
4 A 09T17:00 0.35 0.35 1.24
4 B 09T17:40 0.25 0.33 1.24
4 C 09T23:05 0.33 0.2 1.39
5 A 09T17:25 0.5 0.6 1.79
5 E 09T17:55 0.35 0.35 1.24
5 C 10T23:55 0.17 0.2 1.39
6 A 11T17:00 0.17 0.2 1.39
6 B 11T17:27 0.5 0.33 1.24
6 C 11T23:45 0.17 0.2 1.39
"""
columns = ["case:concept:name", "concept:name", "time:timestamp", "PK", "New PK", "ε"]
printed = pd.DataFrame([line.split() for line in PRINTED.split("\n") if line], columns=columns)
log = printed[columns[:3]].copy()
log["time:timestamp"] = pd.to_datetime("2020-08-" + log["time:timestamp"], utc=True)

# %% [markdown]
# ## Both tables
# Each figure is rounded to as many digits as the article prints. `sampling` filters nothing: its priors are those
# before filtering.


# %%
def events_of(method: ArticleName, conventions: str | amun_dp.Conventions) -> pd.DataFrame:
    return amun_dp.plan(log, ADVANTAGE, method, conventions).events.reveal()


def as_printed(figures: pd.Series, like: pd.Series) -> list[str]:
    return [
        "-" if text == "-" else f"{figure:.{len(text.partition('.')[2])}f}"
        for figure, text in zip(figures, like, strict=True)
    ]


before, after = events_of("sampling", "article"), events_of("filtering", "article")
found = pd.DataFrame(
    {
        "PK": as_printed(before["prior"], printed["PK"]),
        "New PK": as_printed(after["prior"], printed["New PK"]),
        "ε": as_printed(after["epsilon"], printed["ε"]),
    }
)
print(pd.concat([before[["case", "activity", "source", "target"]], found], axis=1).to_string(index=False))
published = printed[["PK", "New PK", "ε"]]
agree, figures = (found == published) & (published != "-"), published != "-"
print(f"{agree.to_numpy().sum()} of {figures.to_numpy().sum()} figures as printed", end="; ")
print(f"filtered: case {', '.join(after[~after['kept']]['case'].unique())}")
print(f"ε of a transition count: {amun_dp.plan(log, ADVANTAGE, 'filtering', 'article').control_flow_epsilon:.3f}")

# %% [markdown]
# ## What `corrected` changes
# - A guess counts as right within ± 10 seconds, as the text says; the tables use 10 minutes.
# - The prior is the share of the group within that window. The tables subtract what lies at the group's minimum: with
#   their own 10 minutes the correct shares filter three cases, not one.
# - Noise is scaled to [0, r] with r the maximum, and not to maximum − minimum, which gives a group with one value no
#   noise at all.
# - Filtering is repeated until no case violates, and times are not compressed to a quarter (docs/conventions.md).

# %%
corrected = events_of("sampling", "corrected")
changed = before[["case", "activity"]].assign(article=before["prior"], corrected=corrected["prior"]).round(3)
print(changed[changed["article"] != changed["corrected"]].to_string(index=False))
ten_minutes = replace(CORRECTED, window=10 * MINUTE)
for name, rules in {"article": ARTICLE, "corrected": CORRECTED, "corrected, 10 minutes": ten_minutes}.items():
    plan = amun_dp.plan(log, ADVANTAGE, "filtering", rules)
    events, summary = plan.events.reveal(), plan.summary.reveal()
    gone = ", ".join(events[~events["kept"]]["case"].unique()) or "none"
    print(f"{name}: filtered cases: {gone}; events without any noise: {summary.events_without_noise}")

# %% [markdown]
# ## Claims that do not hold
# For both conventions. Each counterexample is computed again, exactly, by the checkers behind `amun-dp prove`.

# %%
for claim in ARTICLE_CLAIMS:
    if claim.verdict is not Verdict.REFUTED or claim.reference == "this release":
        continue
    print(f"{claim.id} ({claim.reference})\n  claimed: {claim.statement}\n  but: {claim.why}")
    for outcome in map(run, checkers([claim.id])):
        result = "skipped" if outcome.verdict is None else outcome.verdict.value
        print(f"  {outcome.checker}: {result}: {outcome.detail}")

# %% [markdown]
# ## One real log, with the article's own figures beside
# The logs are not ours to hand on: AMUN_DP_LOGS names the folder in which you have them.

# %%
if folder := os.environ.get("AMUN_DP_LOGS"):
    real = amun_dp.read_log(Path(folder) / "Unrineweginfectie.xes.gz")
    methods = ("filtering", "sampling", "oversampling")
    compared = amun_dp.compare(
        {"Unrineweginfectie": real}, methods=methods, advantages=(0.2,), runs=3, conventions="article"
    )
    print(compared.reveal().markdown())
else:
    print("AMUN_DP_LOGS is not set: no real log is compared")
