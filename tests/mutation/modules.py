"""What is mutated, and the tests that must notice: those that drive the module itself, not the whole service."""

from __future__ import annotations

from tests.mutation.work import ROOT

_GATE = (
    "tests/programs/test_raw_path*.py",
    "tests/programs/test_excerpt*.py",
    "tests/programs/test_leaf_search*.py",
    "tests/programs/test_text_index*.py",
    "tests/programs/test_gate*.py",
    "tests/programs/test_core_properties.py",
)
_EVIDENCE = ("tests/programs/test_output_summary*.py", "tests/programs/test_evidence*.py")
_LITERALS = (
    "tests/programs/test_grounding*.py",
    "tests/programs/test_literals*.py",
    "tests/programs/test_setting*.py",
)
_LITERAL_FILES = sorted((ROOT / "programs" / "literals").glob("[!_]*.py"))

# Module -> patterns of its test files. Neighbours with the same patterns are run together.
MODULES: dict[str, tuple[str, ...]] = {
    "programs/routing.py": ("tests/programs/test_routing*.py",),
    "programs/scoring.py": ("tests/programs/test_scoring*.py",),
    "programs/templates.py": ("tests/programs/test_templates*.py",),
    "signatures/protocol.py": ("tests/signatures/test_protocol*.py",),
    "signatures/verdict_case.py": ("tests/signatures/test_verdict_case*.py",),
    **dict.fromkeys(
        (
            *("programs/gatekeeper.py", "programs/gate_rules.py", "programs/raw_path.py", "programs/excerpt.py"),
            *("programs/leaf_search.py", "programs/text_index.py"),
        ),
        _GATE,
    ),
    **dict.fromkeys(("programs/evidence.py", "programs/output_summary.py"), _EVIDENCE),
    "programs/injection.py": ("tests/programs/test_injection*.py", "tests/programs/test_evidence*.py"),
    "programs/grounding.py": _LITERALS,
    **dict.fromkeys((f"programs/literals/{file.name}" for file in _LITERAL_FILES), _LITERALS),
}
