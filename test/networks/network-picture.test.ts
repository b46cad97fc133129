import { describe, expect, it } from 'vitest';
import {
  choosePaths,
  MAX_PATHS,
  MAX_PEOPLE,
  type NetworkPicture,
  pathSentence,
  rankPaths,
} from '../../src/networks/network-picture.ts';
import type { KnownPath } from '../../src/paths/statements/warm-paths.ts';

function aPath(changes: Partial<KnownPath> = {}): KnownPath {
  return {
    crmId: 'c-1',
    donorId: 'd-1',
    strength: 0.876543,
    people: 2,
    introducerId: 'm-1',
    networkId: 'n-1',
    connecting: ['m-1', 'm-2'],
    ...changes,
  };
}

const NAMED = new Map([['n-1', 'Board']]);
const MEMBER_OF = new Map([
  ['m-1', ['Board']],
  ['m-2', ['Staff']],
]);

describe('the picture of a network', () => {
  it('has the best path to each contact with its strength, then who knows the contact as well', () => {
    expect(rankPaths([aPath()], NAMED, MEMBER_OF)).toEqual([
      { from: 'm-1', to: 'd-1', contact: 'c-1', strength: 0.88, network: 'Board' },
      { from: 'm-2', to: 'd-1', contact: 'c-1', strength: null, network: 'Staff' },
    ]);
  });

  it('has no path from a member who has left the network of that path', () => {
    const staff = new Map([['m-1', ['Staff']]]);
    expect(rankPaths([aPath()], NAMED, staff)).toEqual([
      { from: 'm-1', to: 'd-1', contact: 'c-1', strength: null, network: 'Staff' },
    ]);
    expect(rankPaths([aPath()], NAMED, new Map())).toEqual([]);
  });

  it('has room for so many people and connections, the strongest of them', () => {
    const known = Array.from({ length: 5_000 }, (_, index) =>
      aPath({
        ...{ crmId: `c-${index}`, donorId: `d-${index}`, introducerId: `m-${index % 30}` },
        connecting: Array.from({ length: 30 }, (__, member) => `m-${member}`),
      }),
    );
    const members = new Map(
      Array.from({ length: 30 }, (_, member) => [`m-${member}`, ['Board']] as const),
    );
    const paths = rankPaths(known, NAMED, members);
    const people = new Set(paths.flatMap(({ from, to }) => [from, to]));
    expect([people.size, paths.length]).toEqual([MAX_PEOPLE, MAX_PATHS]);
    expect(paths.filter(({ strength }) => strength !== null)).toHaveLength(MAX_PEOPLE - 30);
  });

  it('is looked at from a strength on, by network and by person', () => {
    const picture: NetworkPicture = {
      ...{ networks: [], total: 2 },
      people: [
        { donorId: 'd-1', contacts: ['c-1'], networks: [] },
        { donorId: 'm-2', contacts: ['c-9'], networks: ['Staff'] },
      ],
      paths: rankPaths(
        [aPath(), aPath({ crmId: 'c-2', donorId: 'd-2', strength: 0.5, connecting: [] })],
        NAMED,
        MEMBER_OF,
      ),
    };
    const chosen = (changes: object) =>
      choosePaths(picture, { weakest: 45, network: null, who: null, ...changes }).map(
        ({ from, contact }) => `${from} ${contact}`,
      );
    expect(chosen({})).toEqual(['m-1 c-1', 'm-1 c-2', 'm-2 c-1']);
    expect(chosen({ weakest: 88 })).toEqual(['m-1 c-1']);
    expect(chosen({ weakest: 89 })).toEqual([]);
    expect(chosen({ network: 'Staff' })).toEqual(['m-2 c-1']);
    expect(chosen({ who: 'c-1' })).toEqual(['m-1 c-1', 'm-2 c-1']);
    expect(chosen({ who: 'c-9' })).toEqual(['m-2 c-1']);
  });

  it('says a path in a sentence', () => {
    const [best, other] = rankPaths([aPath()], NAMED, MEMBER_OF);
    if (!best || !other) throw new Error('no paths');
    expect(pathSentence(best, 2, 'Ada', 'Bo')).toBe(
      'Ada of Board can introduce Bo: 88 % sure that they know each other. 1 other person in the networks knows Bo, too.',
    );
    expect(pathSentence(other, 2, 'Cy', 'Bo')).toBe('Cy of Staff knows Bo as well.');
  });
});
