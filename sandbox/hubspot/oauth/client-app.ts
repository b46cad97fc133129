/** The only app that can be installed in this account, with its credentials. */

import { createHash } from 'node:crypto';

/** The credentials of the app, and the secret that signs its webhooks. */
export interface ClientApp {
  appId: number;
  clientId: string;
  clientSecret: string;
  /** The key of the developer account (`hapikey`), which is necessary for setting up the app's webhooks. */
  developerKey: string;
}

const FIRST_APP_ID = 1_000_000;
const APP_IDS = 9_000_000;

/** Creates the app from a seed, so that the app does not change with a restart. */
export function createClientApp(seed: number): ClientApp {
  return {
    appId: FIRST_APP_ID + (Number.parseInt(secretOf(seed, 'app id').slice(0, 8), 16) % APP_IDS),
    clientId: toUuid(secretOf(seed, 'client id')),
    clientSecret: toUuid(secretOf(seed, 'client secret')),
    developerKey: `na1-${toUuid(secretOf(seed, 'developer key'))}`,
  };
}

/** Formats the first 32 of the given hexadecimal digits as a UUID. */
export function toUuid(digits: string): string {
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns hexadecimal digits that depend only on the seed and on the purpose. */
function secretOf(seed: number, purpose: string): string {
  return createHash('sha256').update(`hubspot ${purpose} of seed ${seed}`).digest('hex');
}
