"""What several test files share."""

from pathlib import Path

import pytest

FRA_ENG_ZIP = Path(__file__).parents[2] / "shared" / "data" / "fra-eng.zip"


@pytest.fixture(scope="session")
def fra_eng_zip() -> Path:
    """Return the zip of the real corpus of 2019-04-07, as d2l and manythings.org publish it."""
    if not FRA_ENG_ZIP.is_file():
        pytest.skip("the fra-eng corpus is not beside the checkout, in shared/data/fra-eng.zip")
    return FRA_ENG_ZIP
