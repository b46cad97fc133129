import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { Tables } from '../tables/tables.ts';
import { secretSealContext } from './seal-contexts.ts';
import type { Sealer } from './sealed.ts';
import { findSecret } from './secrets.ts';

/**
 * A keyed hash of a text: 22 characters, the same for the same purpose and text, and of no use to
 * a person who guesses at texts without the key. Purposes keep equal texts of different meaning
 * apart; they are words of ours, like `identity`.
 */
export type Fingerprint = (purpose: string, text: string) => string;

/** The name of the key in the table `secrets`. */
export const FINGERPRINT_KEY = 'fingerprint_key';
const KEY_BYTES = 32;
/** Among ten billion texts the odds for two alike are below one in 10^18. */
const FINGERPRINT_BYTES = 16;

/** HMAC-SHA-256, cut to its first 16 bytes, in base64url. */
export function createFingerprint(key: KeyObject): Fingerprint {
  const hmacOfShort = createShortHmac(key.export());
  return (purpose, text) => {
    // No purpose holds a NUL, so no two pairs make the same input.
    const input = `${purpose}\0${text}`;
    const hmac =
      input.length <= SHORT_LENGTH
        ? hmacOfShort(input)
        : createHmac('sha256', key).update(input).digest('base64url');
    return hmac.slice(0, WHOLE_CHARACTERS) + lastCharacter(hmac.charCodeAt(WHOLE_CHARACTERS));
  };
}

/**
 * A fingerprint of two fingerprints: 43 characters. Nobody can make either of them without the key, so a plain hash of
 * both tells a person who guesses as little as a keyed one, at half of its cost.
 */
export function joinFingerprints(one: string, other: string): string {
  return hash('sha256', `${one} ${other}`, 'base64url');
}

/** Characters of base64url that hold nothing but bits of the fingerprint: six bits each. */
const WHOLE_CHARACTERS = Math.floor((FINGERPRINT_BYTES * 8) / 6);

/** The character at their end as it would be if the hash ended there: two bits, and zeros. */
function lastCharacter(code: number): string {
  return LAST_CHARACTERS[Math.floor(BASE64URL.indexOf(String.fromCharCode(code)) / 16)] ?? '';
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LAST_CHARACTERS = 'AQgw';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const SHORT_LENGTH = 1_000;
const MAX_UTF8_BYTES = 3;

/**
 * HMAC-SHA-256 (RFC 2104) of a short text, in base64url, by two hashes: an object of
 * `createHmac` takes longer than both of them, and a contact needs more than a dozen. The key must not
 * be longer than a block.
 */
function createShortHmac(key: Buffer): (text: string) => string {
  const inner = Buffer.alloc(BLOCK_BYTES + SHORT_LENGTH * MAX_UTF8_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at++) {
    inner[at] = (key[at] ?? 0) ^ 0x36;
    outer[at] = (key[at] ?? 0) ^ 0x5c;
  }
  return (text) => {
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
    outer.write(hash('sha256', inner.subarray(0, end), 'latin1'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}

/**
 * The key of this database, made at the first start. It is random and only sealed by the secret
 * key, so that rotating that one changes no fingerprint: a changed one would make every contact
 * look new and spend its credit again. For the same reason a key that cannot be opened is a
 * ConfigurationError and never replaced.
 */
export async function loadFingerprintKey(db: Kysely<Tables>, sealer: Sealer): Promise<KeyObject> {
  const known = await findSecret(db, FINGERPRINT_KEY);
  const sealed = known ?? (await createKey(db, sealer));
  if (sealed === null) throw fingerprintKeyUnreadable('It vanished while it was read.');
  try {
    return createSecretKey(sealer.open(sealed, secretSealContext(FINGERPRINT_KEY)), 'base64url');
  } catch (error) {
    throw fingerprintKeyUnreadable(messageOf(error), error);
  }
}

/** Of several processes that start at once, the first one's key stays. Resolves with the one that did. */
async function createKey(db: Kysely<Tables>, sealer: Sealer): Promise<string | null> {
  // A new key would know none of those who were erased, and none of the contacts that were paid for.
  const used = await db.selectFrom('audit_head').select('id').executeTakeFirst();
  if (used !== undefined) {
    throw fingerprintKeyUnreadable(
      'It is missing, although the audit has entries that were made with it. Restore the database from a backup.',
    );
  }
  const key = randomBytes(KEY_BYTES).toString('base64url');
  const value = sealer.seal(key, secretSealContext(FINGERPRINT_KEY));
  await db
    .insertInto('secrets')
    .values({ name: FINGERPRINT_KEY, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return findSecret(db, FINGERPRINT_KEY);
}

/** Whatever the reason is, the key is never replaced. */
export function fingerprintKeyUnreadable(reason: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`The fingerprint key of the database cannot be opened. ${reason}`, {
    code: 'fingerprint_key_unreadable',
    cause,
  });
}
