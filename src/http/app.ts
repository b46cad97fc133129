/** The way of a request through the service (design, section 4.5). */
import type { Context, Hono } from 'hono';
import { except } from 'hono/combine';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { timeout } from 'hono/timeout';
import { createAccess } from './access.ts';
import { createAttempts } from './attempts.ts';
import { auditRoutes } from './audit.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { addDocuments } from './documents.ts';
import { healthRoutes } from './health.ts';
import { holdRoutes } from './holds.ts';
import { hookRoutes } from './hooks.ts';
import { integrationRoutes } from './integrations.ts';
import { createMetrics, metricsRoutes } from './metrics.ts';
import { oauthRoutes } from './oauth.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { answer, HttpError } from './request/errors.ts';
import { createGuardedApp, refuseNullCharacters, requireKnownHost } from './request/guards.ts';
import { clientAddress, trustedProxies } from './request/peer.ts';
import { runEventRoutes } from './run-events.ts';
import { runContactRoutes, runRoutes } from './runs.ts';
import { startRunRoutes } from './start-run.ts';

/** Longer than any answer takes that is not stuck. */
const ANSWER_TIMEOUT_MS = 30_000;

/** The HTTP of the service. The order matters: access is checked before anything is read. */
export function createHttpApp(deps: HttpDeps): Hono<HttpEnv> {
  const { application, clock, log, publicUrl, runner } = deps;
  const addressOf = clientAddress(trustedProxies(deps.trustedProxies ?? []));
  const attempts = () =>
    createAttempts(clock, (address) =>
      log.warn(
        { address },
        'an address has brought too many wrong tokens and has to wait a minute',
      ),
    );
  const access = createAccess({
    store: application.store,
    clock,
    publicUrl,
    addressOf,
    attempts: attempts(),
    withoutToken: deps.withoutToken ?? null,
  });
  const metrics = createMetrics(deps);
  runner.onRunEnded(({ report }) => metrics.noteRun(report));

  const app = createGuardedApp(deps, metrics.noteRequest);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  // Who watches over us may know us by any name.
  app.use(except(['/healthz', '/readyz'], requireKnownHost(publicUrl)));
  app.use(refuseNullCharacters);
  app.use(except('/v1/runs/:id/events', timeout(ANSWER_TIMEOUT_MS)));
  app.route('/', healthRoutes(deps));
  app.route('/', metricsRoutes(metrics, access));
  app.route('/', integrationRoutes(deps, access));
  app.route('/', startRunRoutes(deps, access));
  app.route('/', runRoutes(deps, access));
  app.route('/', runContactRoutes(deps, access));
  app.route('/', runEventRoutes(deps, access));
  app.route('/', holdRoutes(deps, access));
  app.route('/', auditRoutes(deps, access));
  app.route('/', dashboardRoutes(deps, access));
  app.route('/', hookRoutes(deps, attempts(), addressOf));
  app.route('/', oauthRoutes(deps, access, addressOf));
  addDocuments(app, deps.version, publicUrl);
  return app;
}

function refuseMethod(c: Context<HttpEnv>, methods: readonly string[]): Response {
  const allowed = methods.join(', ');
  const message = `This address takes ${allowed}.`;
  return answer(
    c,
    new HttpError(405, 'method_not_allowed', message, { headers: { Allow: allowed } }),
  );
}
