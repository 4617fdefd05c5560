"""Reports as web pages: one self-contained file each, no script, nothing requested from outside.

``public.public_page`` takes the public report and the released log; ``internal.internal_page`` takes and gives a
``Confidential``. ``fragments.label_card`` is the card alone, for notebooks. The same input gives the same bytes: no
clock, no random identifier, no figure of the machine.
"""
