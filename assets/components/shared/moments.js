// Dates, times of day and durations on an axis: [kind, seconds of 1, seconds from 1970 to 0], as Python sends them.

const [MINUTE, HOUR, DAY] = [60, 3600, 86400];
const DAYS = [1, 2, 7, 14].map((n) => n * DAY);
const STEPS = [
  ...[1, 5, 15, 30],
  ...[1, 5, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...DAYS,
];
const MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 24000];
const A_MONTH = 30.4 * DAY;

const two = (n) => String(n).padStart(2, "0");
const year = (date) => String(date.getUTCFullYear()).padStart(4, "0");

// The value of a moment in words: "2021-03-31 14:35", "14:35", "3 d 4 h".
export function written([kind, unit, zero], value) {
  const seconds = Math.round(value * unit * 1000) / 1000;
  if (kind === "duration") return lasting(seconds);
  if (kind !== "date") return clock(seconds);
  const date = new Date(Math.floor((zero + seconds) / DAY) * DAY * 1000);
  const day = `${year(date)}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return unit === DAY ? day : `${day} ${clock((((zero + seconds) % DAY) + DAY) % DAY)}`;
}

function clock(seconds) {
  const rest = Math.floor(seconds % MINUTE);
  const words = `${two(Math.floor(seconds / HOUR))}:${two(Math.floor((seconds % HOUR) / MINUTE))}`;
  return rest ? `${words}:${two(rest)}` : words;
}

function lasting(seconds) {
  const size = Math.abs(seconds);
  const parts = [
    [Math.floor(size / DAY), "d"],
    [Math.floor((size % DAY) / HOUR), "h"],
    [Math.floor((size % HOUR) / MINUTE), "min"],
    [Math.round(size % MINUTE), "s"],
  ];
  const words = parts.filter(([n]) => n).map(([n, name]) => `${n} ${name}`);
  return (seconds < 0 ? "−" : "") + (words.join(" ") || "0");
}

// The marks of an axis: about so many, at full hours, days, months or years.
export function momentTicks({ moment, low, high }, many) {
  const [kind, unit, zero] = moment;
  const rough = ((high - low) * unit) / many;
  const ends = [low * unit + zero, high * unit + zero];
  if (kind === "date" && rough > DAYS.at(-1)) return monthTicks(ends, rough, (seconds) => (seconds - zero) / unit);
  const power = 10 ** Math.ceil(Math.log10(rough / DAY));
  const step = STEPS.find((one) => one >= rough && (kind !== "date" || one >= unit)) ?? DAY * power;
  const marks = [];
  for (let i = Math.ceil(ends[0] / step); i * step <= ends[1] && marks.length < 50; i++) {
    const value = (i * step - zero) / unit;
    marks.push([value, kind === "date" ? short(i * step, step) : written([kind, unit, 0], value)]);
  }
  return marks;
}

// A mark of days, or of hours of a day.
function short(seconds, step) {
  const date = new Date(seconds * 1000);
  const day = `${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return step < DAY ? `${day} ${clock(((seconds % DAY) + DAY) % DAY)}` : `${year(date)}-${day}`;
}

function monthTicks([low, high], rough, value) {
  const step = MONTHS.find((n) => n * A_MONTH >= rough) ?? MONTHS.at(-1);
  const first = new Date(low * 1000);
  const from = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step);
  const marks = [];
  for (let i = from; marks.length < 50; i++) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor((i * step) / 12), (i * step) % 12, 1);
    const seconds = date.getTime() / 1000;
    if (seconds > high) return marks;
    const month = `${year(date)}-${two(date.getUTCMonth() + 1)}`;
    if (seconds >= low) marks.push([value(seconds), step % 12 ? month : year(date)]);
  }
  return marks;
}
