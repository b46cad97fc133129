/** The routes of the queue, of the open decision and of its buttons (design, section 4.5). */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isoTime } from '../../../core/clock.ts';
import { readCursor } from '../../../core/cursor.ts';
import type { ConfigurationError } from '../../../core/errors.ts';
import { BATCH_DECISIONS, HOLD_DECISIONS } from '../../../core/questions/decisions.ts';
import { mayActAs } from '../../../core/role.ts';
import { mayBeSame } from '../../../core/second-person.ts';
import { describeFirst } from '../../../decisions/decided-by.ts';
import type { ApprovalRecord } from '../../../decisions/statements/approvals.ts';
import { findQuestion } from '../../../decisions/statements/questions.ts';
import { findWithdrawableAnswer } from '../../../decisions/statements/withdrawable-answers.ts';
import {
  describeApproval,
  isApprovalWithin,
  listApprovals,
  roleFor,
} from '../../../decisions/views/approval.ts';
import {
  itemOfBatch,
  type QueueItem,
  type QueueQuery,
  readAround,
  toQueueItem,
} from '../../../decisions/views/decision-queue.ts';
import { withdrawAnswer } from '../../../operations/answers.ts';
import { confirmRequest, refuseRequest } from '../../../operations/approvals.ts';
import { decideHold, decideHoldBatch } from '../../../operations/decide.ts';
import { decideAll } from '../../../operations/decide-all.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { getCaller, getRequester } from '../../api/request/caller.ts';
import {
  findAccessibleHold,
  findOpenBatch,
  hasAccess,
  listAccessible,
} from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import type { Viewer } from '../frame/layout.tsx';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
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

  app.get('/decisions', frame.see('viewer'), async (c) => {
    const content = await readDecisions(application, listAccessible(c, application), parseQuery(c));
    return answer(c, content);
  });

  app.get('/decisions/:id', frame.see('viewer'), async (c) => {
    const hold = await findAccessibleHold(c, store, c.req.param('id'));
    const { id, integrationId, decision } = hold;
    if (hold.about === 'contact' && decision === null)
      await noteShown(c, integrationId, { hold: id });
    return answer(c, await readHoldPage(application, hold, lookedAt(c)));
  });

  app.get('/decisions/batches/:id', frame.see('viewer'), async (c) => {
    const batch = await findOpenBatch(c, store, c.req.param('id'));
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

  add('/decisions/answers/:answer/withdraw', withdrawAnswer, {
    answer(c, { withdrawn: { about, subject } }) {
      if (about === 'reason') return leave(c, 'withdrawn');
      const href = decisionHref({ id: subject, about }, parseQuery(c));
      return c.redirect(withWords(href, { note: 'withdrawn' }), 303);
    },
    refused: (c, { code }) => (code === 'answer_unknown' ? leave(c, 'too-late') : null),
  });

  for (const decision of HOLD_DECISIONS) {
    add(`/decisions/all/${decision}`, decideAll, {
      read(_, { req }) {
        const { client: integration, reason, until } = allSchema.parse(req.query());
        // The decision excludes questions that were opened later, because the user has not seen them.
        return { integration, reason, decision, openedUntil: isoTime(until), withdrawable: true };
      },
      answer: (c, { approval, answer: given }) =>
        approval === null ? leave(c, null, given?.id) : leave(c, 'second'),
      refused: leaveDecided,
    });
    add(`/decisions/:id/${decision}`, decideHold, {
      read: () => ({ decision, withdrawable: true }),
      async answer(c, result, { id }) {
        if ('approval' in result) return leave(c, 'second');
        const hold = await findAccessibleHold(c, store, id);
        const item = toQueueItem(hold, application.integrations);
        return leave(c, null, 'answer' in result ? result.answer.id : null, item);
      },
      refused: leaveDecided,
    });
  }

  for (const decision of BATCH_DECISIONS) {
    add(`/decisions/batches/:id/${decision}`, decideHoldBatch, {
      // The preview excludes contacts that were added later, because the user has not seen them.
      read: (_, { req }) => ({
        decision,
        openedUntil: isoTime(batchSchema.parse(req.query()).until),
        withdrawable: true,
      }),
      async answer(c, result, { id }) {
        if ('approval' in result) return leave(c, 'second');
        const batch = await findOpenBatch(c, store, id);
        const item = itemOfBatch(batch, application.integrations);
        return leave(c, null, 'answer' in result ? result.answer.id : null, item);
      },
      refused: leaveDecided,
    });
  }
  return app;

  type C = Context<HttpEnv>;

  /**
   * Redirects after a second click. A second click is not an error, so the page names the user who decided first. Other
   * failures are thrown.
   */
  function leaveDecided(c: C, { code, details }: ConfigurationError): Promise<Response> | null {
    if (code !== 'hold_decided' && code !== 'batch_decided') return null;
    const { hold: first } = details;
    return leave(c, 'decided', null, null, typeof first === 'string' ? { first } : {});
  }

  /** Returns a note that names the user who decided first. */
  async function readNote(c: C): Promise<string | null> {
    const { note, first } = noteSchema.parse(c.req.query());
    if (note === 'decided' && first !== null && maySeeNames(c)) {
      const hold = await findQuestion(store.reader, first);
      const told = hold && hasAccess(c, hold.integrationId) && (await describeFirst(store, hold));
      if (told) return told;
    }
    return note && DECISION_NOTES[note];
  }

  /** Records in the audit that a user has seen names. Viewers see no names. */
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

  /** Responds with a decision page. A page with names is never cached (`forbidCaching`). */
  async function answer(
    c: C,
    content: Omit<DecisionsPage, 'undo' | 'approvals'>,
  ): Promise<Response> {
    const { undo: id } = noteSchema.parse(c.req.query());
    const waiting =
      id === null || !maySeeNames(c) ? undefined : await findWithdrawableAnswer(store.reader, id);
    const reach = listAccessible(c, application);
    const undo = waiting === undefined ? null : await readUndo(application, reach, waiting);
    const { renderDecisions } = await import('./decision-pages.tsx');
    c.header('Cache-Control', 'no-store');
    const viewer = withCount(frame.getViewer(c.get('principal')), content.queue.total);
    const known = content.open === null ? await listApprovals(store) : [];
    const { clients } = getCaller(c);
    const approvals = known
      .filter((one) => isApprovalWithin(clients, one))
      .map((one) => shown(c, one));
    const page = { ...content, undo, approvals };
    return c.html(renderDecisions(viewer, page, await readNote(c)));
  }

  /** Redirects to the next decision or to the queue. `undo` redirects to the same decision. */
  async function leave(
    c: C,
    note: DecisionNote | null,
    undo: string | null = null,
    from: QueueItem | null = null,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    // Forgets the counts of the frame, so the next page does not count the answered decision.
    frame.clients.forget();
    const query = parseQuery(c);
    const reach = listAccessible(c, application);
    const around = from && (await readAround(store.reader, reach, query, from.place));
    const next = around?.after[0] ?? around?.before.at(-1);
    const words = { ...(note && { note }), ...(undo && { undo }), ...more };
    const href = next ? decisionHref(next, query) : `/decisions${queueWords(query)}`;
    return c.redirect(withWords(href, words), 303);
  }
}

/**
 * Puts the queue's count into the frame, whose own counts are up to five seconds old. The frame and the queue then show
 * the same number.
 */
function withCount(viewer: Viewer, decisions: number): Viewer {
  const { overview } = viewer;
  return overview ? { ...viewer, overview: { ...overview, decisions } } : viewer;
}

/** Describes the request, and whether this user may answer or confirm it. */
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
  return mayActAs(c.get('principal').role, 'reader');
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
  /** The ID of the question that was decided first. */
  first: word,
  note: z
    .custom<DecisionNote>((text) => typeof text === 'string' && Object.hasOwn(DECISION_NOTES, text))
    .nullable()
    .catch(null),
});

/** The latest time that a date can represent (epoch ms). */
const LAST_TIME = 8_640_000_000_000_000;

const batchSchema = z.object({
  until: z.coerce.number().int().nonnegative().max(LAST_TIME).catch(0),
});

const allSchema = z.object({
  client: z.string().catch(''),
  reason: z.string().catch(''),
  until: z.coerce.number().int().nonnegative().max(LAST_TIME).catch(0),
});
