import { describe, expect, it } from 'vitest';
import { FIELD_SOURCES, SYNC_SOURCES } from '../../src/core/field-map.ts';
import { profileValues, warmPathValues } from '../../src/mapping/profile-values.ts';
import { SOURCE_KINDS } from '../../src/mapping/raw-value.ts';
import { aProfile } from './samples.ts';

const enhancedAtMs = Date.UTC(2026, 10, 20, 2);
const warmPath = {
  strength: 0.72,
  introducer: 'Grace Hopper',
  network: 'Board',
  via: 'Royal Society',
  sentence: 'Grace Hopper of the Board knows Ada Lovelace through the Royal Society.',
};

describe('profileValues', () => {
  it('gives a value of the right kind for every source of the field map', () => {
    const values = profileValues(aProfile(), enhancedAtMs, warmPath);
    expect([...values.keys()].toSorted()).toEqual(
      FIELD_SOURCES.filter((source) => !SYNC_SOURCES.includes(source)).toSorted(),
    );
    for (const [source, value] of values) expect(value.kind).toBe(SOURCE_KINDS[source]);
  });

  it('gives the values of the profile', () => {
    const values = profileValues(aProfile(), enhancedAtMs);
    expect(values.get('name.full')).toEqual({ kind: 'text', text: 'Ada King Lovelace' });
    expect(values.get('netWorth.high')).toEqual({ kind: 'number', value: 5_000_000 });
    expect(values.get('netWorth.label')).toEqual({ kind: 'range', low: 1e6, high: 5e6 });
    expect(values.get('capacity.highest')).toEqual({ kind: 'number', value: 45_000.5 });
    expect(values.get('work.primary')).toEqual({ kind: 'text', text: 'Analytical Engines, Inc.' });
    expect(values.get('bio')).toEqual({
      kind: 'prose',
      text: 'Wrote the first program.\n\nLoves horses.',
    });
    expect(values.get('enhancedAt')).toEqual({ kind: 'instant', epochMs: enhancedAtMs });
  });

  it('has no entry for what the profile does not know', () => {
    const nameless = aProfile({
      name: { first: ' ', middle: null, last: null },
      profileUrl: null,
      age: null,
      netWorth: null,
      capacity: { political: null, nonprofit: null },
      education: [],
      work: [' '],
      bio: [''],
    });
    expect([...profileValues(nameless, enhancedAtMs).keys()]).toEqual(['donorId', 'enhancedAt']);
  });

  it('keeps zero as the figure that it is', () => {
    const values = profileValues(
      aProfile({ capacity: { political: 0, nonprofit: null } }),
      enhancedAtMs,
    );
    expect(values.get('capacity.highest')).toEqual({ kind: 'number', value: 0 });
  });

  it('takes an impossible upper bound for an open range', () => {
    const values = profileValues(
      aProfile({ netWorth: { low: 10_000_000, high: Number.MAX_SAFE_INTEGER } }),
      enhancedAtMs,
    );
    expect(values.get('netWorth.label')).toEqual({ kind: 'range', low: 1e7, high: null });
    expect(values.has('netWorth.high')).toBe(false);
  });

  it('names each company once and on one line', () => {
    const values = profileValues(aProfile({ work: ['Acme\n Corp', 'ACME CORP', 'Beta'] }), 0);
    expect(values.get('work.all')).toEqual({ kind: 'list', items: ['Acme Corp', 'Beta'] });
  });
});

describe('warmPathValues', () => {
  it('gives what is known of the path', () => {
    const values = warmPathValues({ ...warmPath, via: null, sentence: '' });
    expect([...values.keys()]).toEqual([
      'warmPath.strength',
      'warmPath.introducer',
      'warmPath.network',
    ]);
  });
});
