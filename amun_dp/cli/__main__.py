"""``python -m amun_dp.cli``"""

from __future__ import annotations

import sys

from amun_dp.cli import main

sys.exit(main())
