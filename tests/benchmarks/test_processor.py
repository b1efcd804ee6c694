"""The benchmark of AVX-512 compiles for another processor, and writes both beside each other."""

import os
import platform
import subprocess
import sys

import pytest

from benchmarks.scale.processor import print_table, without_avx512


def test_a_table_has_ours_and_the_rivals_with_and_without(capsys):
    print_table(
        {
            ("CART", "Espalier"): {"with": 2.0, "without": 4.0},
            ("CART", "ydf"): {"with": 6.0, "without": 6.0},
            ("optimal", "Espalier"): {"with": 1.0, "without": 1.0},
        }
    )
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "| case | ms | ms without | × scikit-learn | × without | × ydf | × without |"
    assert rows[2:] == ["| CART | 2 | 4 | – | – | 3.0 | 1.5 |", "| optimal | 1 | 1 | – | – | – | – |"]


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="another kind of processor")
@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_nothing_of_avx512_is_in_a_kernel_compiled_without_it(tmp_path):
    count = "from benchmarks.scale.processor import wide_registers; print(wide_registers())"
    variables = os.environ | without_avx512() | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", count], env=variables, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0"]
