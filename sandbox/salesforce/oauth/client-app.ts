/** The one app (an External Client App) that may sign in to this org, with its keys. */

import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Database } from '../core/database.ts';
import { orgSetting } from '../org/org.ts';

/** What an app signs in with. */
export interface ClientApp {
  clientId: string;
  clientSecret: string;
  /** PEM; the org knows it as the app's certificate, a client signs its JWTs with it. */
  privateKey: string;
}

const KEY_BITS = 2048;

/** The app of a database; it stays the same when the sandbox is started again. */
export function openClientApp(db: Database, seed: number): ClientApp {
  return {
    clientId: `3MVG9${secretOf(seed, 'client id').slice(0, 60)}`,
    clientSecret: secretOf(seed, 'client secret').toUpperCase(),
    privateKey: orgSetting(db, 'private key', () => processKey()),
  };
}

/** Hexadecimal digits that hang on the seed alone. */
export function secretOf(seed: number, purpose: string): string {
  return createHash('sha256').update(`${purpose} of seed ${seed}`).digest('hex');
}

let key: string | undefined;

/** Making a key takes a moment, so the sandboxes of one process have the same one. */
function processKey(): string {
  key ??= generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  return key;
}
