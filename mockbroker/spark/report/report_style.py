"""Style sheet of the report, for light and dark mode, embedded in the page."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--page:#f7f8fa;--card:#fff;--ink:#1b1f24;--soft:#5b6570;
--line:#d9dee4;--error:#b42318;--error-tint:#fdecea;--warning:#9a5b00;--warning-tint:#fff3dc;--info:#1f5fa8;
--info-tint:#e8f1fb;--good:#176b3a;--good-tint:#e3f5ea;--batch:#dfe8f5;--batch-line:#7d9cc4;
--txn:#e4e0f6;--txn-line:#8d7fce;--marker:#d8efe0;--marker-line:#5aa37a;--proof:#ffe9a8}
@media (prefers-color-scheme:dark){:root{--page:#12151a;--card:#1b2027;--ink:#e7ebf0;--soft:#9aa5b1;
--line:#343c46;--error:#ff8f85;--error-tint:#43201d;--warning:#f2be6a;--warning-tint:#3d2f16;
--info:#8dbdf5;--info-tint:#1d2f45;--good:#7fd6a0;--good-tint:#173524;--batch:#26364d;
--batch-line:#6387b8;--txn:#312c52;--txn-line:#9285d8;--marker:#1f3f2e;--marker-line:#5fae83;
--proof:#4d421c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1180px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}h2{font-size:19px;margin:36px 0 10px}
h3{font-size:16px;margin:0}
p{margin:6px 0}code,.rows{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.soft{color:var(--soft)}
.banner{border-radius:10px;padding:18px 22px;border-left:8px solid}
.banner.clean{background:var(--good-tint);border-color:var(--good)}
.banner.findings{background:var(--error-tint);border-color:var(--error)}
.banner.mild{background:var(--warning-tint);border-color:var(--warning)}
.banner.broken{background:var(--warning-tint);border-color:var(--warning)}
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 14px}
.tile b{display:block;font-size:19px;font-variant-numeric:tabular-nums}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px;
margin:12px 0}
.badge{display:inline-block;border-radius:5px;padding:1px 8px;font-size:12px;font-weight:600;
margin-right:8px;vertical-align:1px}
.ERROR{color:var(--error);background:var(--error-tint)}
.WARNING{color:var(--warning);background:var(--warning-tint)}
.INFO{color:var(--info);background:var(--info-tint)}
.scroll{overflow-x:auto;margin:12px 0 4px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:6px 10px;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft)}td.number{text-align:right;font-variant-numeric:tabular-nums}
.no{color:var(--soft)}.found{color:var(--error);font-weight:600}
.rows{font-size:12.5px;white-space:pre;overflow-x:auto;margin:8px 0 0;line-height:1.6}
.rows b{background:var(--proof);font-weight:inherit}
summary{cursor:pointer;color:var(--soft)}
.timeline{display:block}.timeline text{fill:var(--ink);font-size:12px}
.timeline .small{font-size:10.5px;fill:var(--soft)}.timeline .mid{text-anchor:middle}
.timeline .right{text-anchor:end}.timeline .moment{font-weight:600}
.timeline .name{font-size:12px;fill:var(--soft)}
.timeline path{fill:none;stroke:var(--line)}
.timeline .cut{stroke:var(--soft);stroke-dasharray:3 4}
.timeline .thread{stroke-dasharray:1 5}.timeline .proof{fill:var(--proof)}
.cell rect{fill:var(--batch);stroke:var(--batch-line)}
.cell.open rect{fill:var(--txn);stroke:var(--txn-line)}
.cell.marker rect{fill:var(--marker);stroke:var(--marker-line)}
.cell.other rect{fill:var(--card);stroke:var(--line)}
.cell.truncation rect{fill:var(--warning-tint);stroke:var(--warning)}
.cell.retry rect{fill:var(--card);stroke:var(--batch-line);stroke-dasharray:4 3}
.cell.proven rect{stroke:var(--error);stroke-width:2.5}
.timeline .level{stroke-width:2}.timeline .end{stroke:var(--soft)}
.timeline .watermark{stroke:var(--info);stroke-dasharray:6 3}.timeline .stable{stroke:var(--good)}
footer{margin-top:40px;color:var(--soft);font-size:13px}
@media print{body{background:none}.card{break-inside:avoid}}
"""
"""Style sheet without external resources."""
