"""The local web page: the whole job of a data steward in a browser, on this machine alone (``amun-dp serve``).

    guard      who may ask: token, Host, Origin, and the policy that every answer carries
    places     what may be read: logs and releases below one folder, and what was dropped on the page
    jobs       one piece of work at a time, in a process of its own that can be cancelled
    worker     that process; ``tasks`` is what it does
    desk       what the page shows: the chosen log, its plan, the release, a verification
    sections   the parts of the page; ``app`` puts everything behind addresses

Nothing is computed from a log in the process that serves the page, so that it answers while a million events are read.
"""
