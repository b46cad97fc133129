/** Reads the parts of a question about people's wealth and giving capacity. */

import type { Filters } from '../criteria.ts';
import { type Clause, clausePattern, LEAD, type Reading, setOnce } from './clause.ts';
import { dollarsIn, inDollars, MONEY, OVER, UNDER } from './money.ts';

const WORTH = String.raw`(?:net[\s-]?worth|wealth|assets|worth)(?:\s+(?:is|are|of))*\s+`;

/** Words for wealthy people. Banks use these amounts to group their clients. */
const WEALTHY: readonly { words: string; dollars: number }[] = [
  { words: String.raw`ultra[\s-]high[\s-]net[\s-]worth|UHNW`, dollars: 30_000_000 },
  { words: String.raw`high[\s-]net[\s-]worth|HNW|wealthy|rich|millionaires?`, dollars: 1_000_000 },
  { words: 'billionaires?', dollars: 1_000_000_000 },
];

/** The kinds of statements about wealth. */
export const WEALTH_CLAUSES: readonly Clause[] = [
  {
    pattern: clausePattern(
      `${LEAD}\\b${WORTH}(?:between\\s+)?(?<low>${MONEY})\\s*(?:and|to|-|–)\\s*(?<high>${MONEY})`,
    ),
    read({ group }, filters) {
      const [low, high] = bounds(group('low') ?? '', group('high') ?? '');
      const reading = setOnce(filters, 'min_net_worth', low, '');
      return 'reason' in reading
        ? reading
        : setOnce(
            filters,
            'max_net_worth',
            high,
            `net worth from ${inDollars(low)} to ${inDollars(high)}`,
          );
    },
  },
  {
    pattern: clausePattern(`${LEAD}\\b${WORTH}${UNDER}\\s*(?<money>${MONEY})`),
    read: ({ group }, filters) => atMost(filters, dollarsIn(group('money') ?? '')),
  },
  {
    pattern: clausePattern(
      `${LEAD}\\b${WORTH}(?:${OVER}\\s*)?(?<money>${MONEY})(?:\\s+(?:or|and) (?:more|above|up))?`,
    ),
    read: ({ group }, filters) => atLeast(filters, dollarsIn(group('money') ?? '')),
  },
  {
    pattern: clausePattern(
      `${LEAD}\\b(?:(?:giving |donation )?capacity(?: is| of)?|(?:can|could|able to) (?:give|donate))\\s+`,
      `(?:${OVER}\\s*)?(?<money>${MONEY})(?:\\s+or more)?`,
    ),
    read({ group }, filters) {
      const dollars = dollarsIn(group('money') ?? '');
      return setOnce(filters, 'min_capacity', dollars, `capacity of ${inDollars(dollars)} or more`);
    },
  },
  ...WEALTHY.map(({ words, dollars }) => ({
    pattern: clausePattern(
      `${LEAD}\\b(?:${words})\\b(?:\\s+(?:people|donors|individuals|prospects))?`,
    ),
    read: (_: unknown, filters: Filters) => atLeast(filters, dollars),
  })),
];

function atLeast(filters: Filters, dollars: number): Reading {
  return setOnce(filters, 'min_net_worth', dollars, `net worth of ${inDollars(dollars)} or more`);
}

function atMost(filters: Filters, dollars: number): Reading {
  return setOnce(filters, 'max_net_worth', dollars, `net worth of ${inDollars(dollars)} or less`);
}

/** Returns the lower and the upper limit. In "$1 to 5 million", "million" applies to both numbers. */
function bounds(low: string, high: string): [number, number] {
  const unit = /[a-z]+/i.exec(high)?.[0] ?? '';
  return [
    dollarsIn(/[a-z]/i.test(low) || low.includes(',') ? low : `${low}${unit}`),
    dollarsIn(high),
  ];
}
