import { dayOf } from "#shared/platform/usage/statistics.ts";

interface Period {
  readonly from: string;
  readonly to: string;
}

const dayMilliseconds = 86_400_000;

/** The days of a period, both ends included. */
export function daysFrom({ from, to }: Period): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / dayMilliseconds + 1;
  return Array.from({ length: count }, (_, index) => dayOf(Date.parse(from) + index * dayMilliseconds));
}

/** The months of a period, both ends included. */
export function monthsFrom({ from, to }: Period): string[] {
  const months: string[] = [];
  for (let month = from; month <= to; month = following(month)) months.push(month);
  return months;
}

function following(month: string): string {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
