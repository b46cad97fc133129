/** The only app that can sign in to this org, with its keys. The app is a Salesforce External Client App. */

import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Database } from '../core/database.ts';
import { orgSetting } from '../org/org.ts';

/** The credentials of the app. */
export interface ClientApp {
  clientId: string;
  clientSecret: string;
  /** The private key (PEM). The org stores the matching certificate, and clients sign their JWTs with the key. */
  privateKey: string;
}

const KEY_BITS = 2048;

/** Returns the app of a database. After a restart, the app is the same. */
export function openClientApp(db: Database, seed: number): ClientApp {
  return {
    clientId: `3MVG9${secretOf(seed, 'client id').slice(0, 60)}`,
    clientSecret: secretOf(seed, 'client secret').toUpperCase(),
    privateKey: orgSetting(db, 'private key', () => processKey()),
  };
}

/** Returns hexadecimal digits that depend only on the seed and on the purpose. */
export function secretOf(seed: number, purpose: string): string {
  return createHash('sha256').update(`${purpose} of seed ${seed}`).digest('hex');
}

let key: string | undefined;

/** Returns the key of this process. All sandboxes in a process share a key, because creating a key takes some time. */
function processKey(): string {
  key ??= generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  return key;
}
