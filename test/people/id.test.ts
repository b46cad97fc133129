import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOf, numberOf } from '../../people/id.ts';

const seed = fc.maxSafeInteger();
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('idOf', () => {
  it('makes 32 hexadecimal characters from which numberOf finds the number again', () => {
    fc.assert(
      fc.property(seed, number, (seed, number) => {
        const id = idOf(seed, 'donor', number);
        expect(id).toMatch(/^[0-9a-f]{32}$/);
        expect(numberOf(seed, 'donor', id)).toBe(number);
        expect(numberOf(seed, 'company', id)).toBeNull();
      }),
    );
  });
});
