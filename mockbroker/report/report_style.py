"""Style sheet of reports, for light and dark mode, embedded in the page."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--page:#f7f8fa;--card:#fff;--ink:#1b1f24;--soft:#5b6570;
--line:#d9dee4;--error:#b42318;--error-tint:#fdecea;--warning:#9a5b00;--warning-tint:#fff3dc;--info:#1f5fa8;
--info-tint:#e8f1fb;--good:#176b3a;--good-tint:#e3f5ea;--proof:#ffe9a8}
@media (prefers-color-scheme:dark){:root{--page:#12151a;--card:#1b2027;--ink:#e7ebf0;--soft:#9aa5b1;
--line:#343c46;--error:#ff8f85;--error-tint:#43201d;--warning:#f2be6a;--warning-tint:#3d2f16;
--info:#8dbdf5;--info-tint:#1d2f45;--good:#7fd6a0;--good-tint:#173524;--proof:#4d421c}}
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
.finding{content-visibility:auto;contain-intrinsic-size:auto 90px;scroll-margin-top:12px}
.card.finding{contain-intrinsic-size:auto 420px}
.finding:target{outline:3px solid var(--info);outline-offset:2px}
.item{border-bottom:1px solid var(--line);padding:8px 4px;font-size:14px;overflow-wrap:anywhere}
.item p,.item ul{margin:2px 0}.item b{font-weight:600}.more{margin:24px 0 6px}
.filters{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:end;margin:12px 0}
.filters[hidden]{display:none}
.filters label{display:grid;font-size:13px;color:var(--soft)}
.filters select,.filters button{font:inherit;font-size:14px;max-width:260px;min-height:32px;
color:var(--ink);background:var(--card);border:1px solid var(--soft);border-radius:6px;
padding:3px 8px}
.filters output{order:1;font-variant-numeric:tabular-nums;padding:5px 0}
:focus-visible{outline:3px solid var(--info);outline-offset:1px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:6px 10px;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft)}td.number{text-align:right;font-variant-numeric:tabular-nums}
.no{color:var(--soft)}.found{color:var(--error);font-weight:600}
.rows{font-size:12.5px;white-space:pre;overflow-x:auto;margin:8px 0 0;line-height:1.6}
.wrapped{white-space:pre-wrap;overflow-wrap:anywhere}
.rows b{background:var(--proof);font-weight:inherit}
summary{cursor:pointer;color:var(--soft)}
footer{margin-top:40px;color:var(--soft);font-size:13px}
@media print{body{background:none}.card{break-inside:avoid}}
"""
"""Style sheet without external resources."""
