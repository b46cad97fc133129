/** The status page at `/`, the pages of runs, and what their buttons do (design, section 4.5). */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { readBatchExamples } from '../../application/batch-examples.ts';
import { decideHold } from '../../application/decide-holds.ts';
import { readKeptWords } from '../../application/kept-words.ts';
import { acceptMatchRate, showPersons } from '../../application/live-crm.ts';
import {
  BATCH_DECISIONS,
  type BatchDecisionWord,
  type DecisionWord,
  HOLD_DECISIONS,
} from '../../views/hold.ts';
import type { Access } from '../access.ts';
import { readPageAssets } from '../assets.ts';
import { decideOpenBatch, findDecidableHold, findOpenBatch } from '../holds.ts';
import { type HttpDeps, type HttpEnv, liveDeps, type Principal } from '../request/context.ts';
import { answerError, HttpError } from '../request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../request/guards.ts';
import { findIntegration } from '../request/router.ts';
import { createCreditReader } from './credits.ts';
import { batchView, recordUrl } from './holds.ts';
import type { Viewer } from './layout.tsx';
import { anchorOf, readOverview } from './overview.ts';
import { findLowRate, PAGE_SIZE, readRunDetail } from './run-detail.ts';

/**
 * Pages are loaded when the first one is asked for; everything else can be served by Node from the
 * sources as they are, which have to be built for JSX alone.
 */
const loadPages = () => import('./pages.tsx');

/** The pages for people. */
export function dashboardRoutes(deps: HttpDeps, access: Access): Hono<HttpEnv> {
  const { application, runner, clock, version } = deps;
  const { store } = application;
  const credits = createCreditReader(deps);
  const app = new Hono<HttpEnv>();

  app.onError((error, c) => answerPage(error, c));
  const { styles, script, icon } = readPageAssets();
  for (const { path, contentType, body } of [styles, script, icon]) {
    app.get(path, (c) =>
      c.body(body, 200, { 'Content-Type': contentType, 'Cache-Control': KEPT_FOR_GOOD }),
    );
  }

  app.get('/', async (c) => {
    const principal = await access.identify(c);
    if (principal === null) return c.redirect('/sign-in', 303);
    const { from, note } = statusQuerySchema.parse(c.req.query());
    const overview = await readOverview({ application, credits }, from);
    const { renderStatus } = await loadPages();
    return c.html(renderStatus(viewerOf(principal), overview, note && NOTES[note]));
  });

  app.get('/runs/:id', async (c) => {
    const principal = await access.identify(c);
    if (principal === null) return c.redirect(`/sign-in?to=${encodeURIComponent(c.req.path)}`, 303);
    const id = c.req.param('id');
    const query = contactQuerySchema.parse(c.req.query());
    const detail = await readRunDetail(application, id, query);
    // It may quote names and figures: for those who decide, opened for this one answer.
    const mayRead = principal.role === 'admin';
    const words = mayRead ? await readKeptWords(application, id, PAGE_SIZE) : [];
    if (words.length > 0) {
      const { audit } = store.actingAs(access.actorOf(c, principal));
      await audit.note({ action: 'names.shown', details: { run: id, texts: words.length } });
    }
    const { renderRun } = await loadPages();
    return c.html(renderRun(viewerOf(principal), detail, words));
  });

  app.get('/sign-in', async (c) => {
    const { to } = signInQuerySchema.parse(c.req.query());
    if ((await access.identify(c)) !== null) return c.redirect(to, 303);
    const { renderSignIn } = await loadPages();
    return c.html(renderSignIn(viewerOf(null), { to, isRefused: false }));
  });

  app.post('/sign-in', limitBody(MAX_API_BODY_BYTES), async (c) => {
    const { token, to } = signInSchema.parse(await readForm(c));
    if ((await access.signIn(c, token)) !== null) return c.redirect(to, 303);
    const { renderSignIn } = await loadPages();
    return c.html(renderSignIn(viewerOf(null), { to, isRefused: true }), 401);
  });

  app.get('/first-visit/:secret', async (c) => {
    // Who only looks whether there is something must not use it up.
    if (c.req.method !== 'GET') return c.body(null, 204);
    await access.beginFirstVisit(c, c.req.param('secret'));
    return c.redirect('/', 303);
  });

  app.post('/sign-out', async (c) => {
    await access.signOut(c);
    return c.redirect('/sign-in', 303);
  });

  app.post('/integrations/:id/sync', access.requireRole('admin'), async (c) => {
    const { id } = findIntegration(application, c.req.param('id'));
    const by = c.get('actor');
    const { joined } = await runner.request({ integrationId: id, trigger: 'manual', by });
    return c.redirect(`/?note=${joined === null ? 'sync' : 'joined'}#${anchorOf(id)}`, 303);
  });

  app.get('/integrations/:id/persons', async (c, next) => {
    if ((await access.identify(c)) !== null) return next();
    return c.redirect(`/sign-in?to=${encodeURIComponent(c.req.path)}`, 303);
  });
  app.get('/integrations/:id/persons', access.requireRole('admin'), async (c) => {
    const integration = findIntegration(application, c.req.param('id'));
    const { id, name = id } = integration;
    const actor = c.get('actor');
    await store.actingAs(actor).audit.note({ action: 'names.shown', integrationId: id });
    const view = {
      integration: { id, name },
      persons: await showPersons(liveDeps(deps, actor), integration),
      isRateLow: (await findLowRate(store, id)) !== null,
    };
    const { renderPersons } = await loadPages();
    c.header('Cache-Control', 'no-store');
    return c.html(renderPersons(viewerOf(c.get('principal')), view));
  });

  app.post('/integrations/:id/accept-match-rate', access.requireRole('admin'), async (c) => {
    const integration = findIntegration(application, c.req.param('id'));
    const { id: integrationId } = integration;
    const by = c.get('actor');
    await acceptMatchRate(liveDeps(deps, by), integration);
    await runner.request({ integrationId, trigger: 'manual', mayJoin: false, by });
    return c.redirect(`/?note=accepted#${anchorOf(integrationId)}`, 303);
  });

  for (const decision of HOLD_DECISIONS) {
    app.post(`/holds/:id/${decision}`, access.requireRole('admin'), async (c) => {
      const hold = await findDecidableHold(store, c.req.param('id'), decision);
      const isNew = await decideHold(store.actingAs(c.get('actor')), hold, decision);
      return c.redirect(`/?note=${isNew ? decision : 'decided'}#holds`, 303);
    });
  }

  // Names and addresses go to those who may decide, and no cache keeps them (`forbidCaching`).
  app.get('/holds/batches/:id', access.requireRole('admin'), async (c) => {
    const batch = await findOpenBatch(store, c.req.param('id'));
    const { integrationId, id } = batch;
    const integration = findIntegration(application, integrationId);
    const { audit } = store.actingAs(c.get('actor'));
    await audit.note({ action: 'names.shown', integrationId, details: { batch: id } });
    const limit = AbortSignal.any([deps.stopping, AbortSignal.timeout(EXAMPLES_LIMIT_MS)]);
    const examples = await readBatchExamples(application, batch, limit);
    const { renderBatch } = await loadPages();
    return c.html(
      renderBatch(viewerOf(c.var.principal), {
        batch: batchView(batch, integration),
        examples: examples.map((one) => ({ ...one, url: recordUrl(integration, one.contact) })),
      }),
    );
  });

  for (const decision of BATCH_DECISIONS) {
    app.post(`/holds/batches/:id/${decision}`, access.requireRole('admin'), async (c) => {
      const acting = store.actingAs(c.get('actor'));
      const isNew = await decideOpenBatch(acting, c.req.param('id'), decision).then(
        ({ count }) => count > 0,
        refuseUnlessDecided,
      );
      return c.redirect(`/?note=${isNew ? `${decision}-batch` : 'decided'}#holds`, 303);
    });
  }
  return app;

  function viewerOf(principal: Principal | null): Viewer {
    return { principal, now: clock.now(), version };
  }

  /** The same answer as everywhere, for people. */
  async function answerPage(error: Error, c: Context<HttpEnv>): Promise<Response> {
    const answer = answerError(error, c, deps.log);
    const body = errorSchema.parse(await answer.json());
    const { renderProblem } = await loadPages();
    const page = await renderProblem(viewerOf(c.get('principal') ?? null), body.error.message);
    const headers = new Headers(answer.headers);
    headers.set('Content-Type', 'text/html; charset=utf-8');
    return new Response(page, { status: answer.status, headers });
  }
}

