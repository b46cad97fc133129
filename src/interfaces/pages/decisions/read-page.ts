/** What the pages of decisions show, read for this one answer. */

import type { Application } from '../../../application.ts';
import { isDonorSyncError, messageOf } from '../../../core/errors.ts';
import { describeCount } from '../../../core/quantities.ts';
import { type BatchExample, readBatchExamples } from '../../../decisions/batch-examples.ts';
import { type HoldEvidence, readHoldEvidence } from '../../../decisions/evidence.ts';
import type { QuestionBatch } from '../../../decisions/statements/batches.ts';
import { listBatches } from '../../../decisions/statements/batches.ts';
import type { Question } from '../../../decisions/statements/questions.ts';
import { findQuestion } from '../../../decisions/statements/questions.ts';
import type { WithdrawableAnswer } from '../../../decisions/statements/withdrawable-answers.ts';
import type { ApprovalView } from '../../../decisions/views/approval.ts';
import { BATCH_KINDS, type BatchDecisionWord } from '../../../decisions/views/batch-kinds.ts';
import {
  type ClientAccess,
  type DecisionQueue,
  itemOfBatch,
  type QueueItem,
  type QueueQuery,
  readAround,
  readQueue,
  reasonName,
  toQueueItem,
} from '../../../decisions/views/decision-queue.ts';
import {
  batchDecisionsFor,
  type Choice,
  getSubject,
  listChoices,
} from '../../../decisions/views/question.ts';
import { recordUrl } from './record-url.ts';

type World = Pick<Application, 'store' | 'integrations' | 'open'>;

export interface DecisionsPage {
  query: QueueQuery;
  queue: DecisionQueue;
  /** What is listed: a page of the queue, or what stands around the decision that is open. */
  items: QueueItem[];
  open: OpenDecision | null;
  /** What was decided a moment ago and can be taken back. */
  undo: Undo | null;
  /** What waits for a second person; beside an open decision none. */
  approvals: ShownApproval[];
}

/** What waits for a second person, and what the one who looks may do about it. */
export interface ShownApproval extends ApprovalView {
  /** Where what it is about is shown; null where that is no one place. */
  href: string | null;
  /** Asked for by the same person, or by one who may be that. */
  isOwn: boolean;
  isAnswerable: boolean;
  mayConfirm: boolean;
}

/** A decision with all that there is to know for it. */
export interface OpenDecision {
  item: QueueItem;
  /** The contact's page in the CRM, if it is known. */
  url: string | null;
  previous: string | null;
  next: string | null;
  /** For readers and above; empty for viewers. */
  choices: Choice[];
  /** Null for what is no contact, and for those who may not see names. */
  evidence: HoldEvidence | null;
  batch: OpenBatch | null;
}

/** Contacts that are decided together, with a few of them; why they cannot be shown, if so. */
export interface OpenBatch {
  kind: QuestionBatch['kind'];
  count: number;
  credits: number;
  decisions: readonly BatchDecisionWord[];
  examples: (BatchExample & { url: string | null })[];
  problem: string | null;
}

export interface Undo {
  id: string;
  /** What was decided about what; a sentence without its full stop. */
  text: string;
  /** Epoch ms. */
  countsAt: number;
}

/** The queue, with nothing open. */
export async function readDecisions(
  { store }: World,
  reach: ClientAccess,
  query: QueueQuery,
): Promise<Omit<DecisionsPage, 'undo' | 'approvals'>> {
  const queue = await readQueue(store.reader, reach, query);
  return { query, queue, items: queue.items, open: null };
}

interface Looked {
  reach: ClientAccess;
  query: QueueQuery;
  /** Aborted when the person has waited long enough; null for one who may see no names. */
  signal: AbortSignal | null;
}

/** The queue around a hold, and the hold. */
export async function readHoldPage(
  world: World,
  hold: Question,
  { reach, query, signal }: Looked,
): Promise<Omit<DecisionsPage, 'undo' | 'approvals'>> {
  const around = await readAroundItem(world, reach, query, toQueueItem(hold, reach));
  const { integrationId } = hold;
  const integration = world.integrations.get(integrationId);
  const isOpen = hold.decision === null && signal !== null;
  const found =
    isOpen && hold.about === 'contact' ? await readHoldEvidence(world, [hold], signal) : null;
  const evidence = found?.get(hold.id) ?? null;
  const isGone = evidence?.result === 'gone';
  return {
    ...around.page,
    open: {
      ...around.places,
      item: around.item,
      url: hold.about === 'contact' && integration ? recordUrl(integration, hold.crmId) : null,
      choices: !isOpen ? [] : listChoices(hold, { isGone }),
      evidence,
      batch: null,
    },
  };
}

