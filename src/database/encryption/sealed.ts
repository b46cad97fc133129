import { createCipheriv, createDecipheriv } from 'node:crypto';
import { z } from 'zod';
import { ConfigurationError, FatalError } from '../../core/errors.ts';
import { createDraws } from './draws.ts';
import { type KeyRing, KID, type SealingKey } from './key-ring.ts';

/**
 * The place of an encrypted text. It cannot be decrypted at any other place. `seal-contexts.ts` lists all
 * places.
 */
export interface SealContext {
  table: string;
  column: string;
  /** Identifies the row by its key and by its owner. */
  row: readonly [string, ...string[]];
}

/** Encrypts text that only the key's owner can read. Used for every stored secret. */
export interface Sealer {
  /** Encrypts with the current key. The same text gives a different result each time. */
  seal(text: string, place: SealContext): string;
  /**
   * Returns the decrypted text. Throws a ConfigurationError with the key's name if the ring lacks it. Throws a
   * FatalError if the value was changed, was encrypted for another place, or has a form that this version does not
   * know.
   */
  open(sealed: string, place: SealContext): string;
  /** True if the current key encrypted the text. Otherwise it still has to be encrypted again by a rotation. */
  isCurrent(sealed: string): boolean;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The form of a text, in its header. It says that the text is encrypted for its place. Texts in any other form cannot
 * be decrypted.
 */
const BOUND = 'row-bound';

const headerSchema = z.strictObject({
  alg: z.literal('dir'),
  enc: z.literal('A256GCM'),
  kid: z.string().regex(KID),
  typ: z.literal(BOUND),
});

/**
 * Encrypts as JWE in compact form (RFC 7516), with direct encryption by A256GCM and the key ID in the header. The place
 * is additional authenticated data, like `aad` in the JSON form. It is not stored, because the reader knows where it
 * reads from. With the key and the place, any JOSE library can decrypt the text.
 *
 * This implementation uses `node:crypto`, which is synchronous. It is many times faster than WebCrypto, which those
 * libraries use, and a page of contacts encrypts hundreds of values.
 */
export function createSealer({ current, keys }: KeyRing): Sealer {
  const currentHeader = base64url(
    Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: current.kid, typ: BOUND })),
  );

  const nextIv = createDraws(IV_BYTES);

  function seal(text: string, place: SealContext): string {
    const iv = nextIv();
    const cipher = createCipheriv(CIPHER, current.secret, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundData(currentHeader, place));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    // The second of the five parts is the encrypted content key, which is empty with `dir`.
    return [
      currentHeader,
      '',
      base64url(iv),
      base64url(encrypted),
      base64url(cipher.getAuthTag()),
    ].join('.');
  }

  function open(sealed: string, place: SealContext): string {
    const parts = parseParts(sealed, place);
    const { header } = parts;
    if (header === currentHeader) {
      return decrypt(parts, current, boundData(header, place), place);
    }
    const { kid } = parseHeader(header, place);
    return decrypt(parts, getKey(keys, kid), boundData(header, place), place);
  }

  return { seal, open, isCurrent: (sealed) => sealed.startsWith(`${currentHeader}.`) };
}

interface Parts {
  header: string;
  iv: string;
  encrypted: string;
  tag: string;
}

function parseParts(sealed: string, place: SealContext): Parts {
  // SQLite stores bytes in a text column if another program has put them there.
  if (typeof sealed !== 'string') throw damaged(place);
  const [header = '', wrappedKey, iv = '', encrypted = '', tag = '', ...rest] = sealed.split('.');
  if (wrappedKey !== '' || rest.length > 0) throw damaged(place);
  return { header, iv, encrypted, tag };
}

function decrypt(
  { iv, encrypted, tag }: Parts,
  { kid, secret }: SealingKey,
  authenticated: Buffer,
  place: SealContext,
): string {
  try {
    const decipher = createDecipheriv(CIPHER, secret, Buffer.from(iv, 'base64url'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(authenticated);
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return decipher.update(encrypted, 'base64url', 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw damaged(place, kid, error);
  }
}

/** Returns the data that is bound to a text. JSON separates its parts, whatever characters they contain. */
function boundData(header: string, { table, column, row }: SealContext): Buffer {
  const place = Buffer.from(JSON.stringify([table, column, ...row]));
  return Buffer.from(`${header}.${base64url(place)}`, 'ascii');
}

function getKey(keys: readonly SealingKey[], kid: string): SealingKey {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key) throw keyUnknown(kid);
  return key;
}

function parseHeader(header: string, place: SealContext): z.infer<typeof headerSchema> {
  try {
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch {
    throw damaged(place);
  }
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

function keyUnknown(kid: string): ConfigurationError {
  return new ConfigurationError(
    `A secret in the database was encrypted with the key "${kid}", which is not available here. Add that key to DONOR_SYNC_SECRET_KEY, after the current one and a comma. A key that was created for a database file is next to it, in the file that ends in ".key".`,
    { code: 'secret_key_unknown', details: { kid } },
  );
}

/** Names the column but not the row, because some rows are identified by the ID of a person. */
function damaged({ table, column }: SealContext, kid?: string, cause?: unknown): FatalError {
  const suspicion =
    kid === undefined
      ? 'It was changed, or this version does not recognise its form.'
      : `It was changed or moved here from another row, or the key "${kid}" is not the one that encrypted it.`;
  return new FatalError(
    `A secret in the database (${table}.${column}) cannot be decrypted. ${suspicion} Find out who else writes to the database.`,
    { code: 'sealed_value_damaged', cause, details: { table, column } },
  );
}
