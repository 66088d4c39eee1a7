"""`python -m translator`, which does what the script `translate` does, and ends as Python ends, so
that profilers see the end.
"""

import gc

gc.disable()  # the process lives for milliseconds

from translator import bundle  # noqa: E402

bundle.use()

from translator.cli import main  # noqa: E402

raise SystemExit(main())
