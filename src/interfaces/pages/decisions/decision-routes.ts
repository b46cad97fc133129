/** What waits for a person: the queue, the one decision that is open, and the buttons that decide (design, section 4.5). */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { mayActAs } from '../../../core/role.ts';
import { mayBeSame } from '../../../core/second-person.ts';
import { createDecisionWatch } from '../../../decisions/apply-answers.ts';
import { DECIDED, requireBatchDecision } from '../../../decisions/decide.ts';
import {
  approvalOfBatch,
  approvalOfReason,
  askSecondPerson,
  toApprovalRequest,
} from '../../../decisions/second-person/ask.ts';
import type { ApprovalRecord, WorkRequest } from '../../../decisions/statements/approvals.ts';
import type { Answer } from '../../../decisions/statements/withdrawable-answers.ts';
import {
  findWithdrawableAnswer,
  giveAnswer,
  withdrawAnswer,
} from '../../../decisions/statements/withdrawable-answers.ts';
import { describeApproval, listApprovals, roleFor } from '../../../decisions/views/approval.ts';
import { BATCH_DECISIONS } from '../../../decisions/views/batch-kinds.ts';
import {
  itemOfBatch,
  type QueueItem,
  type QueueQuery,
  readAround,
  toQueueItem,
} from '../../../decisions/views/decision-queue.ts';
import { HOLD_DECISIONS } from '../../../decisions/views/kinds.ts';
import { confirmRequest, refuseRequest } from '../../../operations/approvals.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { findDecidableHold } from '../../api/holds-api.ts';
import { getRequester } from '../../api/request/caller.ts';
import {
  canAccessApproval,
  findAccessibleHold,
  findIntegration,
  findOpenBatch,
  hasAccess,
  listAccessible,
} from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { HttpError } from '../../api/request/errors.ts';
import { readCursor } from '../../api/request/router.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { mayDecideAll } from './bulk.ts';
import { DECISION_NOTES, type DecisionNote } from './notes.ts';
import {
  type DecisionsPage,
  decisionHref,
  queueWords,
  readBatchPage,
  readDecisions,
  readHoldPage,
  readUndo,
  type ShownApproval,
} from './read-page.ts';

