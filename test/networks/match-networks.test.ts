import { describe, expect, it } from 'vitest';
import { matchNetworks, selectorText } from '../../src/networks/match-networks.ts';
import type { NetworkRecord } from '../../src/networks/statements/networks.ts';

function row(id: string, selector: string, name: string): NetworkRecord {
  const unknown = { networkId: null, readRun: null, readAt: null, createdAt: 0 };
  return { id, selector, name, integrationId: 'riverside', ...unknown };
}

function setting(selector: string, name: string) {
  return { selector, setting: { name, color: 'teal', group: {} } };
}

function match(settings: ReturnType<typeof setting>[], rows: NetworkRecord[]) {
  const found = matchNetworks(settings, rows);
  return {
    ids: found.settings.map((each) => each.row?.id ?? null),
    left: found.left.map(({ id }) => id),
  };
}

describe('matchNetworks', () => {
  it('knows a group by its selector, whatever it is called now', () => {
    const rows = [row('a', 's1', 'Board'), row('b', 's2', 'Staff')];
    expect(match([setting('s2', 'Team'), setting('s1', 'Board')], rows)).toEqual({
      ids: ['b', 'a'],
      left: [],
    });
  });

  it('keeps a network under its name when the selector is new', () => {
    expect(match([setting('s9', 'Board')], [row('a', 's1', 'Board')]).ids).toEqual(['a']);
  });

  it('prefers selector and name together, then the selector, then the name', () => {
    const rows = [row('a', 's1', 'Board'), row('b', 's1', 'Friends')];
    expect(match([setting('s1', 'Friends'), setting('s1', 'Other')], rows).ids).toEqual(['b', 'a']);
    const swapped = [setting('s1', 'Staff'), setting('s2', 'Board')];
    const both = [row('a', 's1', 'Board'), row('b', 's2', 'Staff')];
    expect(match(swapped, both).ids).toEqual(['a', 'b']);
  });

  it('leaves what the settings do not name any more', () => {
    expect(match([setting('s3', 'New')], [row('a', 's1', 'Board')])).toEqual({
      ids: [null],
      left: ['a'],
    });
  });
});

describe('selectorText', () => {
  it('does not depend on the order of keys', () => {
    const one = { affiliation: { organization: 'Acme', role: 'Board' } };
    const other = { affiliation: { role: 'Board', organization: 'Acme' } };
    expect(selectorText(one)).toBe(selectorText(other));
    expect(selectorText({ list: ['b', 'a'] })).not.toBe(selectorText({ list: ['a', 'b'] }));
  });
});
