"""The page of an evaluation: confidential, as every figure of it is. It takes a ``Confidential`` and gives one."""

from __future__ import annotations

from accounting.confidential import Confidential
from amun_dp.drawing.follows import difference_chart
from amun_dp.drawing.log_charts import active_chart, activities_chart, durations_chart
from amun_dp.drawing.model import Label, Table
from amun_dp.drawing.numbers import sentence
from amun_dp.drawing.render import render_page
from amun_dp.evaluation import Evaluation
from amun_dp.evaluation.charts import edges_chart, steps_chart, variants_chart
from amun_dp.evaluation.wording import measures, totals
from amun_dp.folder.names import BANNER

CONTENTS = (
    ("totals", "Before and after"),
    ("measures", "How far apart"),
    ("log", "The log"),
    ("flow", "Variants and steps"),
)


def evaluation_page(
    evaluation: Confidential[Evaluation], original: str = "the original", released: str = "the released log"
) -> Confidential[str]:
    """The page as text, with the names of the two logs. The same evaluation and names give the same bytes."""
    if not isinstance(evaluation, Confidential):
        raise TypeError("the page of an evaluation is made of confidential figures, and stays confidential.")
    found = evaluation.reveal()
    page = render_page(
        "evaluation.html",
        {
            "banner": BANNER,
            "contents": CONTENTS,
            "original": Label(original, 120),
            "released": Label(released, 120),
            "notes": [sentence(note) for note in found.notes],
            "totals": Table(columns=("", "Before", "After", "Change"), rows=totals(found)),
            "groups": measures(found),
            "log_charts": (
                activities_chart(found.after, found.before),
                durations_chart(found.after, found.before),
                active_chart(found.after, found.before),
            ),
            "graph": difference_chart(found.after, found.before),
            "flow_charts": (variants_chart(found), edges_chart(found), steps_chart(found)),
        },
    )
    return Confidential(page)