/** A second click is no mistake; everything else is. */
function refuseUnlessDecided(error: unknown): false {
  if (error instanceof HttpError && error.code === 'batch_decided') return false;
  throw error;
}

/** The longest that a CRM may take to show examples; less than an answer may take. */
const EXAMPLES_LIMIT_MS = 20_000;

const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';

/** What can be said on the next page: only these words, whatever the address has. */
const NOTES = {
  sync: 'A sync was asked for. It begins in a moment.',
  joined: 'A sync is going on or about to begin already.',
  accepted: 'Accepted. A sync begins in a moment and sends the contacts that wait.',
  approve: 'Approved. The next sync does it.',
  reject: 'Rejected. It is left as it is.',
  resubmit: 'To be asked again. The next sync spends a credit on that.',
  decided: 'That was decided already.',
  'approve-batch': 'All approved. The next sync asks the service about them, for a credit each.',
  'reject-batch': 'All rejected. The new details are taken over, and nothing is spent.',
} as const satisfies Record<
  DecisionWord | `${BatchDecisionWord}-batch` | 'sync' | 'joined' | 'accepted' | 'decided',
  string
>;

const statusQuerySchema = z.object({
  from: z.coerce.number().int().nonnegative().catch(0),
  note: z
    .enum([
      ...(['sync', 'joined', 'accepted', 'decided'] as const),
      ...HOLD_DECISIONS,
      ...(['approve-batch', 'reject-batch'] as const),
    ])
    .nullable()
    .catch(null),
});

const contactQuerySchema = z.object({
  outcome: z.string().optional(),
  reason: z.string().optional(),
  contact: z.string().trim().optional(),
  after: z.string().optional(),
});

/** Only pages of ours, so that a link cannot lead to another site. */
const pathSchema = z
  .string()
  .regex(/^\/(runs\/[\w-]+|integrations\/[\w-]+\/persons)?$/)
  .catch('/');

const signInQuerySchema = z.object({ to: pathSchema });

const signInSchema = z.object({ token: z.string().trim().catch(''), to: pathSchema });

const errorSchema = z.object({ error: z.object({ message: z.string() }) });
