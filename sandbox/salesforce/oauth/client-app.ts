/** The only app (an External Client App) that can sign in to this org, with its keys. */

import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Database } from '../core/database.ts';
import { orgSetting } from '../org/org.ts';

/** The credentials of the app. */
export interface ClientApp {
  clientId: string;
  clientSecret: string;
  /** PEM. The org has it as the app's certificate, and clients sign their JWTs with it. */
  privateKey: string;
}

const KEY_BITS = 2048;

/** Returns the app of a database. It stays the same after a restart of the sandbox. */
export function openClientApp(db: Database, seed: number): ClientApp {
  return {
    clientId: `3MVG9${secretOf(seed, 'client id').slice(0, 60)}`,
    clientSecret: secretOf(seed, 'client secret').toUpperCase(),
    privateKey: orgSetting(db, 'private key', () => processKey()),
  };
}

/** Returns hexadecimal digits that depend only on the seed and the purpose. */
export function secretOf(seed: number, purpose: string): string {
  return createHash('sha256').update(`${purpose} of seed ${seed}`).digest('hex');
}

let key: string | undefined;

/** Creating a key takes a moment, so the sandboxes in one process share a key. */
function processKey(): string {
  key ??= generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  return key;
}
