"""A sampling rule that leaves nothing to release has cost its budget: the refusal says so."""

from __future__ import annotations

import numpy as np
import pytest

from accounting import NonPrivate
from amun_dp.article.methods import article_method_named
from amun_dp.article.step5_sampling import Sampled
from amun_dp.errors import ReleaseError
from amun_dp.release.article import check_sampled


@pytest.mark.parametrize("cases", [(0, 0), (3, -1), (3,)], ids=["every case deleted", "a negative number", "too few"])
def test_a_rule_whose_cases_cannot_be_released_is_refused_with_the_words_that_the_budget_is_spent(
    cases: tuple[int, ...],
) -> None:
    sampled = Sampled(np.array(cases), NonPrivate("made up"))
    with pytest.raises(ReleaseError, match="noise was drawn, so the budget is spent"):
        check_sampled(article_method_named("sampling"), np.array([2, 1]), sampled)
