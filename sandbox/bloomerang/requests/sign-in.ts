/** Checks private keys in `X-API-KEY`, and implements the authorization code flow of OAuth 2. */
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Database } from '../core/database.ts';
import { BloomerangError, unauthorized } from '../core/errors.ts';
import type { BloomerangEnv } from './context.ts';

export interface SignInOptions {
  db: Database;
  clock: () => number;
  createSecret: () => string;
  clientId: string;
  clientSecret: string;
  /** The lifetime of access tokens (ms). With the lifetime 0, access tokens never expire. */
  tokenLifetimeMs: number;
  rotateRefreshTokens: boolean;
  keyUser: string;
}

export interface SignIn {
  /** Creates a private key for the user. */
  issueKey(key: string): void;
  revokeKeys(): void;
  authenticate: MiddlewareHandler<BloomerangEnv>;
  /** The route `POST /oauth/token`, which needs no key. */
  tokenRoutes: Hono<BloomerangEnv>;
  /** The page `/authorize`. Bloomerang serves the page on a different host. The stand-in grants access immediately. */
  authorizeRoutes: Hono<BloomerangEnv>;
}

const tokenRequestSchema = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    client_id: z.string(),
    client_secret: z.string(),
    code: z.string(),
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    client_id: z.string(),
    client_secret: z.string(),
    refresh_token: z.string(),
  }),
]);

export function createSignIn(options: SignInOptions): SignIn {
  const { db, clock, createSecret, clientId, clientSecret } = options;
  const insert = db.prepare('insert or replace into tokens values (?, ?, ?)');
  const find = db.prepare<[string, string], { expires_at_ms: number | null }>(
    'select expires_at_ms from tokens where token = ? and kind = ?',
  );
  const remove = db.prepare('delete from tokens where token = ? and kind = ?');

  function isValid(token: string, kind: string): boolean {
    const row = find.get(token, kind);
    return row !== undefined && (row.expires_at_ms === null || row.expires_at_ms > clock());
  }

  function issue(kind: string, lifetimeMs: number | null): string {
    const token = createSecret();
    insert.run(token, kind, lifetimeMs === null ? null : clock() + lifetimeMs);
    return token;
  }

  const authorizeRoutes = new Hono<BloomerangEnv>();
  // Some clients send the request as JSON and read the code from the response.
  authorizeRoutes.post('/', async (c) => {
    const { client_id } = z.object({ client_id: z.string() }).parse(await c.req.json());
    if (client_id !== clientId) throw unauthorized();
    return c.json({ code: issue('code', 600_000) });
  });
  authorizeRoutes.get('/', (c) => {
    const { client_id, redirect_uri = '', state = '' } = c.req.query();
    if (client_id !== clientId || !URL.canParse(redirect_uri)) throw unauthorized();
    const target = new URL(redirect_uri);
    target.searchParams.set('code', issue('code', 600_000));
    if (state !== '') target.searchParams.set('state', state);
    return c.redirect(target.href);
  });

  const tokenRoutes = new Hono<BloomerangEnv>();
  tokenRoutes.post('/', async (c) => {
    const type = c.req.header('content-type') ?? '';
    const body = type.includes('json') ? await c.req.json() : await c.req.parseBody();
    const request = tokenRequestSchema.safeParse(body).data;
    if (request?.client_id !== clientId || request.client_secret !== clientSecret) {
      throw new BloomerangError(400, 'invalid_client');
    }
    const [token, kind] =
      request.grant_type === 'refresh_token'
        ? [request.refresh_token, 'refresh']
        : [request.code, 'code'];
    if (!isValid(token, kind)) throw new BloomerangError(400, 'invalid_grant');
    if (kind === 'code' || options.rotateRefreshTokens) remove.run(token, kind);
    const isKept = kind === 'refresh' && !options.rotateRefreshTokens;
    const lifetimeMs = options.tokenLifetimeMs === 0 ? null : options.tokenLifetimeMs;
    return c.json({
      access_token: issue('access', lifetimeMs),
      token_type: 'Bearer',
      ...(lifetimeMs === null ? {} : { expires_in: Math.floor(lifetimeMs / 1000) }),
      refresh_token: isKept ? token : issue('refresh', null),
    });
  });

  return {
    issueKey: (key) => void insert.run(key, 'key', null),
    revokeKeys: () => void db.prepare("delete from tokens where kind = 'key'").run(),
    authenticate: async (c, next) => {
      const key = c.req.header('x-api-key') ?? '';
      const [, bearer = ''] = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
      const isRefused = c.var.fault?.kind === 'invalidKey';
      if (isRefused || !(isValid(key, 'key') || isValid(bearer, 'access'))) throw unauthorized();
      c.set('user', options.keyUser);
      return next();
    },
    tokenRoutes,
    authorizeRoutes,
  };
}
