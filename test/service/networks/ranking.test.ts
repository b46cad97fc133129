import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ranked, rankStrongest } from '../../../service/networks/ranking.ts';
import { atOnce } from '../../../service/slices.ts';

const aMember = fc
  .uniqueArray(
    fc.record({
      donor: fc.integer({ min: 0, max: 300 }),
      strength: fc.integer({ min: 9, max: 20 }).map((twentieths) => twentieths / 20),
    }),
    { selector: ({ donor }) => donor, maxLength: 120 },
  )
  .map((connections) => connections.toSorted(compare));

describe('rankStrongest', () => {
  it('finds what sorting all connections finds', () => {
    fc.assert(
      fc.property(
        fc.array(aMember, { maxLength: 8 }),
        fc.record({
          minStrength: fc.double({ min: 0, max: 1, noNaN: true }),
          limit: fc.integer({ min: 1, max: 60 }),
          excluded: fc.array(fc.integer({ min: 0, max: 300 })).map((donors) => new Set(donors)),
        }),
        (members, wanted) => {
          const { minStrength, limit, excluded } = wanted;
          const ranked = members
            .flat()
            .filter(({ donor, strength }) => strength >= minStrength && !excluded.has(donor))
            .toSorted(compare)
            .map(({ donor }) => donor);
          expect(atOnce(rankStrongest([...members.keys()], readFrom(members), wanted))).toEqual(
            [...new Set(ranked)].slice(0, limit),
          );
        },
      ),
    );
  });

  it('reads the heads of most members only', () => {
    const members = Array.from({ length: 100 }, (_, member) =>
      Array.from({ length: 1000 }, (_, rank) => ({
        donor: member * 1000 + rank,
        strength: 1 - rank / 2000,
      })),
    );
    const readPage = readFrom(members);
    let read = 0;
    const ranking = rankStrongest(
      [...members.keys()],
      (...page) => {
        const connections = readPage(...page);
        read += connections.length;
        return connections;
      },
      { minStrength: 0, limit: 50, excluded: new Set() },
    );
    atOnce(ranking);
    expect(read).toBeLessThan(1000);
  });
});

function readFrom(members: readonly (readonly Ranked[])[]) {
  return (member: number, rank: number, size: number, strength: number) =>
    (members[member] ?? [])
      .slice(rank, rank + size)
      .filter((connection) => connection.strength >= strength);
}

function compare(a: Ranked, b: Ranked): number {
  return b.strength - a.strength || a.donor - b.donor;
}
