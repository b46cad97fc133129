import { createHash, createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { savePause } from '../../../src/clients/statements/schedules.ts';
import {
  createFingerprint,
  createOwnerFingerprint,
  loadFingerprintKey,
} from '../../../src/database/encryption/fingerprint.ts';
import { generateKey, parseKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { resealAll } from '../../../src/database/encryption/reseal.ts';
import { createSealer } from '../../../src/database/encryption/sealed.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { createStore } from '../../../src/store.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { describeEachDatabase, describeOn } from '../../helpers/test-databases.ts';

describeOn('sqlite', 'createFingerprint', () => {
  const key = createSecretKey(Buffer.alloc(32, 7));
  const fingerprint = createFingerprint(key);

  it('returns the first 16 bytes of the HMAC-SHA-256 of the purpose and the text', () => {
    const whole = createHmac('sha256', Buffer.alloc(32, 7)).update('identity\0Ada').digest();
    expect(fingerprint('identity', 'Ada')).toBe(whole.subarray(0, 16).toString('base64url'));
  });

  it('is the same for texts of any length and script, also where they are hashed another way', () => {
    const expected = (text: string) =>
      createHmac('sha256', key).update(`identity\0${text}`).digest().toString('base64url', 0, 16);
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', minLength: 900, maxLength: 1_100 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(fingerprint('identity', text)).toBe(expected(text));
      }),
      { numRuns: 500 },
    );
    const longest = '漢'.repeat(1_000 - 'identity\0'.length);
    for (const text of [longest, `${longest}漢`, '\ud800'.repeat(500)]) {
      expect(fingerprint('identity', text)).toBe(expected(text));
    }
  });

  it('differs by text, by purpose and by key', () => {
    const other = createFingerprint(createSecretKey(Buffer.alloc(32, 8)));
    const all = [
      fingerprint('identity', 'Ada'),
      fingerprint('identity', 'ada'),
      fingerprint('value', 'Ada'),
      other('identity', 'Ada'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describeOn('sqlite', 'createOwnerFingerprint', () => {
  const fingerprint = createFingerprint(createSecretKey(Buffer.alloc(32, 7)));
  const ofOwner = createOwnerFingerprint(fingerprint, 'values');

  it('is the start of SHA-256 over the key of the owner and the text', () => {
    const whole = createHash('sha256')
      .update(`${fingerprint('values', '003')}Ada`)
      .digest();
    expect(ofOwner('003', 'Ada')).toBe(whole.toString('base64url').slice(0, 11));
  });

  it('is the same again after a text of another owner', () => {
    const before = ofOwner('003', 'Ada');
    const other = ofOwner('004', 'Ada');
    expect(ofOwner('003', 'Ada')).toBe(before);
    expect(other).not.toBe(before);
  });

  it('differs by text, by owner, by purpose and by key', () => {
    const otherKey = createFingerprint(createSecretKey(Buffer.alloc(32, 8)));
    const all = [
      ofOwner('003', 'Ada'),
      ofOwner('003', 'ada'),
      ofOwner('004', 'Ada'),
      createOwnerFingerprint(fingerprint, 'other')('003', 'Ada'),
      createOwnerFingerprint(otherKey, 'values')('003', 'Ada'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describeEachDatabase('loadFingerprintKey', (open) => {
  const oldKey = generateKey('2026');
  const newKey = generateKey('2027');

  it('makes a key once and keeps it over a rotation of the secret key', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const before = await fingerprintWith(oldKey);
    const during = await fingerprintWith(`${newKey},${oldKey}`);
    expect(await resealAll(db, createSealer(parseKeyRing(`${newKey},${oldKey}`)))).toBe(1);
    const after = await fingerprintWith(newKey);
    expect([during, after]).toEqual([before, before]);

    async function fingerprintWith(secretKey: string): Promise<string> {
      const key = await loadFingerprintKey(db, createSealer(parseKeyRing(secretKey)));
      return createFingerprint(key)('identity', 'Ada');
    }
  });

  it('gives all who start at once the same key', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const sealer = createSealer(parseKeyRing(oldKey));
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadFingerprintKey(db, sealer)));
    for (const key of keys) expect(keys[0]?.equals(key)).toBe(true);
  });

  it('never replaces a key that it cannot open', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    await loadFingerprintKey(db, createSealer(parseKeyRing(oldKey)));
    const stored = await db.selectFrom('secrets').selectAll().execute();
    const withoutKey = loadFingerprintKey(db, createSealer(parseKeyRing(newKey)));
    await expect(withoutKey).rejects.toMatchObject({
      kind: 'configuration',
      code: 'fingerprint_key_unreadable',
      message: expect.stringContaining('"2026"'),
    });
    expect(await db.selectFrom('secrets').selectAll().execute()).toEqual(stored);
  });

  it('makes no new key in the place of one that someone deleted', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const sealer = createSealer(parseKeyRing(oldKey));
    const fingerprint = createFingerprint(await loadFingerprintKey(db, sealer));
    const store = createStore({ db, clock: createFakeClock(), fingerprint });
    await store.act((trx) => savePause(trx, 'riverside'));
    await db.deleteFrom('secrets').execute();
    await expect(loadFingerprintKey(db, sealer)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'fingerprint_key_unreadable',
      message: expect.stringContaining('It is missing, although the audit has entries'),
    });
    expect(await db.selectFrom('secrets').selectAll().execute()).toEqual([]);
  });
});
