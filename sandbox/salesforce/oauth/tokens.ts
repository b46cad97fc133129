/** Stores access tokens (sessions) and refresh tokens. */

import type { Database } from '../core/database.ts';
import { toShortId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import { ORG_ID } from '../metadata/setup-records.ts';
import { findUser } from '../org/org.ts';

export interface TokenGrant {
  user: User;
  /** The scopes, for example `api refresh_token`. */
  scope: string;
}

export interface Tokens {
  /** Creates an access token. The token expires after the org's usual lifetime, unless the caller gives a lifetime. */
  issueAccess(grant: TokenGrant, options?: { token?: string; lifetimeMs?: number }): string;
  issueRefresh(grant: TokenGrant): string;
  /** Returns the user and the scopes of an access token. Returns undefined if the token is unknown or invalid. */
  findAccess(token: string): TokenGrant | undefined;
  findRefresh(token: string): TokenGrant | undefined;
  /** Revokes an access token or a refresh token. Returns false if the token is unknown. */
  revoke(token: string): boolean;
  /** Expires all access tokens. Refresh tokens stay valid. */
  expireAll(): void;
}

/** The options for creating tokens. */
export interface TokensOptions {
  clock: () => number;
  /** The lifetime of an access token (ms). 0 means that it never expires. */
  lifetimeMs: number;
  /** Returns random hexadecimal digits. */
  createSecret: () => string;
}

interface TokenRow {
  user_id: string;
  scope: string;
}

/** Opens the store of tokens in a database. */
export function createTokens(db: Database, options: TokensOptions): Tokens {
  const findAccess = db.prepare<[string, number], TokenRow>(
    'select * from access_tokens where token = ? and (expires_at_ms is null or expires_at_ms > ?)',
  );
  const findRefresh = db.prepare<[string], TokenRow>(
    'select * from refresh_tokens where token = ?',
  );
  return {
    issueAccess(
      { user, scope },
      { token = accessToken(options), lifetimeMs = options.lifetimeMs } = {},
    ) {
      const expiresAtMs = lifetimeMs === 0 ? null : options.clock() + lifetimeMs;
      db.prepare('insert or replace into access_tokens values (?, ?, ?, ?)').run(
        token,
        user.id,
        scope,
        expiresAtMs,
      );
      return token;
    },
    issueRefresh({ user, scope }) {
      const token = `5Aep861.${options.createSecret()}`;
      db.prepare('insert into refresh_tokens values (?, ?, ?)').run(token, user.id, scope);
      return token;
    },
    findAccess: (token) => toGrant(findAccess.get(token, options.clock())),
    findRefresh: (token) => toGrant(findRefresh.get(token)),
    revoke(token) {
      const access = db.prepare('delete from access_tokens where token = ?').run(token);
      const refresh = db.prepare('delete from refresh_tokens where token = ?').run(token);
      return access.changes + refresh.changes > 0;
    },
    expireAll() {
      db.prepare('delete from access_tokens').run();
    },
  };
}

/** Formats an access token like Salesforce. An access token consists of the org's ID, `!` and the secret. */
export function toAccessToken(secret: string): string {
  return `${toShortId(ORG_ID)}!AQ.${secret}`;
}

function accessToken({ createSecret }: TokensOptions): string {
  return toAccessToken(createSecret() + createSecret());
}

function toGrant(row: TokenRow | undefined): TokenGrant | undefined {
  const user = row === undefined ? undefined : findUser(row.user_id);
  return row === undefined || user === undefined ? undefined : { user, scope: row.scope };
}