export function decisionRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const { store } = application;
  const app = frame.room();
  const watch = createDecisionWatch({ ...deps, store });
  // Some may be left from before the last end.
  watch();

  app.get('/decisions', frame.see('viewer'), async (c) => {
    const content = await readDecisions(application, listAccessible(c, application), parseQuery(c));
    return answer(c, content);
  });

  app.get('/decisions/:id', frame.see('viewer'), async (c) => {
    const hold = await findAccessibleHold(c, store.reader, c.req.param('id'));
    const { id, integrationId, decision } = hold;
    if (hold.about === 'contact' && decision === null)
      await noteShown(c, integrationId, { hold: id });
    return answer(c, await readHoldPage(application, hold, lookedAt(c)));
  });

  app.get('/decisions/batches/:id', frame.see('viewer'), async (c) => {
    const batch = await findOpenBatch(c, store.reader, c.req.param('id'));
    await noteShown(c, batch.integrationId, { batch: batch.id });
    return answer(c, await readBatchPage(application, batch, lookedAt(c)));
  });

  const { add } = createOperationForms(deps, frame, app);
  add('/decisions/approvals/:approval/confirm', confirmRequest, {
    answer: (c) => leave(c, 'confirmed'),
  });
  add('/decisions/approvals/:approval/refuse', refuseRequest, {
    answer: (c) => leave(c, 'refused'),
  });

  app.post('/decisions/waiting/:id/take-back', frame.act('decider'), async (c) => {
    const waiting = await findWithdrawableAnswer(store.reader, c.req.param('id'));
    if (waiting === undefined || !hasAccess(c, waiting.integrationId)) return leave(c, 'too-late');
    const isBack = await withdrawAnswer(store.connection, waiting.id);
    if (!isBack) return leave(c, 'too-late');
    const { about, subject: id } = waiting;
    if (about === 'reason') return leave(c, 'taken-back');
    return c.redirect(
      withWords(decisionHref({ id, about }, parseQuery(c)), { note: 'taken-back' }),
      303,
    );
  });

  for (const word of HOLD_DECISIONS) {
    app.post(`/decisions/all/${word}`, frame.act('decider'), async (c) => {
      const { client, reason, until } = allSchema.parse(c.req.query());
      const { id: integrationId } = findIntegration(c, application, client);
      if (!mayDecideAll(reason, word)) throw notForAll();
      // What was opened since the page was made is not what its reader has counted.
      const openedUntil = Math.min(until, deps.clock.now());
      const ofReason = { subject: reason, integrationId, openedUntil };
      if (await isLeftToSecond(c, integrationId, approvalOfReason(word, ofReason)))
        return leave(c, 'second');
      const about = { about: 'reason', subject: reason, openedUntil } as const;
      const id = await wait(c, { ...about, integrationId, decision: DECIDED[word] });
      return leave(c, id === null ? 'decided' : null, id);
    });

    app.post(`/decisions/:id/${word}`, frame.act('decider'), async (c) => {
      const hold = await findDecidableHold(c, store.reader, c.req.param('id'), word);
      const { id: subject, integrationId, decision } = hold;
      if (decision !== null) return leave(c, 'decided');
      if (await isLeftToSecond(c, integrationId, toApprovalRequest(word, [hold])))
        return leave(c, 'second');
      const id = await wait(c, {
        about: hold.about,
        subject,
        integrationId,
        decision: DECIDED[word],
        openedUntil: null,
      });
      return leave(
        c,
        id === null ? 'decided' : null,
        id,
        toQueueItem(hold, application.integrations),
      );
    });
  }

  for (const word of BATCH_DECISIONS) {
    app.post(`/decisions/batches/:id/${word}`, frame.act('decider'), async (c) => {
      const batch = await findOpenBatch(c, store.reader, c.req.param('id')).catch(nullIfDecided);
      if (batch === null) return leave(c, 'decided');
      const { id: subject, integrationId } = batch;
      requireBatchDecision(batch, word);
      if (await isLeftToSecond(c, integrationId, approvalOfBatch(word, batch)))
        return leave(c, 'second');
      const id = await wait(c, {
        about: 'batch',
        subject,
        integrationId,
        decision: DECIDED[word],
        openedUntil: null,
      });
      return leave(
        c,
        id === null ? 'decided' : null,
        id,
        itemOfBatch(batch, application.integrations),
      );
    });
  }
  return app;

  type C = Context<HttpEnv>;

  async function isLeftToSecond(c: C, integrationId: string, request: WorkRequest | null) {
    const asked = request && { request, integrationId };
    return (
      asked !== null && (await askSecondPerson({ application }, getRequester(c), asked)) !== null
    );
  }

  async function wait(c: C, decision: Answer): Promise<string | null> {
    const id = await store.actingAs(c.get('actor')).act((trx) => giveAnswer(trx, decision));
    watch();
    return id;
  }

  /** Each view of names is on record; viewers see none. */
  async function noteShown(c: C, integrationId: string, details: Record<string, string>) {
    if (!maySeeNames(c)) return;
    const { act } = store.actingAs(c.get('actor'));
    await noteEntries(act, [{ action: 'names.shown', integrationId, details }]);
  }

  function lookedAt(c: C) {
    const { signal } = liveDeps(deps, c.get('actor'));
    return {
      reach: listAccessible(c, application),
      query: parseQuery(c),
      signal: maySeeNames(c) ? signal : null,
    };
  }

  /** No cache keeps what has names (`forbidCaching`). */
  async function answer(
    c: C,
    content: Omit<DecisionsPage, 'undo' | 'approvals'>,
  ): Promise<Response> {
    const { note, undo: id } = noteSchema.parse(c.req.query());
    const waiting =
      id === null || !maySeeNames(c) ? undefined : await findWithdrawableAnswer(store.reader, id);
    const reach = listAccessible(c, application);
    const undo = waiting === undefined ? null : await readUndo(application, reach, waiting);
    const { renderDecisions } = await import('./decision-pages.tsx');
    c.header('Cache-Control', 'no-store');
    const viewer = frame.getViewer(c.get('principal'));
    const known = content.open === null ? await listApprovals(store) : [];
    const approvals = known.filter((one) => canAccessApproval(c, one)).map((one) => shown(c, one));
    const page = { ...content, undo, approvals };
    return c.html(renderDecisions(viewer, page, note && DECISION_NOTES[note]));
  }

  /** On to the next decision, or back to the queue; `undo` leads back. */
  async function leave(
    c: C,
    note: DecisionNote | null,
    undo: string | null = null,
    from: QueueItem | null = null,
  ): Promise<Response> {
    const query = parseQuery(c);
    const reach = listAccessible(c, application);
    const around = from && (await readAround(store.reader, reach, query, from.place));
    const next = around?.after[0] ?? around?.before.at(-1);
    const words = { ...(note === null ? {} : { note }), ...(undo === null ? {} : { undo }) };
    const href = next ? decisionHref(next, query) : `/decisions${queueWords(query)}`;
    return c.redirect(withWords(href, words), 303);
  }
}

