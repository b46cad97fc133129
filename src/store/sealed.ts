import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ConfigurationError, FatalError } from '../core/errors.ts';
import type { KeyRing, SealingKey } from './key-ring.ts';

/** Text that only the holder of the key can read, for every secret at rest. */
export interface Sealer {
  /** Seals with the current key. The same text gives another result each time. */
  seal(text: string): string;
  /**
   * The text inside. A ConfigurationError that names the key if the ring lacks it; a FatalError
   * if the value was changed.
   */
  open(sealed: string): string;
  /** True if the current key sealed it; otherwise rotation still has to reseal it. */
  isCurrent(sealed: string): boolean;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const headerSchema = z.object({
  alg: z.literal('dir'),
  enc: z.literal('A256GCM'),
  kid: z.string(),
});

/**
 * Seals as JWE in compact form (RFC 7516): direct encryption with A256GCM, the key id in the
 * header. Any JOSE library reads it. This one is written on `node:crypto` because that is
 * synchronous and many times as fast as WebCrypto, which those libraries use: a page of contacts
 * seals hundreds of values.
 */
export function createSealer({ current, keys }: KeyRing): Sealer {
  const currentHeader = headerFor(current.kid);

  function seal(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, current.secret, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(currentHeader, 'ascii'));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    // The second of the five parts is the encrypted content key, which `dir` has not.
    return [
      currentHeader,
      '',
      base64url(iv),
      base64url(encrypted),
      base64url(cipher.getAuthTag()),
    ].join('.');
  }

  function open(sealed: string): string {
    const [header = '', wrappedKey, iv = '', encrypted = '', tag = '', ...rest] = sealed.split('.');
    if (wrappedKey !== '' || rest.length > 0) throw damaged();
    const { kid, secret } = header === currentHeader ? current : keyOf(header);
    try {
      const decipher = createDecipheriv(CIPHER, secret, Buffer.from(iv, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(header, 'ascii'));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return decipher.update(encrypted, 'base64url', 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw damaged(kid, error);
    }
  }

  function keyOf(header: string): SealingKey {
    const { kid } = parseHeader(header);
    const key = keys.find((candidate) => candidate.kid === kid);
    if (!key) throw keyUnknown(kid);
    return key;
  }

  return { seal, open, isCurrent: (sealed) => sealed.startsWith(`${currentHeader}.`) };
}

function headerFor(kid: string): string {
  return base64url(Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })));
}

function parseHeader(header: string): z.infer<typeof headerSchema> {
  try {
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch (error) {
    throw damaged(undefined, error);
  }
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

function keyUnknown(kid: string): ConfigurationError {
  return new ConfigurationError(
    `A secret in the database was sealed with the key "${kid}", which is not here. Add that key to DONOR_SYNC_SECRET_KEY, after the current one and a comma; a key that was made for a database file is beside it, in the file that ends in ".key".`,
    { code: 'secret_key_unknown', details: { kid } },
  );
}

function damaged(kid?: string, cause?: unknown): FatalError {
  const suspicion =
    kid === undefined
      ? 'It was changed.'
      : `It was changed, or the key "${kid}" is not the one that sealed it.`;
  return new FatalError(`A secret in the database cannot be opened. ${suspicion}`, {
    code: 'sealed_value_damaged',
    cause,
  });
}
