import type { Hono } from 'hono';
import { type OAuthDeps, oauthRoutes } from './oauth.ts';
import { refuseNullCharacters } from './request/addresses.ts';
import { answer, answerError } from './request/answer-error.ts';
import type { HttpEnv } from './request/context.ts';
import { forbidCaching, protectAnswers } from './request/headers.ts';
import { HttpError } from './request/http-error.ts';
import { requireKnownHost } from './request/known-hosts.ts';
import { noteRequests } from './request/request-log.ts';
import { createRouter } from './request/router.ts';

/** Connecting alone, by tickets, for as long as `donor-sync connect` waits without a service. */
export function createOAuthApp(deps: OAuthDeps): Hono<HttpEnv> {
  const { log, publicUrl } = deps;
  const app = createRouter();
  app.onError((error, c) => answerError(error, c, log));
  app.notFound((c) => answer(c, new HttpError(404, 'not_found', 'There is nothing here.')));
  app.use(noteRequests(deps, () => {}));
  app.use(protectAnswers(publicUrl));
  app.use(forbidCaching);
  app.use(requireKnownHost(publicUrl));
  app.use(refuseNullCharacters);
  app.route('/', oauthRoutes(deps, null));
  return app;
}
