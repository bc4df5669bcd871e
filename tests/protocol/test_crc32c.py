"""The checksum of record batches."""

import subprocess
import sys

import pytest

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.types import Buffer


@pytest.mark.parametrize(
    "buffer", [b"123456789", bytearray(b"123456789"), memoryview(b"123456789")]
)
def test_crc32c_has_the_published_check_value_for_every_kind_of_buffer(buffer: Buffer) -> None:
    assert checksums.crc32c(buffer) == 0xE3069283


def test_empty_bytes_have_the_checksum_0() -> None:
    assert checksums.crc32c(b"") == 0


def test_the_native_module_is_imported_at_the_first_use_and_then_called_directly() -> None:
    program = (
        "import sys\n"
        "from mockbroker.protocol import crc32c as checksums\n"
        "assert 'crc32c' not in sys.modules\n"
        "assert checksums.crc32c(b'a') == 0xC1D04330\n"
        "assert checksums.crc32c is sys.modules['crc32c'].crc32c\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
