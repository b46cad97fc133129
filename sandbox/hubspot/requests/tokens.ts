/** Stores access tokens, which belong to the private app or are created by OAuth. */

import type { Database } from '../core/database.ts';

/** The owner and the permissions of a token. */
export interface TokenGrant {
  /**
   * The kind of token. A private app's token never expires and has a daily limit. An OAuth token expires and has no
   * daily limit.
   */
  kind: 'private' | 'oauth';
  /** The ID of the app. Limits are counted for each app. */
  appId: number;
  userId: number;
  scopes: readonly string[];
}

/** A token that exists or existed. */
export interface FoundToken extends TokenGrant {
  /** The ID of the account (hub) to which the token belongs. */
  hubId: number;
  /** The time at which the token expires (milliseconds since 1970), or null if it never expires. */
  expiresAtMs: number | null;
  isExpired: boolean;
  /** The scopes that HubSpot reports for the token. Whether a request is allowed depends on `scopes`. */
  listedScopes: readonly string[];
}

/** The access tokens of an account. */
export interface Tokens {
  /**
   * Creates a new token, or stores `token` if it is given. If `lifetimeMs` is 0, which is the default, the token never
   * expires.
   */
  issue(grant: TokenGrant, options?: { token?: string; lifetimeMs?: number }): string;
  /** Returns a token even if it has expired, or undefined if it never existed or was revoked. */
  findToken(token: string): FoundToken | undefined;
  /** Revokes a token. Returns false if the token does not exist. */
  revoke(token: string): boolean;
  /** Expires all OAuth tokens immediately. Tokens of private apps stay valid. */
  expireAll(): void;
  /**
   * Removes the given scopes from all tokens, including new tokens. An empty list restores all scopes. With
   * `areListed`, HubSpot still reports that tokens have the scopes.
   */
  withdraw(scopes: readonly string[], options?: { areListed?: boolean }): void;
  /** Returns the scopes that HubSpot currently reports for a token with the given scopes. */
  listedScopes(scopes: readonly string[]): string[];
}

/** The options for creating tokens. */
export interface TokensOptions {
  clock: () => number;
  /** The ID of the account (hub) to which the token belongs. */
  hubId: number;
  /** Returns random hexadecimal digits. */
  createSecret: () => string;
}

interface TokenRow {
  kind: 'private' | 'oauth';
  app_id: number;
  user_id: number;
  scopes: string;
  expires_at_ms: number | null;
}

/** Opens the store of tokens in a database. */
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
