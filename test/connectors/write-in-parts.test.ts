import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../connectors/contract.ts';
import { readMarks } from '../../connectors/marks/mark-values.ts';
import { createSuspicions, writeInParts } from '../../connectors/writing/write-in-parts.ts';
import type { FieldValues } from '../../src/core/crm-field.ts';

const VALUES = { a: 1, b: 2, c: 3, d: 4, e: 5 };

function refusal(fields: readonly string[] = [], more: Partial<Refusal> = {}): Refusal {
  return { retriable: false, code: 'RULE', message: 'Refused.', fields, ...more };
}

/** Creates a CRM that refuses every request with a bad field. */
function createCrm(bad: readonly string[], names: 'none' | 'field' | 'another' = 'none') {
  const stored: Record<string, unknown> = {};
  let requests = 0;
  return {
    stored,
    requests: () => requests,
    send: async (values: FieldValues) => {
      requests += 1;
      const found = Object.keys(values).filter((name) => bad.includes(name));
      if (found.length === 0) {
        Object.assign(stored, values);
        return null;
      }
      return refusal({ none: [], field: found, another: ['elsewhere'] }[names]);
    },
  };
}

describe('writeInParts', () => {
  it('writes an accepted change with one request', async () => {
    const crm = createCrm([]);
    const change = { id: '1', values: VALUES };
    expect(await writeInParts(change, createSuspicions(), crm.send)).toEqual({
      status: 'written',
      id: '1',
    });
    expect(crm.requests()).toBe(1);
  });

  it.each(['none', 'field'] as const)(
    'writes all other values if one is refused and the CRM names: %s',
    async (names) => {
      const crm = createCrm(['d'], names);
      const result = await writeInParts({ id: '1', values: VALUES }, createSuspicions(), crm.send);
      expect(result).toMatchObject({ status: 'written_in_part', refusals: [{ fields: ['d'] }] });
      expect(crm.stored).toEqual({ a: 1, b: 2, c: 3, e: 5 });
    },
  );

  it('remembers a refused field for the next change', async () => {
    const crm = createCrm(['d']);
    const suspicions = createSuspicions();
    await writeInParts({ id: '1', values: VALUES }, suspicions, crm.send);
    const before = crm.requests();
    await writeInParts({ id: '2', values: VALUES }, suspicions, crm.send);
    // There are three writes. They contain the whole change, the change without the suspected field, and only this
    // field.
    expect(crm.requests() - before).toBeLessThanOrEqual(3);
  });

  it('refuses the change if the CRM blames a field of another one', async () => {
    const crm = createCrm(['d'], 'another');
    const result = await writeInParts({ id: '1', values: VALUES }, createSuspicions(), crm.send);
    expect(result.status).toBe('refused');
    expect(crm.requests()).toBe(1);
  });

  it('writes nothing in parts if the values belong together, or if the same change may succeed later', async () => {
    const crm = createCrm(['d']);
    const together = { id: '1', values: VALUES, together: true };
    expect((await writeInParts(together, createSuspicions(), crm.send)).status).toBe('refused');
    const locked = async () => refusal([], { retriable: true, isLock: true });
    const change = { id: '1', values: VALUES };
    expect(await writeInParts(change, createSuspicions(), locked)).toMatchObject({
      status: 'refused',
      isLock: true,
    });
    expect(crm.stored).toEqual({});
  });
});

describe('readMarks for a field with several values', () => {
  const contacts = {
    filter: null,
    optOutField: 'Groups',
    optOutValues: ['Do not research'],
    unmarkedValues: { optOut: ['Board'] },
  };

  it.each([
    [['Board', 'do not research'], { optedOut: true }],
    [['Board'], { optedOut: false }],
    [[], { optedOut: false }],
    [['Board', 'New group'], { optedOut: false, excluded: 'mark_unknown' }],
  ])('takes %j for %j', (texts, marks) => {
    expect(readMarks(contacts, () => texts)).toEqual(marks);
  });
});
