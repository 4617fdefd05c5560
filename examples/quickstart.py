# %% [markdown]
# # Quickstart
# From an event log to a release that anybody can check. Run it as `python examples/quickstart.py`, or cell by cell.
# It writes into `amun-quickstart/` in the current folder and nowhere else.

# %%
import shutil
from pathlib import Path

import amun_dp
from accounting.accountant import strictest
from accounting.guarantee import Relation, Scope
from amun_dp.release.methods import requested
from amun_dp.release.sweep import sweep
from amun_dp.synthetic import hospital_log

HERE = Path(globals().get("__file__", "examples/quickstart.py")).parent  # a notebook has no __file__
OUT = Path("amun-quickstart")
ADVANTAGE = 0.3  # how much better an attacker may guess about one case after the release than before

# %% [markdown]
# ## Read and inspect
# The log is made up, so its figures may be shown. Of a real log they are confidential: they come wrapped, and
# `reveal()` is where you say that you mean it.

# %%
log = amun_dp.read_log(HERE / "hospital.xes.gz")
seen = amun_dp.inspect(log).reveal()
print(
    f"{seen.cases:,} cases, {seen.events:,} events, {seen.variants} variants, longest case {seen.longest_case} events"
)
print(f"{seen.cases_with_own_variant} cases have a variant of their own: their sequence of activities gives them away")
for known in seen.exposure:
    print(
        f"  first {known.known_events:>2} events and their days known: {known.by_activities_and_days} cases singled out"
    )

# %% [markdown]
# ## Plan
# A plan draws nothing and spends nothing. A sweep is the same plan for several advantages.

# %%
planned = amun_dp.plan(log, ADVANTAGE, "filtering").summary.reveal()
print(f"filtering at {ADVANTAGE}: {planned.kept_cases:,} of {planned.cases:,} cases are kept,", end=" ")
print(f"durations are off by {planned.median_duration_error_hours:.1f} h (median)")
for row in sweep(log, lambda advantage: requested(advantage, "filtering"), (0.1, 0.2, 0.3, 0.4)).reveal():
    print(
        f"  advantage {row.advantage}: {row.kept_cases:,.0f} cases kept, durations ± {row.duration_error_hours:.1f} h"
    )

# %% [markdown]
# ## Anonymize
# `filtering` is the article's method: it copies and deletes real cases. `certified` measures the log with noise and
# draws a new one from that, with `variants="generated"` even its variants. The report says what is guaranteed.
#
# For a log with people in it pass `registry=amun_dp.open_registry()`, which keeps a budget for all releases of it.

# %%
releases = {
    "certified": amun_dp.anonymize(log, ADVANTAGE, "certified", variants="generated"),
    "filtering": amun_dp.anonymize(log, ADVANTAGE, "filtering"),
}
for method, release in releases.items():
    bound = strictest(release.report.guarantees, Scope.CASE, Relation.REPLACE)
    print(f"{method}: about one whole case, {bound.verdict.value}: ε {bound.epsilon}, advantage {bound.advantage}")
    print(f"  because {bound.why}")

# %% [markdown]
# ## Save
# A release is a folder. Publish the log, `report.json` and `report.html`; keep `internal/`.

# %%
for method, release in releases.items():
    release.save(OUT / method, force=True)
    shutil.copytree(
        OUT / method, OUT / f"{method}-published", ignore=shutil.ignore_patterns("internal"), dirs_exist_ok=True
    )
print("written:", *sorted(str(path) for path in OUT.glob("certified*/*")), sep="\n  ")

# %% [markdown]
# ## As the public sees it
# Loading derives the guarantees from the mechanisms that the report records; verifying checks everything else.

# %%
for method in releases:
    folder = OUT / f"{method}-published"
    published = amun_dp.load_release(folder)
    found = amun_dp.verify(folder)
    assert published.ledger is None
    assert found.label is not None
    print(f"{method}: {len(published.log):,} events; {len(found.checks)} checks, {len(found.failed)} failed")
    print(f"  {found.label.symbol} {found.label.heading}. {found.label.sentence}.")

# %% [markdown]
# ## What is it still good for?
# Measured against the original, so only its owner can say, and confidential again. A proved bound has its price: of
# 300 cases little but noise remains, of 10,000 cases of the same process much more.

# %%
many = hospital_log(cases=10_000)
pairs = {method: (log, release) for method, release in releases.items()}
pairs["certified, 10,000 cases"] = (many, amun_dp.anonymize(many, ADVANTAGE, "certified", variants="generated"))
for name, (original, release) in pairs.items():
    kept = amun_dp.evaluate(original, release.event_log).reveal()
    print(f"{name}: edge counts off by {kept.distances.frequency_error:.0%},", end=" ")
    print(f"durations by {kept.distances.time_error:.0%};", end=" ")
    print(f"variants: {kept.variants.kept} kept, {kept.variants.lost} lost, {kept.variants.new} new")
