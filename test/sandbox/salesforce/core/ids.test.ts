import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createId, readId } from '../../../../sandbox/salesforce/core/ids.ts';

describe('ids', () => {
  it('ends the long form with a check on capitals', () => {
    expect(readId('001000000000001')).toBe('001000000000001AAA');
    expect(readId('00Q3000000yIt5Z')).toBe('00Q3000000yIt5ZEAS');
  });

  it('accepts both forms of any id and gives the long one', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 9 }), (number) => {
        const id = createId('003', number);
        expect(id).toMatch(/^003Hs0[0-9A-Za-z]{9}[A-Z0-5]{3}$/);
        expect(readId(id)).toBe(id);
        expect(readId(id.slice(0, 15))).toBe(id);
      }),
    );
  });

  it('sorts as the records were made', () => {
    const numbers = [1, 9, 10, 35, 36, 61, 62, 3843, 3844, 1_000_000];
    const ids = numbers.map((number) => createId('003', number));
    expect([...ids].sort()).toEqual(ids);
  });

  it.each([
    '',
    '003',
    '003Hs0000000001IAB',
    '003Hs0000000001iaa',
    "003Hs000000000'",
    '0'.repeat(16),
  ])('does not take %j for an id', (text) => {
    expect(readId(text)).toBeNull();
  });
});
