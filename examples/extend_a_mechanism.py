# %% [markdown]
# # Extend: a sampling rule of your own
# The article draws noise for the count of every *transition* and then copies and deletes whole cases, which moves all
# transitions on their way: what is released is not the count plus its noise (claim `released-counts`, refuted). A case
# counts in exactly one *variant*. So: noise on the histogram of variants, and as many cases of each as its noisy count.
# Writes into a temporary folder only.

# %%
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory

import numpy as np

import amun_dp
from accounting.accountant import account, strictest
from accounting.confidential import Confidential
from accounting.events import PerEventNoise, PostProcessing, PrivacyEvent, Sequential, TakenAsPublic
from accounting.formulas import worst_case_loss
from accounting.guarantee import Guarantee, Relation, Scope
from amun_dp.audit import audit
from amun_dp.generator import hospital_log
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes
from amun_dp.mechanisms.laplace_count import laplace_count_noise
from amun_dp.mechanisms.sampling import ControlFlow, Sampled
from amun_dp.methods import Method, register_method, unregister_method
from amun_dp.noise import NoiseSource
from amun_dp.requests import requested

ADVANTAGE = 0.3
log = hospital_log()

# %% [markdown]
# ## The rule, and what it records
# All randomness comes from `source`. `LaplaceCount` is what the accountant knows: independent discrete Laplace noise on
# counts, of which one case moves one (`cells_per_case`). What follows uses the noisy counts only, and so costs nothing.


# %%
def noise_on_variants(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    noise, event = laplace_count_noise(len(control_flow.cases), 1, epsilon, source)
    cut = PostProcessing("counts below zero", "set to zero after the noise")
    return Sampled(cases=np.maximum(control_flow.cases + noise, 0), event=Sequential((event, cut)))


def epsilon_of_a_variant(advantage: float) -> float:
    """A replaced case leaves one variant and enters another: two counts, so half of the ε for each."""
    return float(worst_case_loss(advantage)) / 2


histogram = Method("histogram", "noise on the variants", False, epsilon_of_a_variant, noise_on_variants)

# %% [markdown]
# The times would still be the article's, whose noise depends on what it hides. Left out, they cost nothing: every event
# is put at the first start of the log, and that this is public is recorded, as the assumption that it is.


# %%
def no_times(times: RelativeTimes, _advantage: float, _source: NoiseSource) -> NoisedTimes:
    zero = np.zeros(len(times.value))
    none = PerEventNoise(times.case, times.value_range, zero, times.copies, times.origin, times.individual)
    why = PostProcessing("times", "no time is released: all are the first start of the log")
    return NoisedTimes(
        zero.astype(np.int64), Sequential((TakenAsPublic("time frame", from_log=True), why)), Confidential(none)
    )


untimed = replace(histogram, name="histogram-untimed", noise_times=no_times)
# What goes wrong if one forgets that a replaced case moves two counts: all of ε for each.
careless = replace(untimed, name="histogram-careless", control_flow_epsilon=lambda a: float(worst_case_loss(a)))
for method in (histogram, untimed, careless):
    unregister_method(method.name)  # so that this cell can be run again
    register_method(method)

# %% [markdown]
# ## What the accountant makes of it
# Nothing above claims a guarantee: it follows from the records. `public_variants` declares that it is known, for
# reasons outside the log, which variants occur in it; neighbouring logs then have the same ones. Where that is not
# true, whoever has a variant alone is disclosed, and no ε bounds it. (A public list that merely contains them would not
# do: a variant without a case gets no noise here.)


# %%
def shown(name: str, bound: Guarantee) -> None:
    print(f"{name}: {bound.verdict.value}, ε {bound.epsilon}, advantage {bound.advantage}; {bound.why}")


names = ("sampling", "histogram", "histogram-careless", "histogram-untimed")
for name, public in [("histogram-untimed", False), *((each, True) for each in names)]:
    release = amun_dp.anonymize(log, ADVANTAGE, name, public_variants=public)
    bound = strictest(release.report.guarantees, Scope.CASE, Relation.REPLACE)
    shown(f"{name}, variants {'public' if public else 'not public'}", bound)
print("The last one assumes:", *(f"{each.value}: {each.explanation}" for each in bound.assumptions), sep="\n  - ")

# %% [markdown]
# A record that the accountant does not know is not taken for free: the step has no bound until somebody proves one
# (`accounting.events.register_event` names such a record, so that ledgers can carry it). And an auditor does not know
# what your method should have recorded, so whether it meets a demand of `verify --require` cannot be judged.


# %%
@dataclass(frozen=True, slots=True)
class MyOwnNoise(PrivacyEvent):
    scale: float


shown("a step of its own", strictest(account(MyOwnNoise(5.0)).public, Scope.CASE, Relation.REPLACE))
with TemporaryDirectory() as folder:
    release.save(folder, force=True)
    found = amun_dp.verify(folder, require=[f"case:{ADVANTAGE}"], prove=False)
    [demand] = [check for check in found.checks if check.name.value == "required guarantee"]
    print(f"verify: {found.outcome.value}; {demand.name.value} {demand.detail}")

# %% [markdown]
# ## Attack it
# On made-up pairs of neighbouring logs with the same variants. The careless one claims as much and is caught.

# %%
for name in ("histogram-untimed", "histogram-careless"):
    attacked = audit(None, requested(ADVANTAGE, name, variants="public"), runs=1_000, seed=1)
    [whole] = [each for each in attacked.claims if each.strongest.claimed.claim == "whole-release"]
    test = whole.strongest
    print(
        f"{name}: {whole.finding.value}; claimed ε {test.claimed.epsilon:.2f}, at least {test.tested.epsilon_low:.2f}"
    )

# %% [markdown]
# ## Compare it
# With a built-in method that has no bound for a case, and with one that has. Figures of the log: confidential.

# %%
compared = amun_dp.compare(
    {"hospital": log},
    methods=("sampling", "histogram", "histogram-untimed", "certified:generated"),
    advantages=(0.2, 0.3),
    runs=3,
)
print(compared.reveal().markdown())
