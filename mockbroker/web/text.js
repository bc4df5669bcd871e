// Numbers, times and states as people read them.

const NUMBER = new Intl.NumberFormat("en");

export const number = (value) => NUMBER.format(value);

export function bytes(value) {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB"];
  let size = value / 1024;
  while (size >= 1024 && units.length > 1) {
    size /= 1024;
    units.shift();
  }
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[0]}`;
}

/** A duration such as `250 ms`, `12 s`, `3 min`, `7 d 2 h`. */
export function duration(ms) {
  const sign = ms < 0 ? "−" : "";
  const value = Math.abs(ms);
  if (value < 1000) return `${sign}${Math.round(value)} ms`;
  const parts = [];
  let rest = Math.round(value / 1000);
  for (const [unit, seconds] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const count = Math.floor(rest / seconds);
    rest %= seconds;
    if (count) parts.push(`${number(count)} ${unit}`);
  }
  return sign + parts.slice(0, 2).join(" ");
}

/** The time of a day, with milliseconds: `12:30:01.250`. */
export function timeOfDay(ms, digits = 3) {
  const text = instant(ms);
  return text === null ? `${ms} ms` : text.slice(11, digits ? 20 + digits : 19).replace("Z", "");
}

export function dateTime(ms) {
  const text = instant(ms);
  return text === null ? `${ms} ms` : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

function instant(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

const TONES = {
  Hanging: "bad",
  Ongoing: "info",
  PrepareCommit: "warn",
  PrepareAbort: "warn",
  PrepareEpochFence: "warn",
  CompleteCommit: "good",
  CompleteAbort: "muted",
  Empty: "muted",
  Dead: "muted",
  Stable: "good",
  running: "good",
  killed: "bad",
  stopped: "bad",
  isolated: "warn",
};

export const tone = (state) => TONES[state] ?? "warn";
