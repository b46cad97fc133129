/** Serves the pages of runs, and handles their buttons (design, section 4.5). */

import type { Hono } from 'hono';
import { z } from 'zod';
import { isConfigurationError } from '../../../core/errors.ts';
import { mayActAs } from '../../../core/role.ts';
import { readCrmMessages } from '../../../decisions/crm-messages.ts';
import { readWrittenChanges } from '../../../fields/written-changes.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import { perform, preview } from '../../../operations/kit/perform.ts';
import { stopRun } from '../../../operations/runs.ts';
import { retryRun } from '../../../operations/start-run.ts';
import { undoRun } from '../../../operations/undo.ts';
import { previewUndoOfRun } from '../../../operations/undo-preview.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { authorised, getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { findRun, listAccessible } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { toAnchor } from '../home/client-detail.ts';
import { clientHref } from '../home/client-href.ts';
import { createBriefCache } from './brief-cache.ts';
import { PAGE_SIZE, readRunDetail } from './run-detail.ts';
import { readRunList, runListQuerySchema } from './run-list.ts';
import type { RunBodyText } from './run-pages.tsx';

export function runPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application, clock, stopping } = deps;
  const { store, integrations } = application;
  const app = frame.room();
  const world = toOperationDeps(deps);
  const ended = createBriefCache<RunBodyText>(clock);

  app.get('/runs', frame.see('viewer'), async (c) => {
    const query = runListQuerySchema.parse(c.req.query());
    const list = await readRunList(world, getCaller(c), query);
    const { renderRuns } = await import('./run-pages.tsx');
    // Users can guess IDs, so only users with access to the client see its name.
    const clients = new Map(
      [...listAccessible(c, application)].map(([id, { name = id }]) => [id, name]),
    );
    return c.html(renderRuns(frame.getViewer(c.var.principal), list, clients));
  });

  app.get('/runs/:id', frame.see('viewer'), async (c) => {
    const { principal, actor } = c.var;
    const id = c.req.param('id');
    const report = await findRun(c, store.reader, id, application.sealer);
    const { note, ...query } = pageQuerySchema.parse(c.req.query());
    // The CRM's message may contain names and amounts. Therefore, it is decrypted only for readers and higher roles,
    // and only for this response.
    const mayRead = mayActAs(principal.role, 'reader');
    const words = mayRead ? await readCrmMessages(application, id, PAGE_SIZE) : [];
    if (words.length > 0) {
      const { act } = store.actingAs(actor);
      await noteEntries(act, [
        { action: 'names.shown', details: { run: id, texts: words.length } },
      ]);
    }
    const viewer = frame.getViewer(principal);
    const { renderRun, renderRunBody } = await import('./run-pages.tsx');
    const make = async () => {
      const about = { id, report, now: clock.now() };
      return renderRunBody(viewer, await readRunDetail(application, about, query), words);
    };
    // When a run ends, all users who watch it request the page at the same moment, so donor-sync caches the page. The
    // page is not cached for users who can act on the run.
    const isShared =
      report.status === 'succeeded' &&
      report.undone === undefined &&
      note === null &&
      words.length === 0 &&
      Object.values(query).every((word) => word === undefined);
    const body = isShared ? await ended.get(`${id} ${principal.role}`, make) : await make();
    return c.html(renderRun(viewer, body, note && NOTES[note]));
  });

  // Only users with the role reader or a higher role see a contact's values. The values are never cached
  // (`forbidCaching`).
  app.get('/runs/:id/changes', frame.see('reader'), async (c) => {
    const found = await findRun(c, store.reader, c.req.param('id'), application.sealer);
    const { id: runId, integration: integrationId, undone } = found;
    const { contact: crmId } = changesQuerySchema.parse(c.req.query());
    const integration = integrations.get(integrationId);
    const { act } = store.actingAs(c.get('actor'));
    const details = { run: runId };
    await noteEntries(act, [{ action: 'names.shown', integrationId, crmId, details }]);
    const written = { integrationId, runId, crmId };
    const changes = await readWrittenChanges(application, integration, written, stopping);
    const { renderChanges } = await import('./run-pages.tsx');
    return c.html(
      renderChanges(frame.getViewer(c.var.principal), {
        ...changes,
        run: runId,
        crmId,
        integration: {
          id: integrationId,
          name: integration?.name ?? integrationId,
          isSetUp: integration !== undefined,
        },
        undone,
      }),
    );
  });

  app.post('/runs/:run/stop', frame.act(stopRun.role), authorised(stopRun), async (c) => {
    const run = c.req.param('run');
    const { integration } = await findRun(c, store.reader, run);
    const state = await stop(getCaller(c), run);
    frame.clients.forget();
    const back = c.req.query('back');
    // A run that will never start has no page.
    if (back === 'home') return c.redirect(`/?note=${state}#${toAnchor(integration)}`, 303);
    const isOnPage = back !== 'client' && state !== 'dropped';
    return c.redirect(`${isOnPage ? `/runs/${run}` : clientHref(integration)}?note=${state}`, 303);
  });

  const ofUndo = [
    frame.act(undoRun.role),
    authorised(undoRun),
    limitBody(MAX_API_BODY_BYTES),
  ] as const;

  // The preview queries the CRM, so another site's link must not be able to start it.
  app.post('/runs/:run/undo/preview', ...ofUndo, async (c) => {
    const run = c.req.param('run');
    const { restorable } = await perform(world, getCaller(c), previewUndoOfRun, { run });
    const asked = await preview(world, getCaller(c), undoRun, { run });
    const client = integrations.get(restorable.integration);
    const { renderUndo } = await import('./run-pages.tsx');
    return c.html(
      renderUndo(frame.getViewer(c.var.principal), {
        restorable,
        digest: asked?.digest ?? '',
        clientName: client?.name ?? restorable.integration,
      }),
    );
  });

  app.post('/runs/:run/undo', ...ofUndo, async (c) => {
    const run = c.req.param('run');
    const { digest } = digestSchema.parse(await readForm(c));
    const { approval } = await perform(world, getCaller(c), undoRun, { run }, digest);
    const note = approval.state === 'waiting' ? 'undoWaits' : 'undo';
    return c.redirect(`/runs/${run}?note=${note}`, 303);
  });

  createOperationForms(deps, frame, app).add('/runs/:run/retry', retryRun, {
    answer(c, { run }) {
      frame.clients.forget();
      return c.redirect(`/runs/${run.id}?note=retry`, 303);
    },
  });
  return app;

  /** Stops a run. If the run has ended since the page was shown, this is not the user's mistake. */
  async function stop(caller: Caller, run: string): Promise<'stopping' | 'dropped' | 'over'> {
    try {
      return (await perform(world, caller, stopRun, { run })).state;
    } catch (error) {
      if (isConfigurationError(error) && error.code === 'run_over') return 'over';
      throw error;
    }
  }
}

/** Notes for the next page. The page's address contains only the name of a note, never its text. */
const NOTES = {
  stopping: 'The run is stopping. It ends within seconds.',
  over: 'The run had already ended.',
  undo: 'The undo was requested. This page shows its progress and its result.',
  undoWaits: 'Nothing has been done yet: another user has to confirm this, under Decisions.',
  contact: 'The run for this contact was requested. This is its page.',
  retry: 'A sync that retries failed contacts was requested. This is its page.',
} as const;

const pageQuerySchema = z.object({
  outcome: z.string().optional(),
  reason: z.string().optional(),
  contact: z.string().trim().optional(),
  after: z.string().optional(),
  note: z
    .custom<keyof typeof NOTES>((word) => typeof word === 'string' && Object.hasOwn(NOTES, word))
    .nullable()
    .catch(null),
});

const digestSchema = z.object({ digest: z.string().catch('') });

const changesQuerySchema = z.object({ contact: z.string().catch('') });
