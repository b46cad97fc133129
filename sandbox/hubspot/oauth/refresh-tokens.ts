/** Refresh tokens. A refresh token is valid until it is revoked. With rotation, it is valid until it is used. */

import type { Database } from '../core/database.ts';
import { toUuid } from './client-app.ts';

/** An account's refresh tokens, each with the scopes that the user granted at the installation. */
export interface RefreshTokens {
  issue(scopes: readonly string[]): string;
  /** Returns the scopes of a token, or undefined if the token is unknown or invalid. */
  find(token: string): string[] | undefined;
  /** Invalidates a token. Returns false if the token is unknown. */
  revoke(token: string): boolean;
}

export function openRefreshTokens(db: Database, createSecret: () => string): RefreshTokens {
  db.exec(SCHEMA);
  const find = db
    .prepare<[string], string>('select scopes from oauth_refresh_tokens where token = ?')
    .pluck();
  const insert = db.prepare('insert into oauth_refresh_tokens values (?, ?)');
  const remove = db.prepare('delete from oauth_refresh_tokens where token = ?');
  return {
    issue(scopes) {
      const token = `na1-${toUuid(createSecret())}`;
      insert.run(token, scopes.join(' '));
      return token;
    },
    find: (token) => find.get(token)?.split(' '),
    revoke: (token) => remove.run(token).changes > 0,
  };
}

const SCHEMA = `
create table if not exists oauth_refresh_tokens (
  token text primary key,
  scopes text not null
) without rowid;
`;
