/** Builds the HTTP service, which handles each request from its arrival to its response (design, section 4.5). */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { except } from 'hono/combine';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { timeout } from 'hono/timeout';
import { createClientReader } from '../../clients/views/clients.ts';
import { createDecisionWatch } from '../../decisions/apply-answers.ts';
import { createApprovalWatch } from '../../decisions/second-person/carry-on.ts';
import { createOperationRunner } from '../../operations/kit/perform.ts';
import { createAuditChecker } from '../../privacy/audit/checker.ts';
import { problemPages } from '../pages/frame/page-app.ts';
import { showRefusedForms } from '../pages/frame/refused-forms.ts';
import { guideRoutes } from '../pages/guide/guide-routes.ts';
import { dashboardRoutes } from '../pages/page-routes.ts';
import { createAccess } from './access.ts';
import { alertRoutes } from './alerts-api.ts';
import { approvalRoutes } from './approvals-api.ts';
import { auditRoutes } from './audit-api.ts';
import { checkRoutes } from './checks-api.ts';
import { clientRoutes, findRoutes } from './clients-api.ts';
import { creditRoutes } from './credits-api.ts';
import { addDocuments } from './documents.ts';
import { cardRoutes } from './doors/card-routes.ts';
import { eventRoutes } from './doors/event-routes.ts';
import { tokenDoorRoutes } from './doors/token-door.ts';
import { workflowRoutes } from './doors/workflow-routes.ts';
import { healthRoutes } from './health.ts';
import { holdRoutes } from './holds-api.ts';
import { integrationRoutes } from './integrations-api.ts';
import { createMetrics, metricsRoutes } from './metrics.ts';
import { networkRoutes } from './networks-api.ts';
import { oauthRoutes } from './oauth.ts';
import { type AddressBook, createAddressBook } from './request/address-book.ts';
import { toOperationDeps } from './request/caller.ts';
import type { HttpDeps, HttpEnv, ServiceDeps } from './request/context.ts';
import { answer, HttpError } from './request/errors.ts';
import {
  createGuardedApp,
  refuseNullCharacters,
  requireInside,
  requireKnownHost,
} from './request/guards.ts';
import { clientAddress, trustedProxies } from './request/peer.ts';
import { createTransport } from './request/transport.ts';
import { runEventRoutes } from './runs/run-events.ts';
import { runContactRoutes, runRoutes } from './runs/runs-api.ts';
import { scheduleRoutes } from './schedule-api.ts';
import { setupListRoutes } from './setups-api.ts';
import { createAttempts } from './sign-in/attempts.ts';
import { createPasskeySignIn } from './sign-in/by-passkey.ts';
import { createPasswordSignIn } from './sign-in/by-password.ts';
import { createProviderSignIn } from './sign-in/by-provider.ts';
import { userRoutes } from './users-api.ts';
import { createHookCalls } from './webhooks/hook-calls.ts';
import { hookRoutes } from './webhooks/hooks-api.ts';
import { webhookRoutes } from './webhooks/webhooks-api.ts';
import { workRoutes } from './work-api.ts';

/** The time limit for a response. Only a request that hangs takes as long as this limit. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * The time limit for a response to a new password. The password is compared with lists of common passwords. Loading the
 * lists for the first password takes long on a busy machine.
 */
const NEW_PASSWORD_TIMEOUT_MS = 90_000;
const NEW_PASSWORDS = /^\/(join\/|account\/password$|first-visit$)/;

const HEALTH = ['/healthz', '/readyz'];

/** Paths that their own secrets or signatures protect. These paths work even if no user exists. */
const WITH_KEYS = [
  ...['/hooks/*', '/doors/*', '/oauth/*', '/join/*', '/first-visit', '/first-visit/*'],
  '/confirm-address/*',
];

/** Paths at which users type a password or a token, or use a sign-in link. */
const WITH_PASSWORDS = /^\/(sign-in|join|first-visit|account)(\/|$)/;

