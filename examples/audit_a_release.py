# %% [markdown]
# # Audit a release
# You are handed a release folder and must decide whether its guarantee is real. Nothing in it is taken on trust.
# Writes into `amun-audit/` in the current folder and nowhere else; takes about half a minute.

# %%
import json
import shutil
from pathlib import Path

import amun_dp
from accounting.accountant import public_account, strictest
from accounting.guarantee import Relation, Scope, Verdict
from accounting.publication import tree_from_records
from amun_dp.auditing import Finding, audit_release
from amun_dp.release.methods import requested
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log
from amun_dp.verification import Outcome, Part

OUT = Path("amun-audit")
ADVANTAGE = 0.3
original = hospital_log(cases=3_000)  # made up; an auditor has the original only if its owner lets them
for method in ("certified", "sampling"):
    amun_dp.anonymize(original, ADVANTAGE, method).save(OUT / method, force=True)
    shutil.rmtree(OUT / method / "internal")  # stays with the publisher

# %% [markdown]
# ## Verify
# Without the original, and with a guarantee as the condition, as in `amun-dp verify DIR --require case:0.3`.
# Passing without a condition says that the report is true, not that it promises anything.

# %%
for method in ("certified", "sampling"):
    plain = amun_dp.verify(OUT / method)
    demanding = amun_dp.verify(OUT / method, require=[f"case:{ADVANTAGE}"])
    assert plain.label is not None
    print(f"{method}: passed {plain.passed}, with case:{ADVANTAGE} required {demanding.passed}")
    print(f"  {plain.label.symbol} {plain.label.heading}")
    for check in demanding.failed:
        print(f"  failed: {check.name.value}: {check.detail}")
print("What no verification sees:", *plain.undetectable, sep="\n  - ")

# %% [markdown]
# With the original more can be seen, and then the output holds figures of it: `confidential`.

# %%
checked = amun_dp.verify(OUT / "sampling", original, prove=False)
print(f"with the original: passed {checked.passed}, confidential {checked.confidential}")
seen = [check for check in checked.checks if check.name.part is Part.ORIGINAL]
print("  looked at in addition:", ", ".join(check.name.value for check in seen if check.outcome is Outcome.PASSED))
print("  needs the publisher's ledger too:", sum(check.outcome is Outcome.NOT_CHECKED for check in seen), "checks")

# %% [markdown]
# ## Account again
# From the mechanisms that the report publishes, and from nothing else in it.

# %%
for method in ("certified", "sampling"):
    report = json.loads((OUT / method / "report.json").read_text(encoding="utf-8"))
    guarantees = public_account(tree_from_records(report["mechanisms"]))
    case = strictest(guarantees, Scope.CASE, Relation.REPLACE)
    print(f"{method}: {', '.join(sorted({record['kind'] for record in report['mechanisms']}))}")
    print(f"  one case: {case.verdict.value}, ε {case.epsilon}, δ {case.delta:.2g}, advantage {case.advantage}")
    print(f"  because {case.why}")

# %% [markdown]
# ## Tamper with it
# A publisher who would like to promise more: first in words, then in the recorded noise, with the words to match.

# %%
true_report = (OUT / "certified" / "report.json").read_text(encoding="utf-8")
words, noise = json.loads(true_report), json.loads(true_report)
for line in words["guarantees"]:
    line["advantage"] = line["advantage"] and line["advantage"] / 3
for record in noise["mechanisms"]:
    if "scale" in record["parameters"]:
        scale = record["parameters"]["scale"]  # written exactly, in hexadecimal
        scale["float"] = (3 * float.fromhex(scale["float"])).hex()
matching = PublicReport.from_dict(noise).to_json()
for name, tampered in (("words", json.dumps(words, indent=2, ensure_ascii=False) + "\n"), ("noise", matching)):
    shutil.copytree(OUT / "certified", OUT / f"tampered-{name}", dirs_exist_ok=True)
    (OUT / f"tampered-{name}" / "report.json").write_text(tampered, encoding="utf-8")
    found = amun_dp.verify(OUT / f"tampered-{name}", prove=False)
    print(f"tampered with the {name}: passed {found.passed}")
    print(*(f"  failed: {check.name.value}: {check.detail}" for check in found.failed), sep="\n")

# %% [markdown]
# ## Attack the method
# The mechanism is run many times on neighbouring logs; how often an attacker tells them apart bounds ε from below, here
# with 95 % confidence in all bounds together. Above the claim, it is **broken**. Below, it is **not rejected**: that is
# no proof, least of all with so few runs. At least 0.00 says that the attack saw nothing. What an audit of this size
# could refute at all is printed with it.
# (Pairs of logs are made up, so nothing here is confidential. The seed makes the output repeatable.)

# %%
for method in ("certified", "sampling"):
    attacked = audit_release(None, requested(ADVANTAGE, method), runs=1_000, seed=1)
    assert not attacked.void  # its controls: sound noise passed, half of it was caught
    print(
        f"{method}: {attacked.tests} tests in {attacked.seconds:.0f} s, could refute an ε of {attacked.refutable:.1f}"
    )
    for result in attacked.claims:
        test = result.strongest
        recorded = "–" if test.claimed.verdict is None else test.claimed.verdict.value
        print(f"  {test.claimed.claim}: {result.finding.value}", end="; ")
        print(f"claimed ε {test.claimed.epsilon:.2f}, at least {test.tested.epsilon_low:.2f}; recorded as {recorded}")
        if result.finding is Finding.BROKEN:  # what is broken must not be recorded as proved anywhere
            assert test.claimed.verdict in (Verdict.REFUTED, Verdict.NOT_PROVED)
