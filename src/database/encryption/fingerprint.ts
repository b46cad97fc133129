import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { Tables } from '../tables/tables.ts';
import { secretSealContext } from './seal-contexts.ts';
import type { Sealer } from './sealed.ts';
import { findSecret } from './secrets.ts';

/**
 * Returns a keyed fingerprint of a text. Without the key, nobody can guess the text from its fingerprint. The purpose
 * is a fixed word, such as `identity`. The same text has different fingerprints for different purposes.
 */
export type Fingerprint = (purpose: string, text: string) => string;

/** The name of the key in the table `secrets`. */
export const FINGERPRINT_KEY = 'fingerprint_key';
const KEY_BYTES = 32;
/**
 * The length of a fingerprint in bytes. Among ten billion fingerprints, two equal fingerprints are less likely than one
 * in 10^18.
 */
const FINGERPRINT_BYTES = 16;

/** Creates fingerprints: HMAC-SHA-256, truncated to 16 bytes, in base64url. */
export function createFingerprint(key: KeyObject): Fingerprint {
  const hmacOfShort = createShortHmac(key.export());
  return (purpose, text) => {
    // No purpose contains NUL, so two different pairs never result in the same input.
    const input = `${purpose}\0${text}`;
    const hmac =
      input.length <= SHORT_LENGTH
        ? hmacOfShort(input)
        : createHmac('sha256', key).update(input).digest('base64url');
    return hmac.slice(0, WHOLE_CHARACTERS) + lastCharacter(hmac.charCodeAt(WHOLE_CHARACTERS));
  };
}

/**
 * Combines two fingerprints into a text of 43 characters. Creating the two fingerprints requires the key. Therefore, a
 * plain hash of them is as hard to guess as a keyed hash, at half the cost.
 */
export function joinFingerprints(one: string, other: string): string {
  return hash('sha256', `${one} ${other}`, 'base64url');
}

/** The length of an owner's fingerprint. Its 11 characters have 66 bits. */
const OWNED_LENGTH = 11;

/**
 * Creates fingerprints for the texts of one owner, which must be passed together. Equal texts of one owner result in
 * equal fingerprints of 11 characters. Different owners result in different characters. The owner's key is an HMAC of
 * the owner's ID and must never be stored. A hash that starts with this key is as hard to guess as an HMAC, at half the
 * cost. Keys have a fixed length and hashes are truncated, so nobody can extend a known hash.
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

/**
 * The number of base64url characters that contain only bits of the fingerprint. Each of these characters has six bits.
 */
const WHOLE_CHARACTERS = Math.floor((FINGERPRINT_BYTES * 8) / 6);

/** Returns the last character of a truncated hash. Two bits of the hash are followed by zeros. */
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
 * Computes HMAC-SHA-256 (RFC 2104) of short texts with two plain hashes. Creating an `Hmac` object takes longer than
 * both hashes, and each contact needs over a dozen. The key must fit into one block.
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
 * Loads the fingerprint key. The first start of donor-sync creates the fingerprint key. The secret key only encrypts
 * this random key, so rotating the secret key does not change fingerprints. With a different fingerprint key, every
 * contact would look new, and donor-sync would pay for it again. Therefore, a key that cannot be decrypted is never
 * replaced, and a ConfigurationError is thrown.
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
 * Creates and returns the key. If several processes start at the same time, the first key is kept, and all processes
 * return it.
 */
async function createKey(db: Kysely<Tables>, sealer: Sealer): Promise<string | null> {
  // With a new key, donor-sync would recognise neither erased people nor paid contacts.
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

/** Creates the error for an unreadable key. donor-sync never replaces the key. */
function fingerprintKeyUnreadable(reason: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`The database's fingerprint key cannot be decrypted. ${reason}`, {
    code: 'fingerprint_key_unreadable',
    cause,
  });
}
