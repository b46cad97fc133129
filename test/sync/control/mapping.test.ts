import { describe, expect, it } from 'vitest';
import { fingerprintMapping } from '../../../src/sync/control/mapping.ts';
import { testFingerprint } from '../../database/store-world.ts';

/** Returns the mapping that the connector defines or, if it defines none, the mapping in the settings. */
function mapping(shape: { columns: string; mode: string } | null, crm: Record<string, unknown>) {
  const connector = shape === null ? {} : { identity: () => ({ ...shape, sources: [] }) };
  const deps = { store: { fingerprint: testFingerprint }, connector };
  return fingerprintMapping(deps, { crm: { kind: 'csv', ...crm } });
}

describe('mappingOf', () => {
  it('is another one with other columns, another mode or another kind of CRM', () => {
    const plain = { columns: 'First,Last', mode: 'plain' };
    const others = [
      mapping(plain, {}),
      mapping({ ...plain, columns: 'Full Name' }, {}),
      mapping({ ...plain, mode: 'npsp' }, {}),
      mapping(plain, { kind: 'hubspot' }),
    ];
    expect(new Set(others).size).toBe(4);
    expect(mapping({ ...plain }, { path: 'elsewhere.csv' })).toBe(others[0]);
  });

  it('goes by the columns of the settings where the connector says nothing, in any order', () => {
    const one = mapping(null, { columns: { firstName: 'A', addresses: ['S', 'C'] } });
    expect(mapping(null, { columns: { addresses: ['S', 'C'], firstName: 'A' } })).toBe(one);
    expect(mapping(null, { columns: { addresses: ['C', 'S'], firstName: 'A' } })).not.toBe(one);
    expect(mapping(null, {})).toBe(mapping(null, { path: 'x.csv' }));
  });
});
