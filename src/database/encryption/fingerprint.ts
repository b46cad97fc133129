import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { Tables } from '../tables/tables.ts';
import { secretSealContext } from './seal-contexts.ts';
import type { Sealer } from './sealed.ts';
import { findSecret } from './secrets.ts';

/**
 * Returns a keyed hash of a text: 22 characters that are the same for the same purpose and text. Nobody can guess the
 * text from it without the key. Purposes are our own words, such as `identity`, and distinguish equal texts with
 * different meanings.
 */
export type Fingerprint = (purpose: string, text: string) => string;

/** The name of the key in the table `secrets`. */
export const FINGERPRINT_KEY = 'fingerprint_key';
const KEY_BYTES = 32;
/** The length of a fingerprint. With ten billion texts, the probability of a collision is below one in 10^18. */
const FINGERPRINT_BYTES = 16;

/** Creates fingerprints: HMAC-SHA-256, cut to the first 16 bytes, in base64url. */
export function createFingerprint(key: KeyObject): Fingerprint {
  const hmacOfShort = createShortHmac(key.export());
  return (purpose, text) => {
    // A purpose never contains a NUL character, so two different pairs never produce the same input.
    const input = `${purpose}\0${text}`;
    const hmac =
      input.length <= SHORT_LENGTH
        ? hmacOfShort(input)
        : createHmac('sha256', key).update(input).digest('base64url');
    return hmac.slice(0, WHOLE_CHARACTERS) + lastCharacter(hmac.charCodeAt(WHOLE_CHARACTERS));
  };
}

/**
 * Returns a fingerprint of two fingerprints, with 43 characters. Nobody can compute either of the two without the key.
 * So a plain hash of both is as hard to guess as a keyed hash, and costs half as much.
 */
export function joinFingerprints(one: string, other: string): string {
  return hash('sha256', `${one} ${other}`, 'base64url');
}

/** The length of a fingerprint that distinguishes one owner's texts: 66 bits. */
const OWNED_LENGTH = 11;

/**
 * Creates fingerprints of one owner's texts after the other's. Each has 11 characters that are the same for the same
 * owner and text. An owner's key is an HMAC of the owner's ID, and must not be stored anywhere. So a plain hash that
 * starts with this key is as hard to guess as an HMAC of each text, and costs half as much. All keys have the same
 * length and the hash is cut, so nobody can extend a known hash to the hash of a longer text.
 */
export function createOwnerFingerprint(
  fingerprint: Fingerprint,
  purpose: string,
): (owner: string, text: string) => string {
  let last: { owner: string; key: string } | null = null;
  return (owner, text) => {
    if (last?.owner !== owner) last = { owner, key: fingerprint(purpose, owner) };
    return hash('sha256', last.key + text, 'base64url').slice(0, OWNED_LENGTH);
  };
}

/** How many characters of base64url contain only bits of the fingerprint, six bits each. */
const WHOLE_CHARACTERS = Math.floor((FINGERPRINT_BYTES * 8) / 6);

/** Returns the last character as if the hash ended there, which means two bits and then zeros. */
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
 * Creates HMAC-SHA-256 (RFC 2104) of short texts in base64url, calculated from two hashes. `createHmac` needs longer to
 * create its object than both hashes take, and a contact needs more than a dozen of them. The key must not be longer
 * than a block.
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
 * Returns the fingerprint key of this database, which is created at the first start. The key is random, and the secret
 * key only encrypts it, so rotating the secret key changes no fingerprint. With different fingerprints, every contact
 * would look new and be paid for again. For the same reason, a key that cannot be decrypted is never replaced, and
 * throws a ConfigurationError.
 */
export async function loadFingerprintKey(db: Kysely<Tables>, sealer: Sealer): Promise<KeyObject> {
  const known = await findSecret(db, FINGERPRINT_KEY);
  const sealed = known ?? (await createKey(db, sealer));
  if (sealed === null) throw fingerprintKeyUnreadable('It disappeared while it was being read.');
  try {
    return createSecretKey(sealer.open(sealed, secretSealContext(FINGERPRINT_KEY)), 'base64url');
  } catch (error) {
    throw fingerprintKeyUnreadable(messageOf(error), error);
  }
}

/**
 * Creates the key. If several processes start at the same time, the first one's key is kept. Resolves with that key.
 */
async function createKey(db: Kysely<Tables>, sealer: Sealer): Promise<string | null> {
  // With a new key, neither erased people nor paid contacts would be recognised.
  const used = await db.selectFrom('audit_head').select('id').executeTakeFirst();
  if (used !== undefined) {
    throw fingerprintKeyUnreadable(
      'It is missing, although the audit has entries that were created with it. Restore the database from a backup.',
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

/** The key is never replaced, whatever the reason. */
function fingerprintKeyUnreadable(reason: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`The database's fingerprint key cannot be decrypted. ${reason}`, {
    code: 'fingerprint_key_unreadable',
    cause,
  });
}