/** The queue around a batch, and the batch with a few of its contacts. */
export async function readBatchPage(
  world: World,
  batch: QuestionBatch,
  { reach, query, signal }: Looked,
): Promise<Omit<DecisionsPage, 'undo' | 'approvals'>> {
  const around = await readAroundItem(world, reach, query, itemOfBatch(batch, reach));
  return {
    ...around.page,
    open: {
      ...around.places,
      item: around.item,
      url: null,
      choices: [],
      evidence: null,
      batch: signal === null ? null : await readBatch(world, batch, signal),
    },
  };
}

async function readBatch(
  world: World,
  batch: QuestionBatch,
  signal: AbortSignal,
): Promise<OpenBatch> {
  const integration = world.integrations.get(batch.integrationId);
  const shown = {
    kind: batch.kind,
    count: batch.count,
    credits: BATCH_KINDS[batch.kind].credits(batch.count),
    decisions: batchDecisionsFor(batch),
  };
  try {
    const examples = await readBatchExamples(world, batch, signal);
    const withUrls = examples.map((one) => ({
      ...one,
      url: integration ? recordUrl(integration, one.contact) : null,
    }));
    return { ...shown, examples: withUrls, problem: null };
  } catch (error) {
    if (!isDonorSyncError(error) && !signal.aborted) throw error;
    return { ...shown, examples: [], problem: messageOf(error) };
  }
}

async function readAroundItem(
  { store }: World,
  reach: ClientAccess,
  query: QueueQuery,
  item: QueueItem,
) {
  const queue = await readQueue(store.reader, reach, query);
  const { before, after } = await readAround(store.reader, reach, query, item.place);
  return {
    item,
    page: { query, queue, items: [...before, item, ...after] },
    places: {
      previous: hrefOfOne(before.at(-1), query),
      next: hrefOfOne(after[0], query),
    },
  };
}

function hrefOfOne(item: QueueItem | undefined, query: QueueQuery): string | null {
  return item === undefined ? null : decisionHref(item, query);
}

/** Where a decision is made, in the queue that was looked at. */
export function decisionHref(item: Pick<QueueItem, 'id' | 'about'>, query: QueueQuery): string {
  return `${getDecisionPath(item)}${queueWords(query)}`;
}

export function getDecisionPath({ id, about }: Pick<QueueItem, 'id' | 'about'>): string {
  return about === 'batch' ? `/decisions/batches/${id}` : `/decisions/${id}`;
}

/** What was looked for, as the query of an address. */
export function queueWords(
  { client, reason, order }: Pick<QueueQuery, 'client' | 'reason' | 'order'>,
  more: Readonly<Record<string, string>> = {},
): string {
  const words = new URLSearchParams({
    ...(client === null ? {} : { client }),
    ...(reason === null ? {} : { reason }),
    ...(order === 'oldest' ? {} : { order }),
    ...more,
  });
  return words.size === 0 ? '' : `?${words}`;
}

const DECIDED_WORDS = {
  approved: 'Approved',
  rejected: 'Rejected',
  resubmitted: 'To be asked again',
} as const;

/** What was decided, for who may want it back. */
export async function readUndo(
  { store }: Pick<World, 'store'>,
  reach: ClientAccess,
  { id, about, subject, decision, integrationId, inForceFrom }: WithdrawableAnswer,
): Promise<Undo | null> {
  const integration = reach.get(integrationId);
  if (integration === undefined) return null;
  const what = await subjectText(store, { about, subject });
  const name = integration.name ?? integrationId;
  return { id, countsAt: inForceFrom, text: `${DECIDED_WORDS[decision]}: ${what} of ${name}` };
}

async function subjectText(
  store: World['store'],
  { about, subject }: Pick<WithdrawableAnswer, 'about' | 'subject'>,
): Promise<string> {
  switch (about) {
    case 'contact':
    case 'network': {
      const question = await findQuestion(store.reader, subject);
      return question === undefined ? subject : getSubject(question);
    }
    case 'batch': {
      const batch = (await listBatches(store.reader)).find(({ id }) => id === subject);
      return batch === undefined ? 'the contacts' : describeCount(batch.count, 'contact');
    }
    case 'reason':
      return `all with “${reasonName(subject) ?? subject}”`;
  }
}
