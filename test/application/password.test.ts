import { describe, expect, it } from 'vitest';
import {
  hashPassword,
  isPassword,
  requireGoodPassword,
} from '../../src/application/sign-in/password.ts';

const ANNA = { name: 'Anna Kowalski', email: 'anna.k@example.org' };

describe('a password', () => {
  it('is kept as what can be checked and not be read', async () => {
    const kept = await hashPassword('three blue herons');
    expect(kept).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hashPassword('three blue herons')).not.toBe(kept);
    expect(await isPassword('three blue herons', kept)).toBe(true);
    expect(await isPassword('three blue Herons', kept)).toBe(false);
  });

  it('is the same however a keyboard puts its characters together', async () => {
    const kept = await hashPassword('Zoe\u0308 und die Ente');
    expect(await isPassword('Zo\u00eb und die Ente', kept)).toBe(true);
  });

  it('fits no one where there is none, and that takes as long', async () => {
    const kept = await hashPassword('three blue herons');
    // The quickest of some: what else the machine does makes one slower, and none quicker.
    const quickest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    for (let times = 0; times < 5; times += 1) {
      for (const [which, against] of [['known', kept] as const, ['unknown', null] as const]) {
        const before = performance.now();
        expect(await isPassword('a guess at it', against)).toBe(false);
        quickest[which] = Math.min(quickest[which], performance.now() - before);
      }
    }
    expect(quickest.unknown / quickest.known).toBeGreaterThan(0.1);
    expect(quickest.unknown / quickest.known).toBeLessThan(10);
  });

  it.each([
    ['elevenchars', '12 characters'],
    ['x'.repeat(201), 'at most'],
    ['passwordpassword', 'guess'],
    ['aaaaaaaaaaaaaaaa', 'guess'],
    ['121212121212', 'guess'],
    ['anna.kanna.kanna.k', 'guess'],
    ['KowalskiKowalski', 'guess'],
  ])('is refused if others would guess it: %s', (password, why) => {
    expect(() => requireGoodPassword(password, ANNA)).toThrow(why);
  });

  it.each(['three blue herons', 'Ölberg & Söhne 7!', 'kowalski walks the dog'])(
    'is taken otherwise, whatever its characters are: %s',
    (password) => {
      requireGoodPassword(password, ANNA);
    },
  );
});
