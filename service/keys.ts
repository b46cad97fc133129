/** Service keys. A key belongs to a team and may have a last day of use (section 5). */

import type { MiddlewareHandler } from 'hono';
import type { Database } from './database.ts';

export interface ApiKey {
  apiKey: string;
  team: string;
  deactivatesOn: string | null;
}

/** The keys that the operator has issued. */
export interface Keys {
  /** Issues a key or changes an existing key. */
  issue(key: ApiKey): void;
  find(apiKey: string): ApiKey | undefined;
}

/** Opens the key store in a database. */
export function createKeys(db: Database): Keys {
  const insert = db.prepare<[ApiKey]>(
    'insert or replace into api_keys values (@apiKey, @team, @deactivatesOn)',
  );
  const select = db.prepare<[string], ApiKey>(
    `select api_key apiKey, team, deactivates_on deactivatesOn from api_keys where api_key = ?`,
  );
  return {
    issue(key) {
      insert.run(key);
    },
    find: (apiKey) => select.get(apiKey),
  };
}

/**
 * Returns the authentication middleware. The middleware responds with 403 to an unknown key, and with 401 after a key's
 * last day. The middleware runs before the limits, the charges and the parsing of bodies.
 */
export function authenticate(
  keys: Pick<Keys, 'find'>,
  clock: () => number,
): MiddlewareHandler<{ Variables: { key: ApiKey } }> {
  return async (c, next) => {
    const key = keys.find(c.req.header('x-api-key') ?? '');
    if (key === undefined) {
      return c.json({ detail: 'Forbidden: the API key is not recognized' }, 403);
    }
    if (key.deactivatesOn !== null && today(clock()) > key.deactivatesOn) {
      return c.json(
        { detail: `The API key expired on ${key.deactivatesOn}. Please request a new key.` },
        401,
      );
    }
    c.set('key', key);
    return next();
  };
}

function today(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
