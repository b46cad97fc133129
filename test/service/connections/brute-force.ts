/** Computes connections the slow way: for every pair of donors and every year, directly from the donors. */

import {
  acquaintanceRate,
  exposureAcross,
  exposureWithin,
  freshness,
  strengthOf,
  type TieKind,
} from '../../../service/connections/formula.ts';
import { leastSizeOf } from '../../../service/connections/public-bodies.ts';
import type { Donor, Role, World } from '../../../service/donor.ts';

const YEAR_MS = 365.25 * 86_400_000;
const FIRST_MS = Date.UTC(1870, 0, 1);
const NOW = yearsAt('2026-07-01');
const YEAR_COUNT = 157;

/** A period in years since 1870. */
interface Span {
  organisation: string;
  kind: TieKind;
  leastSize: number;
  from: number;
  to: number;
}

/** Returns a function that computes the strength between any two donors of a small world. */
export function bruteForce(world: World): (one: number, other: number) => number {
  const spans = Array.from({ length: world.donorCount }, (_, n) => spansOf(world.donor(n)));
  const sizes = sizesOf(spans.flat());

  function sumIn(span: Span, from: number, to: number): number {
    let sum = 0;
    for (let year = Math.floor(from); year < to; year++) {
      const years = Math.min(to, year + 1) - Math.max(from, year);
      const size = Math.max(span.leastSize, sizes.get(circleOf(span))?.[year] ?? 0);
      const ago = Math.max(0, NOW - year - 0.5);
      sum += years * acquaintanceRate(span.kind, size) * freshness(ago);
    }
    return sum;
  }

  return (one, other) => {
    let exposure = 0;
    for (const a of spans[one] ?? []) {
      for (const b of spans[other] ?? []) {
        const from = Math.max(a.from, b.from);
        const to = Math.min(a.to, b.to);
        if (a.organisation !== b.organisation || from >= to) continue;
        exposure +=
          a.kind === b.kind
            ? exposureWithin(sumIn(a, from, to))
            : exposureAcross(sumIn(a, from, to), sumIn(b, from, to));
      }
    }
    return strengthOf(exposure);
  };
}

function spansOf(donor: Donor): Span[] {
  const spans = [
    ...donor.boards.map((role) => roleSpan('board', role)),
    ...donor.work.map((role) => roleSpan(role.isService ? 'service' : 'work', role)),
    ...donor.education.map((role) => roleSpan('school', role)),
    ...donor.gifts.map(({ organisationId, date }) => {
      const from = yearsAt(date);
      const to = Math.min(NOW, from + 365 / 365.25);
      return { organisation: organisationId, kind: 'gift' as const, leastSize: 0, from, to };
    }),
  ];
  return [...Map.groupBy(spans, circleOf).values()].flatMap(union);
}

function roleSpan(kind: TieKind, { organisationId, body, start, end }: Role): Span {
  return {
    organisation: organisationId,
    kind,
    leastSize: body === undefined ? 0 : leastSizeOf(body, kind),
    from: yearsAt(start),
    to: end === null ? NOW : yearsAt(end),
  };
}

/** Returns the periods that a person spent in one circle. A day in several periods counts once. */
function union(spans: Span[]): Span[] {
  const whole: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else whole.push({ ...span });
  }
  return whole;
}

function sizesOf(spans: readonly Span[]): Map<string, number[]> {
  const sizes = new Map<string, number[]>();
  for (const span of spans) {
    const years = sizes.get(circleOf(span)) ?? Array<number>(YEAR_COUNT).fill(0);
    sizes.set(circleOf(span), years);
    for (let year = 0; year < YEAR_COUNT; year++) {
      const present = Math.min(span.to, year + 1) - Math.max(span.from, year);
      const length = Math.min(1, NOW - year);
      if (present > 0) years[year] = (years[year] ?? 0) + present / length;
    }
  }
  return sizes;
}

function circleOf({ organisation, kind }: Span): string {
  return `${kind} ${organisation}`;
}

function yearsAt(day: string): number {
  return (Date.parse(day) - FIRST_MS) / YEAR_MS;
}