/** Creates the HTTP app. The app checks a caller's access before it reads any data. */
export function createHttpApp(service: ServiceDeps): Hono<HttpEnv> {
  const { publicUrl, hasOwnUrl = false, ...others } = service;
  const { reader } = service.application.store;
  const address = createAddressBook({ reader, clock: service.clock }, { publicUrl, hasOwnUrl });
  const given: HttpDeps = { ...others, address };
  const runOperation = createOperationRunner(toOperationDeps(given));
  const carryOutApprovals = createApprovalWatch({ ...given, runOperation });
  const applyAnswers = createDecisionWatch({ ...given, store: given.application.store });
  const carryOn = () => {
    carryOutApprovals();
    applyAnswers();
  };
  const auditChecker = given.auditChecker ?? createAuditChecker(given);
  const deps = { ...given, carryOn, auditChecker };
  // Continues actions that the last stop interrupted.
  carryOn();
  const { application, clock, log, runner } = deps;
  const isTrusted = trustedProxies(deps.trustedProxies ?? []);
  const getAddress = clientAddress(isTrusted);
  const plainHttp = deps.plainHttp ?? 'refuse';
  const transport = createTransport({ address, isTrusted, plainHttp });
  const attempts = () =>
    createAttempts(clock, (address) =>
      log.warn({ address }, 'an address has sent too many wrong tokens and has to wait a minute'),
    );
  const access = createAccess({
    store: application.store,
    sealer: application.sealer,
    clock,
    address,
    transport,
    getAddress,
    attempts: attempts(),
    withoutToken: deps.withoutToken ?? null,
  });
  const clients = deps.clients ?? createClientReader(application.store.reader, clock);
  const { store, sealer } = application;
  const passwords = createPasswordSignIn({
    people: { store, sealer, clock },
    store,
    clock,
    address,
    getAddress,
    access,
    onLimit: (address) =>
      log.warn({ address }, 'an address has sent too many wrong passwords and has to wait'),
  });
  const passkeys = createPasskeySignIn({
    passkeys: { store, sealer, clock },
    store,
    address,
    getAddress,
    access,
    onLimit: (address) => log.warn({ address }, 'an address has sent too many invalid passkeys'),
  });
  const provider = deps.provider
    ? createProviderSignIn({
        settings: deps.provider,
        people: { store, sealer, clock },
        store,
        address,
        getAddress,
        access,
        log,
        allowInsecureHttp: application.allowInsecureHttp,
      })
    : null;
  const metrics = createMetrics(deps);
  const hookCalls = createHookCalls(deps);
  runner.onRunEnded(({ report }) => metrics.noteRun(report));

  const doors = { access, passwords, passkeys, provider, getAddress };
  const pages = dashboardRoutes(deps, doors, { clients, hookCalls });
  const app = createGuardedApp(deps, metrics.noteRequest, problemPages(deps, access));
  // This guard comes first, so that a caller from outside cannot learn which paths exist.
  app.use(requireInside(deps.pagesFrom ?? null, isTrusted));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  app.use(except([...HEALTH], readAddress(address)));
  // Monitoring tools may use any host name of the server.
  app.use(except([...HEALTH], requireKnownHost(address)));
  app.use(refuseNullCharacters);
  app.use(showRefusedForms(pages));
  app.use(except((c) => !WITH_PASSWORDS.test(c.req.path), access.requireSafeTransport));
  app.use(except([...HEALTH, ...WITH_KEYS], access.requireUsersBeyondHere));
  const setsPassword = ({ req }: Context) => NEW_PASSWORDS.test(req.path);
  app.use(except(['/v1/runs/:id/events', setsPassword], timeout(ANSWER_TIMEOUT_MS)));
  app.use(except((c) => !setsPassword(c), timeout(NEW_PASSWORD_TIMEOUT_MS)));
  app.route('/', healthRoutes(deps));
  app.route('/', metricsRoutes(metrics, access));
  app.route('/', integrationRoutes(deps, access));
  app.route('/', setupListRoutes(deps, access));
  app.route('/', networkRoutes(deps, access));
  app.route('/', runRoutes(deps, access));
  app.route('/', runContactRoutes(deps, access));
  app.route('/', runEventRoutes(deps, access));
  app.route('/', holdRoutes(deps, access));
  app.route('/', approvalRoutes(deps, access));
  app.route('/', auditRoutes(deps, access));
  app.route('/', userRoutes(deps, access));
  app.route('/', workRoutes(deps, access));
  app.route('/', findRoutes(deps, access, clients));
  app.route('/', clientRoutes(deps, access, clients));
  app.route('/', creditRoutes(deps, access));
  app.route('/', alertRoutes(deps, access));
  app.route('/', checkRoutes(deps, access));
  app.route('/', scheduleRoutes(deps, access));
  app.route('/', webhookRoutes(deps, access, hookCalls));
  app.route('/', pages);
  app.route('/', hookRoutes(deps, attempts(), getAddress, hookCalls));
  app.route('/', cardRoutes(deps, getAddress));
  app.route('/', workflowRoutes(deps, getAddress));
  app.route('/', tokenDoorRoutes(deps, attempts(), getAddress));
  app.route('/', eventRoutes(deps, getAddress));
  app.route('/', oauthRoutes(deps, access, getAddress));
  addDocuments(app, deps.version, address);
  app.route('/', guideRoutes(deps.guideFolder));
  return app;
}

/**
 * Reads the addresses. If the database does not respond, uses the last known addresses. The request's handler reports
 * the error.
 */
function readAddress(address: AddressBook): MiddlewareHandler<HttpEnv> {
  return async (_c, next) => {
    await address.refresh().catch(() => {});
    await next();
  };
}

function refuseMethod(c: Context<HttpEnv>, methods: readonly string[]): Response {
  const allowed = methods.join(', ');
  const message = `This address accepts ${allowed}.`;
  return answer(
    c,
    new HttpError(405, 'method_not_allowed', message, { headers: { Allow: allowed } }),
  );
}
