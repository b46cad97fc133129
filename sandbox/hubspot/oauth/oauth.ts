/** Installs the app in this account, and offers controls for tests. */

import type { Hono } from 'hono';
import type { Database } from '../core/database.ts';
import { createRouter, type HubspotEnv, readBody } from '../requests/context.ts';
import { ALL_SCOPES, SEGMENT_SCOPES } from '../requests/scopes.ts';
import type { Tokens } from '../requests/tokens.ts';
import { authorizeRoutes } from './authorize.ts';
import type { ClientApp } from './client-app.ts';
import { createCodes } from './codes.ts';
import { type InstallSettings, installSettingsSchema } from './install-settings.ts';
import { openRefreshTokens } from './refresh-tokens.ts';
import { tokenRoutes } from './token-endpoint.ts';

/** The objects that the sign-in needs. */
export interface OAuthOptions {
  db: Database;
  /** The account number. */
  portalId: number;
  app: ClientApp;
  tokens: Tokens;
  clock: () => number;
  /** Returns at least 32 random hexadecimal digits. */
  createSecret: () => string;
  /** The lifetime of an access token (ms). With the lifetime 0, the token never expires. */
  tokenLifetimeMs: number;
  /** True if each use of a refresh token returns a new refresh token and invalidates the used token. */
  rotateRefreshTokens: boolean;
}

/** The routes with which an app signs in. */
export interface OAuth {
  /** The routes for `/oauth`. Add the routes for `/oauth` before the routes that require a token. */
  routes: Hono<HubspotEnv>;
  /** The routes for `/_sandbox/oauth`. */
  control: Hono<HubspotEnv>;
}

/** Opens the sign-in and the installations in a database. */
export function openOAuth(options: OAuthOptions): OAuth {
  const settings: InstallSettings = {
    redirectUris: null,
    withheldScopes: [],
    rotateRefreshTokens: options.rotateRefreshTokens,
  };
  const codes = createCodes(options.clock, options.createSecret);
  const refreshTokens = openRefreshTokens(options.db, options.createSecret);
  const routes = createRouter();
  const knownScopes = [...ALL_SCOPES, ...Object.values(SEGMENT_SCOPES)];
  routes.route('/', authorizeRoutes({ ...options, codes, settings, knownScopes }));
  routes.route('/', tokenRoutes({ ...options, codes, settings, refreshTokens }));
  return { routes, control: controlRoutes(options.app, settings) };
}

/** `GET` returns the app's credentials and the current settings, and `PUT` changes settings. */
function controlRoutes(app: ClientApp, settings: InstallSettings): Hono<HubspotEnv> {
  const router = createRouter();
  router.get('/', (c) => c.json({ ...app, ...settings }));
  router.put('/', async (c) => {
    Object.assign(settings, await readBody(c, installSettingsSchema));
    return c.json({ ...app, ...settings });
  });
  return router;
}
