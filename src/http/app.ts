/** The way of a request through the service (design, section 4.5). */
import type { Context, Hono } from 'hono';
import { except } from 'hono/combine';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { timeout } from 'hono/timeout';
import { relyingPartyOf } from '../application/sign-in/passkeys.ts';
import { createApprovalWatch } from '../application/two-people/carry-on.ts';
import { createClientReader } from '../views/clients.ts';
import { createAccess } from './access.ts';
import { alertRoutes } from './alerts.ts';
import { approvalRoutes } from './approvals.ts';
import { createAttempts } from './attempts.ts';
import { auditRoutes } from './audit.ts';
import { checkRoutes } from './checks.ts';
import { clientRoutes, findRoutes } from './clients.ts';
import { creditRoutes } from './credits.ts';
import { createAuditChecker } from './dashboard/audit/checker.ts';
import { createCreditReader } from './dashboard/credits/credit-reader.ts';
import { problemPages } from './dashboard/frame/page-app.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { addDocuments } from './documents.ts';
import { healthRoutes } from './health.ts';
import { holdRoutes } from './holds.ts';
import { integrationRoutes } from './integrations.ts';
import { createMetrics, metricsRoutes } from './metrics.ts';
import { networkRoutes } from './networks.ts';
import { oauthRoutes } from './oauth.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { answer, HttpError } from './request/errors.ts';
import { createGuardedApp, refuseNullCharacters, requireKnownHost } from './request/guards.ts';
import { clientAddress, trustedProxies } from './request/peer.ts';
import { runEventRoutes } from './runs/run-events.ts';
import { runContactRoutes, runRoutes } from './runs/runs.ts';
import { startRunRoutes } from './runs/start-run.ts';
import { stopRunRoutes } from './runs/stop-run.ts';
import { scheduleRoutes } from './schedule.ts';
import { setupListRoutes } from './setups.ts';
import { createPasskeySignIn } from './sign-in/by-passkey.ts';
import { createPasswordSignIn } from './sign-in/by-password.ts';
import { createProviderSignIn } from './sign-in/by-provider.ts';
import { peopleApiRoutes } from './sign-in/people-api.ts';
import { createHookCalls } from './webhooks/hook-calls.ts';
import { hookRoutes } from './webhooks/hooks.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

/** Longer than any answer takes that is not stuck. */
const ANSWER_TIMEOUT_MS = 30_000;

const HEALTH = ['/healthz', '/readyz'];

/** What has a key in its address, which counts before there is any user. */
const WITH_KEYS = ['/hooks/*', '/oauth/*', '/join/*', '/first-visit/*'];

/** The HTTP of the service. The order matters: access is checked before anything is read. */
export function createHttpApp(given: HttpDeps): Hono<HttpEnv> {
  const carryOn = createApprovalWatch(given);
  const deps = { ...given, carryOn };
  // Some may be left from before the last end.
  carryOn();
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
    sealer: application.sealer,
    clock,
    publicUrl,
    addressOf,
    attempts: attempts(),
    withoutToken: deps.withoutToken ?? null,
  });
  const clients = deps.clients ?? createClientReader(application.store, clock);
  const { store, sealer } = application;
  const passwords = createPasswordSignIn({
    people: { store, sealer, clock },
    ...{ store, clock, publicUrl, addressOf, access },
    onLimit: (address) =>
      log.warn({ address }, 'an address has brought too many wrong passwords and has to wait'),
  });
  const party = relyingPartyOf(publicUrl);
  const passkeys =
    party &&
    createPasskeySignIn({
      passkeys: { store, sealer, clock, party },
      ...{ store, publicUrl, addressOf, access },
      onLimit: (address) =>
        log.warn({ address }, 'an address has brought too many passkeys that do not count'),
    });
  const provider = deps.provider
    ? createProviderSignIn({
        settings: deps.provider,
        people: { store, sealer, clock },
        ...{ store, publicUrl, addressOf, access, log },
        allowInsecureHttp: application.allowInsecureHttp,
      })
    : null;
  const metrics = createMetrics(deps);
  const credits = createCreditReader(deps);
  const hookCalls = createHookCalls(deps);
  const checker = createAuditChecker(deps);
  runner.onRunEnded(({ report }) => metrics.noteRun(report));

  const app = createGuardedApp(deps, metrics.noteRequest, problemPages(deps, access));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  // Who watches over us may know us by any name.
  app.use(except([...HEALTH], requireKnownHost(publicUrl)));
  app.use(refuseNullCharacters);
  app.use(except([...HEALTH, ...WITH_KEYS], access.requireUsersBeyondHere));
  app.use(except('/v1/runs/:id/events', timeout(ANSWER_TIMEOUT_MS)));
  app.route('/', healthRoutes(deps));
  app.route('/', metricsRoutes(metrics, access));
  app.route('/', integrationRoutes(deps, access));
  app.route('/', setupListRoutes(deps, access));
  app.route('/', networkRoutes(deps, access));
  app.route('/', startRunRoutes(deps, access));
  app.route('/', stopRunRoutes(deps, access));
  app.route('/', runRoutes(deps, access));
  app.route('/', runContactRoutes(deps, access));
  app.route('/', runEventRoutes(deps, access));
  app.route('/', holdRoutes(deps, access));
  app.route('/', approvalRoutes(deps, access));
  app.route('/', auditRoutes(deps, access, checker));
  app.route('/', peopleApiRoutes(deps, access));
  app.route('/', findRoutes(deps, access, clients));
  app.route('/', clientRoutes(deps, access, clients));
  app.route('/', creditRoutes(deps, access, credits));
  app.route('/', alertRoutes(deps, access));
  app.route('/', checkRoutes(deps, access));
  app.route('/', scheduleRoutes(deps, access));
  app.route('/', webhookRoutes(deps, access, hookCalls));
  const doors = { access, passwords, passkeys, provider, addressOf };
  app.route('/', dashboardRoutes(deps, doors, { clients, credits, checker, hookCalls }));
  app.route('/', hookRoutes(deps, attempts(), addressOf, hookCalls));
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