/** With what the one who looks may do about it. */
function shown(c: Context<HttpEnv>, approval: ApprovalRecord): ShownApproval {
  const { account } = getRequester(c);
  const isAnswerable = mayActAs(c.get('principal').role, roleFor(approval));
  const isOwn = account !== null && mayBeSame(account, approval.by.account);
  const mayConfirm = isAnswerable && account !== null && !isOwn;
  const href = getHref(approval);
  return { ...describeApproval(approval), href, isOwn, isAnswerable, mayConfirm };
}

function getHref({ request }: ApprovalRecord): string | null {
  if (request.what === 'undo') return `/runs/${request.run}`;
  const [decision, ...others] = request.what === 'decide' ? request.decisions : [];
  if (decision === undefined || others.length > 0) return null;
  const { about, subject, integrationId } = decision;
  if (about !== 'reason') return decisionHref({ id: subject, about }, queryOfNothing);
  return `/decisions?${new URLSearchParams({ client: integrationId, reason: subject })}`;
}

const queryOfNothing: QueueQuery = { client: null, reason: null, order: 'oldest', after: null };

function maySeeNames(c: Context<HttpEnv>): boolean {
  return mayActAs(c.get('principal').role, 'decider');
}

function withWords(href: string, words: Readonly<Record<string, string>>): string {
  const more = String(new URLSearchParams(words));
  if (more === '') return href;
  return `${href}${href.includes('?') ? '&' : '?'}${more}`;
}

const word = z.string().trim().min(1).nullable().catch(null);

const querySchema = z.object({
  client: word,
  reason: word,
  order: z.enum(['oldest', 'newest']).catch('oldest'),
  after: word,
});

function parseQuery({ req }: Context<HttpEnv>): QueueQuery {
  const { after, ...query } = querySchema.parse(req.query());
  return { ...query, after: after === null ? null : readCursor(after) };
}

const noteSchema = z.object({
  undo: word,
  note: z
    .custom<DecisionNote>((text) => typeof text === 'string' && Object.hasOwn(DECISION_NOTES, text))
    .nullable()
    .catch(null),
});

const allSchema = z.object({
  client: z.string().catch(''),
  reason: z.string().catch(''),
  until: z.coerce.number().int().nonnegative().catch(0),
});

function notForAll(): HttpError {
  return new HttpError(409, 'hold_not_decidable', 'These can only be decided one by one.');
}

/** A second click is no mistake; everything else is. */
function nullIfDecided(error: unknown): null {
  if (error instanceof HttpError && error.code === 'batch_decided') return null;
  throw error;
}
