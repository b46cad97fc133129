/** Access tokens: the private app's tokens and the tokens that OAuth issues. */

import type { Database } from '../core/database.ts';

/** The owner and the permissions of a token. */
export interface TokenGrant {
  /** A private app's token is permanent and has daily limits. An OAuth token expires. It has no daily limit. */
  kind: 'private' | 'oauth';
  /** Limits are counted per app. */
  appId: number;
  userId: number;
  scopes: readonly string[];
}

/** A token that exists or existed. */
export interface FoundToken extends TokenGrant {
  /** The ID of the account (hub) to which the token belongs. */
  hubId: number;
  /** Milliseconds since 1970, or null if it does not expire. */
  expiresAtMs: number | null;
  isExpired: boolean;
  /** The scopes that HubSpot reports for the token. Requests are checked against `scopes`. */
  listedScopes: readonly string[];
}

/** The access tokens of an account. */
export interface Tokens {
  /**
   * Issues a new token, or `token` if it is given. `lifetimeMs` 0, the default, means that it never
   * expires.
   */
  issue(grant: TokenGrant, options?: { token?: string; lifetimeMs?: number }): string;
  /** Returns a token even if it has expired, or undefined if it never existed or was revoked. */
  findToken(token: string): FoundToken | undefined;
  /** Returns false if it did not exist. */
  revoke(token: string): boolean;
  /** Expires all OAuth tokens immediately. Tokens of private apps stay valid. */
  expireAll(): void;
  /**
   * From now on, no token has these scopes, regardless of when it was issued. An empty list restores them. If
   * they stay listed, HubSpot still reports that tokens have them.
   */
  withdraw(scopes: readonly string[], options?: { areListed?: boolean }): void;
  /** Returns the scopes that HubSpot currently reports for a token with these scopes. */
  listedScopes(scopes: readonly string[]): string[];
}

/** The options for creating tokens. */
export interface TokensOptions {
  clock: () => number;
  /** The ID of the account (hub) to which the token belongs. */
  hubId: number;
  /** Returns unpredictable hexadecimal digits. */
  createSecret: () => string;
}

interface TokenRow {
  kind: 'private' | 'oauth';
  app_id: number;
  user_id: number;
  scopes: string;
  expires_at_ms: number | null;
}

/** Opens a database's tokens. */
export function createTokens(db: Database, { clock, hubId, createSecret }: TokensOptions): Tokens {
  const find = db.prepare<[string], TokenRow>('select * from access_tokens where token = ?');
  const insert = db.prepare('insert or replace into access_tokens values (?, ?, ?, ?, ?, ?)');
  let withdrawn: ReadonlySet<string> = new Set();
  let areListed = false;
  const presentScopes = (scopes: readonly string[]) =>
    scopes.filter((scope) => !withdrawn.has(scope));
  const listedScopes = (scopes: readonly string[]) =>
    areListed ? [...scopes] : presentScopes(scopes);
  return {
    issue(grant, { token = newToken(grant, createSecret()), lifetimeMs = 0 } = {}) {
      const expiresAtMs = lifetimeMs === 0 ? null : clock() + lifetimeMs;
      const scopes = grant.scopes.join(' ');
      insert.run(token, grant.kind, grant.appId, grant.userId, scopes, expiresAtMs);
      return token;
    },
    findToken(token) {
      const row = find.get(token);
      if (row === undefined) return undefined;
      const found = toFoundToken(row, hubId, clock());
      const { scopes } = found;
      return { ...found, scopes: presentScopes(scopes), listedScopes: listedScopes(scopes) };
    },
    revoke: (token) =>
      db.prepare('delete from access_tokens where token = ?').run(token).changes > 0,
    expireAll() {
      const sql = `update access_tokens set expires_at_ms = ? where kind = 'oauth'`;
      db.prepare(sql).run(clock() - 1);
    },
    withdraw(scopes, options = {}) {
      withdrawn = new Set(scopes);
      areListed = options.areListed ?? false;
    },
    listedScopes,
  };
}

function newToken({ kind }: TokenGrant, secret: string): string {
  return kind === 'private' ? toPrivateToken(secret) : `C${secret}`;
}

/** Formats at least 32 hexadecimal digits as a token of a private app or a service key. */
export function toPrivateToken(secret: string): string {
  const parts = [0, 8, 12, 16, 20, 32].map((end, index, ends) =>
    secret.slice(ends[index - 1] ?? 0, end),
  );
  return `pat-na1-${parts.slice(1).join('-')}`;
}

function toFoundToken(
  row: TokenRow,
  hubId: number,
  nowMs: number,
): Omit<FoundToken, 'listedScopes'> {
  return {
    kind: row.kind,
    appId: row.app_id,
    userId: row.user_id,
    scopes: row.scopes.split(' '),
    hubId,
    expiresAtMs: row.expires_at_ms,
    isExpired: row.expires_at_ms !== null && row.expires_at_ms <= nowMs,
  };
}
