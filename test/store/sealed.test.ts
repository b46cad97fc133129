import fc from 'fast-check';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { generateKey, parseKeyRing } from '../../src/store/key-ring.ts';
import { createSealer } from '../../src/store/sealed.ts';

const oldKey = generateKey('2026');
const newKey = generateKey('2027');
const ring = parseKeyRing(oldKey);
const sealer = createSealer(ring);

describe('createSealer', () => {
  it('gives back every text that it sealed, and never seals one twice alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const sealed = sealer.seal(text);
        expect(sealer.open(sealed)).toBe(text);
        expect(sealer.seal(text)).not.toBe(sealed);
      }),
    );
  });

  it('seals as JWE that other libraries open', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(
      sealer.seal('Zoë Ångström'),
      ring.current.secret,
    );
    expect(new TextDecoder().decode(plaintext)).toBe('Zoë Ångström');
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: '2026' });
  });

  it('opens JWE that other libraries sealed', async () => {
    const sealed = await new CompactEncrypt(new TextEncoder().encode('from outside'))
      .setProtectedHeader({ kid: '2026', enc: 'A256GCM', alg: 'dir' })
      .encrypt(ring.current.secret);
    expect(sealer.open(sealed)).toBe('from outside');
  });

  it('opens what an older key sealed after a rotation, and knows that it is not current', () => {
    const sealed = sealer.seal('token');
    const rotated = createSealer(parseKeyRing(`${newKey},${oldKey}`));
    expect(rotated.open(sealed)).toBe('token');
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.isCurrent(rotated.seal('token'))).toBe(true);
  });

  it('names the key that is missing and the mend', () => {
    const sealed = createSealer(parseKeyRing(newKey)).seal('token');
    expect(() => sealer.open(sealed)).toThrow(
      expect.objectContaining({
        kind: 'configuration',
        code: 'secret_key_unknown',
        message: expect.stringMatching(/"2027".*DONOR_SYNC_SECRET_KEY/),
      }),
    );
  });

  it('opens nothing in which a single character was changed', () => {
    const sealed = sealer.seal('one million dollars');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'Ab7_.'), (at, character) => {
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(!isSameBytes(changed, sealed));
        expect(() => sealer.open(changed)).toThrow(
          expect.objectContaining({
            name: expect.any(String),
            code: expect.stringMatching(/^s(ealed_value_damaged|ecret_key_unknown)$/),
          }),
        );
      }),
    );
  });

  it.each(['', 'plain text', 'a.b.c.d.e', '....', `${sealer.seal('x')}.more`])(
    'refuses %j, which it did not seal',
    (text) => {
      expect(() => sealer.open(text)).toThrow(
        expect.objectContaining({ kind: 'fatal', code: 'sealed_value_damaged' }),
      );
    },
  );

  it('refuses a tag that was cut short', () => {
    const sealed = sealer.seal('token');
    expect(() => sealer.open(sealed.slice(0, -6))).toThrow(
      expect.objectContaining({ code: 'sealed_value_damaged' }),
    );
  });

  it('refuses another key of the same name without showing either', () => {
    const other = createSealer(parseKeyRing(generateKey('2026')));
    expect(() => other.open(sealer.seal('token'))).toThrow(/the key "2026" is not the one/);
  });
});

/** The last character of a base64 part has bits that stand for nothing. */
function isSameBytes(one: string, two: string): boolean {
  const [bytesOfOne, bytesOfTwo] = [one, two].map((sealed) =>
    sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex')),
  );
  return JSON.stringify(bytesOfOne) === JSON.stringify(bytesOfTwo);
}
