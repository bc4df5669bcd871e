"""Style sheet of timelines, for light and dark mode.

All selectors begin with the class of the drawing, so that the sheet may be embedded in any page.
"""

from typing import Final

TIMELINE_STYLE: Final = """
.mockbroker-timeline{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--soft:#5b6570;
--line:#d9dee4;--bound:#8a94a0;--batch:#dfe8f5;--batch-line:#7d9cc4;--txn:#e4e0f6;
--txn-line:#8d7fce;--commit:#d8efe0;--commit-line:#4f9a70;--abort:#fbe3d3;--abort-line:#c7743a;
--error:#b42318;--error-tint:#fdecea;--state:#e3eef0;--state-line:#6b9aa3;--fold:#eef0f3;
--proof:#ffe9a8;--info:#1f5fa8;--good:#176b3a;display:block;
font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
@media (prefers-color-scheme:dark){.mockbroker-timeline{--ground:#1b2027;--ink:#e7ebf0;
--soft:#a3adb8;--line:#343c46;--bound:#7d8894;--batch:#26364d;--batch-line:#6387b8;--txn:#312c52;
--txn-line:#9285d8;--commit:#1f3f2e;--commit-line:#5fae83;--abort:#472d1d;--abort-line:#d08a55;
--error:#ff8f85;--error-tint:#43201d;--state:#20363b;--state-line:#6aa3ae;--fold:#262c34;
--proof:#4d421c;--info:#8dbdf5;--good:#7fd6a0}}
.mockbroker-timeline text{fill:var(--ink);font-size:12px}
.mockbroker-timeline .ground{fill:var(--ground)}
.mockbroker-timeline .small{font-size:10.5px;fill:var(--soft)}
.mockbroker-timeline .mid{text-anchor:middle}.mockbroker-timeline .end{text-anchor:end}
.mockbroker-timeline .title{font-size:13px;font-weight:600}
.mockbroker-timeline .column{font-weight:600;font-variant-numeric:tabular-nums}
.mockbroker-timeline .note{fill:var(--soft)}
.mockbroker-timeline path{fill:none;stroke:var(--line)}
.mockbroker-timeline .thread{stroke-dasharray:1 5}
.mockbroker-timeline .cut{stroke:var(--soft);stroke-dasharray:3 4}
.mockbroker-timeline .proof{fill:var(--proof)}
.mockbroker-timeline .bound{stroke:var(--bound);stroke-width:1.5}
.mockbroker-timeline .bound.stable{stroke:var(--good);stroke-width:2}
.mockbroker-timeline .bound.watermark{stroke:var(--info);stroke-width:2;stroke-dasharray:6 3}
.mockbroker-timeline .cell rect{fill:var(--ground);stroke:var(--line)}
.mockbroker-timeline .batch rect{fill:var(--batch);stroke:var(--batch-line)}
.mockbroker-timeline .transactional rect,.mockbroker-timeline .committed rect,
.mockbroker-timeline .open rect{fill:var(--txn);stroke:var(--txn-line)}
.mockbroker-timeline .open rect{stroke-dasharray:5 3;stroke-width:1.5}
.mockbroker-timeline .aborted rect{fill:var(--ground);stroke:var(--abort-line)}
.mockbroker-timeline .aborted .first{text-decoration:line-through;fill:var(--soft)}
.mockbroker-timeline .commit rect{fill:var(--commit);stroke:var(--commit-line)}
.mockbroker-timeline .abort rect{fill:var(--abort);stroke:var(--abort-line)}
.mockbroker-timeline .retry rect{stroke:var(--batch-line);stroke-dasharray:4 3}
.mockbroker-timeline .folded rect{fill:var(--fold);stroke:var(--bound)}
.mockbroker-timeline .removed rect{fill:var(--error-tint);stroke:var(--error);stroke-dasharray:4 3}
.mockbroker-timeline .state rect{fill:var(--state);stroke:var(--state-line)}
.mockbroker-timeline .error rect{fill:var(--error-tint);stroke:var(--error)}
.mockbroker-timeline .replica rect{fill:var(--ground);stroke:var(--bound)}
.mockbroker-timeline .evidence rect{stroke:var(--error);stroke-width:2.5}
.mockbroker-timeline .level{stroke-width:2;stroke:var(--soft)}
.mockbroker-timeline .level.watermark{stroke:var(--info);stroke-dasharray:6 3}
.mockbroker-timeline .level.stable{stroke:var(--good)}
"""
"""Style sheet without external resources."""
