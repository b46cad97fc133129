/** The groups of pages for users, and the files that these pages load. */

import type { Hono } from 'hono';
import { compress } from 'hono/compress';
import type { ClientReader } from '../../clients/views/clients.ts';
import type { Access } from '../api/access.ts';
import type { HttpDeps, HttpEnv } from '../api/request/context.ts';
import type { ClientAddress } from '../api/request/peer.ts';
import type { PasskeySignIn } from '../api/sign-in/by-passkey.ts';
import type { PasswordSignIn } from '../api/sign-in/by-password.ts';
import type { ProviderSignIn } from '../api/sign-in/by-provider.ts';
import type { HookCalls } from '../api/webhooks/hook-calls.ts';
import { findAsset } from './assets.ts';
import { auditPageRoutes } from './audit/audit-routes.ts';
import { clientAlertRoutes } from './clients/alert-routes.ts';
import { clientCheckRoutes } from './clients/check-routes.ts';
import { clientScheduleRoutes } from './clients/schedule-routes.ts';
import { clientWebhookRoutes } from './clients/webhook-routes.ts';
import { contactPageRoutes } from './contacts/contact-routes.ts';
import { creditPageRoutes } from './credits/credit-routes.ts';
import { decisionRoutes } from './decisions/decision-routes.ts';
import { createPageFrame } from './frame/page-app.ts';
import { homeRoutes } from './home/home-routes.ts';
import { introductionPageRoutes } from './introductions/introduction-routes.ts';
import { networkPageRoutes } from './networks/network-routes.ts';
import { resultPageRoutes } from './results/results-routes.ts';
import { runPageRoutes } from './runs/run-routes.ts';
import { setupRoutes } from './setup/setup-routes.ts';
import { firstVisitRoutes } from './sign-in/first-visit-routes.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import { accountRoutes } from './users/account-routes.ts';
import { addressRoutes } from './users/address-routes.ts';
import { crmUserRoutes } from './users/crm-user-routes.ts';
import { mailRoutes } from './users/mail-routes.ts';
import { userPageRoutes } from './users/users-routes.ts';

/** The ways in which users can sign in. */
export interface Doors {
  access: Access;
  passwords: PasswordSignIn;
  passkeys: PasskeySignIn;
  /** Signs users in with the identity provider. Null if the settings contain no provider. */
  provider: ProviderSignIn | null;
  getAddress: ClientAddress;
}

/** The objects that the pages share with the API. */
export interface SharedReaders {
  clients: ClientReader;
  hookCalls: HookCalls;
}

/**
 * Returns the routes of the dashboard. Each group of pages has a routes file, which Node can run without a build. The
 * routes load their pages on the first request, because the pages are written in JSX, which needs a build.
 */
export function dashboardRoutes(
  deps: HttpDeps,
  doors: Doors,
  { clients, hookCalls }: SharedReaders,
): Hono<HttpEnv> {
  const { access } = doors;
  const frame = createPageFrame(deps, access, clients);
  const app = frame.room();
  app.get('/assets/:file', compress(), (c, next) => {
    const asset = findAsset(c.req.param('file'));
    if (asset === null) return next();
    const { body, contentType } = asset;
    return c.body(body, 200, { 'Content-Type': contentType, 'Cache-Control': KEPT_FOR_GOOD });
  });
  app.route('/', signInRoutes(deps, doors, frame));
  app.route('/', firstVisitRoutes(deps, doors, frame));
  app.route('/', homeRoutes(deps, frame));
  app.route('/', runPageRoutes(deps, frame));
  app.route('/', decisionRoutes(deps, frame));
  app.route('/', introductionPageRoutes(deps, frame));
  app.route('/', networkPageRoutes(deps, frame));
  app.route('/', setupRoutes(deps, frame));
  app.route('/', userPageRoutes(deps, frame));
  app.route('/', addressRoutes(deps, doors, frame));
  app.route('/', accountRoutes(deps, doors, frame));
  app.route('/', crmUserRoutes(deps, frame));
  app.route('/', mailRoutes(deps, doors, frame));
  app.route('/', creditPageRoutes(deps, frame));
  app.route('/', resultPageRoutes(deps, frame));
  app.route('/', auditPageRoutes(deps, frame));
  app.route('/', clientWebhookRoutes(deps, frame, hookCalls));
  app.route('/', clientAlertRoutes(deps, frame));
  app.route('/', clientCheckRoutes(deps, frame));
  app.route('/', clientScheduleRoutes(deps, frame));
  app.route('/', contactPageRoutes(deps, frame));
  return app;
}

const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';
