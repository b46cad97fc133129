import fc from 'fast-check';
import { FlattenedEncrypt, flattenedDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { generateKey, parseKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { createSealer, type SealContext } from '../../../src/database/encryption/sealed.ts';
import { sealUnbound } from './unbound-seal.ts';

const oldKey = generateKey('2026');
const newKey = generateKey('2027');
const ring = parseKeyRing(oldKey);
const sealer = createSealer(ring);
const HERE: SealContext = { table: 'secrets', column: 'value', row: ['token'] };

/** Encodes the place of a value as additional authenticated data, in a form that any JOSE library accepts. */
function dataOf({ table, column, row }: SealContext): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([table, column, ...row]));
}

describe('createSealer', () => {
  it('gives back every text that it sealed, and never seals one twice alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const sealed = sealer.seal(text, HERE);
        expect(sealer.open(sealed, HERE)).toBe(text);
        expect(sealer.seal(text, HERE)).not.toBe(sealed);
      }),
    );
  });

  it('encrypts values as JWE, which other libraries can decrypt with the same context', async () => {
    const sealed = sealer.seal('Zoë Ångström', HERE);
    const [header = '', , iv = '', ciphertext = '', tag = ''] = sealed.split('.');
    const aad = Buffer.from(dataOf(HERE)).toString('base64url');
    const { plaintext, protectedHeader } = await flattenedDecrypt(
      { protected: header, iv, ciphertext, tag, aad },
      ring.current.secret,
    );
    expect(new TextDecoder().decode(plaintext)).toBe('Zoë Ångström');
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: '2026', typ: 'row-bound' });
  });

  it('opens JWE that other libraries sealed for the place', async () => {
    const {
      protected: header,
      iv,
      ciphertext,
      tag,
    } = await new FlattenedEncrypt(new TextEncoder().encode('from outside'))
      .setProtectedHeader({ typ: 'row-bound', kid: '2026', enc: 'A256GCM', alg: 'dir' })
      .setAdditionalAuthenticatedData(dataOf(HERE))
      .encrypt(ring.current.secret);
    expect(sealer.open([header, '', iv, ciphertext, tag].join('.'), HERE)).toBe('from outside');
  });

  it.each<[string, SealContext]>([
    ['another row', { ...HERE, row: ['other'] }],
    ['another column', { ...HERE, column: 'other' }],
    ['another table', { ...HERE, table: 'hooks' }],
    ['a row that is known by more', { ...HERE, row: ['token', ''] }],
    ['parts that make the same text', { table: 'secrets', column: 'value","token', row: [''] }],
  ])('opens nothing in %s', (_, place) => {
    const sealed = sealer.seal('token', HERE);
    expect(() => sealer.open(sealed, place)).toThrow(
      expect.objectContaining({
        kind: 'fatal',
        code: 'sealed_value_damaged',
        message: expect.stringContaining(`${place.table}.${place.column}`),
      }),
    );
  });

  it('keeps places apart whatever their parts hold', () => {
    const parts = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '\n', '[', ']', ' ') });
    const places = fc
      .tuple(parts, parts, parts, fc.array(parts, { maxLength: 2 }))
      .map(
        ([table, column, first, more]): SealContext => ({ table, column, row: [first, ...more] }),
      );
    fc.assert(
      fc.property(places, places, (one, two) => {
        const partsOf = ({ table, column, row }: SealContext) => [table, column, ...row];
        fc.pre(JSON.stringify(partsOf(one)) !== JSON.stringify(partsOf(two)));
        const sealed = sealer.seal('token', one);
        expect(sealer.open(sealed, one)).toBe('token');
        expect(() => sealer.open(sealed, two)).toThrow();
      }),
    );
  });

  it('believes nothing in a form that it does not know, as sealed for no place', async () => {
    const sealed = await sealUnbound(ring, 'token');
    expect(() => sealer.open(sealed, HERE)).toThrow(
      expect.objectContaining({
        kind: 'fatal',
        code: 'sealed_value_damaged',
        message: expect.stringContaining('this version does not recognise its form'),
      }),
    );
  });

  it('opens what an older key sealed after a rotation, and knows that it is not current', () => {
    const sealed = sealer.seal('token', HERE);
    const rotated = createSealer(parseKeyRing(`${newKey},${oldKey}`));
    expect(rotated.open(sealed, HERE)).toBe('token');
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.isCurrent(rotated.seal('token', HERE))).toBe(true);
  });

  it('names the key that is missing and the fix', () => {
    const sealed = createSealer(parseKeyRing(newKey)).seal('token', HERE);
    expect(() => sealer.open(sealed, HERE)).toThrow(
      expect.objectContaining({
        kind: 'configuration',
        code: 'secret_key_unknown',
        message: expect.stringMatching(/"2027".*DONOR_SYNC_SECRET_KEY/),
      }),
    );
  });

  it('refuses a value in which a single character was changed', () => {
    const sealed = sealer.seal('one million dollars', HERE);
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'Ab7_.'), (at, character) => {
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(!isSameBytes(changed, sealed));
        expect(() => sealer.open(changed, HERE)).toThrow(
          expect.objectContaining({
            name: expect.any(String),
            code: expect.stringMatching(/^s(ealed_value_damaged|ecret_key_unknown)$/),
          }),
        );
      }),
    );
  });

  it.each(['', 'plain text', 'a.b.c.d.e', '....', `${sealer.seal('x', HERE)}.more`])(
    'refuses %j, which it did not seal',
    (text) => {
      expect(() => sealer.open(text, HERE)).toThrow(
        expect.objectContaining({ kind: 'fatal', code: 'sealed_value_damaged' }),
      );
    },
  );

  it('refuses a value whose authentication tag was shortened', () => {
    const sealed = sealer.seal('token', HERE);
    expect(() => sealer.open(sealed.slice(0, -6), HERE)).toThrow(
      expect.objectContaining({ code: 'sealed_value_damaged' }),
    );
  });

  it('refuses another key of the same name without showing either', () => {
    const other = createSealer(parseKeyRing(generateKey('2026')));
    expect(() => other.open(sealer.seal('token', HERE), HERE)).toThrow(
      /the key "2026" is not the one/,
    );
  });
});

/**
 * Returns true if both base64 strings decode to the same bytes. The last character of a base64 string has unused
 * bits.
 */
function isSameBytes(one: string, two: string): boolean {
  const [bytesOfOne, bytesOfTwo] = [one, two].map((sealed) =>
    sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex')),
  );
  return JSON.stringify(bytesOfOne) === JSON.stringify(bytesOfTwo);
}
