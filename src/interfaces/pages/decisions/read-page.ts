/** Reads the content of the decision pages. The data is read for each response and is not stored. */

import type { Application } from '../../../application.ts';
import { isDonorSyncError, messageOf } from '../../../core/errors.ts';
import { describeCount } from '../../../core/quantities.ts';
import { type BatchDecisionWord, DECIDED } from '../../../core/questions/decisions.ts';
import { getMostCredits } from '../../../core/questions/question-kinds.ts';
import { type BatchExample, readBatchExamples } from '../../../decisions/batch-examples.ts';
import { type HoldEvidence, readHoldEvidence } from '../../../decisions/evidence.ts';
import type { QuestionBatch } from '../../../decisions/statements/batches.ts';
import { listBatches } from '../../../decisions/statements/batches.ts';
import type { Question } from '../../../decisions/statements/questions.ts';
import { findQuestion } from '../../../decisions/statements/questions.ts';
import type { WithdrawableAnswer } from '../../../decisions/statements/withdrawable-answers.ts';
import type { ApprovalView } from '../../../decisions/views/approval.ts';
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
import { findRecordUrls, noUrl } from './record-url.ts';

type World = Pick<Application, 'store' | 'integrations' | 'open'>;

export interface DecisionsPage {
  query: QueueQuery;
  queue: DecisionQueue;
  items: QueueItem[];
  open: OpenDecision | null;
  /** The recent answers that the user can still withdraw. */
  undo: Undo | null;
  /** The requests that wait for a second user. Empty if a decision is open. */
  approvals: ShownApproval[];
}

export interface ShownApproval extends ApprovalView {
  /** The address of the page about the request's subject, or null if no such page exists. */
  href: string | null;
  /** True if the user who is signed in may be the requester. */
  isOwn: boolean;
  isAnswerable: boolean;
  mayConfirm: boolean;
}

export interface OpenDecision {
  item: QueueItem;
  /** The address of the record in the CRM, or null if the address is unknown. */
  url: string | null;
  previous: string | null;
  next: string | null;
  /** The choices for users with a role above viewer. Empty for viewers. */
  choices: Choice[];
  /** The evidence of the hold. Null for networks, and for users who may not see names. */
  evidence: HoldEvidence | null;
  batch: OpenBatch | null;
}

/** An open batch, with a few examples or the reason why there are none. */
export interface OpenBatch {
  kind: QuestionBatch['kind'];
  count: number;
  credits: number;
  decisions: readonly BatchDecisionWord[];
  /** When the last counted decision was opened (epoch ms). */
  until: number;
  examples: (BatchExample & { url: string | null })[];
  problem: string | null;
}

export interface Undo {
  id: string;
  text: string;
  /** The time at which the answer takes effect (epoch ms). */
  countsAt: number;
}

/** Reads the queue without an open decision. */
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
  /** The signal that is aborted when a user has waited as long as possible. Null for users who may not see names. */
  signal: AbortSignal | null;
}

/** Reads an open hold and the queue around it. */
export async function readHoldPage(
  world: World,
  hold: Question,
  { reach, query, signal }: Looked,
): Promise<Omit<DecisionsPage, 'undo' | 'approvals'>> {
  const around = await readAroundItem(world, reach, query, toQueueItem(hold, reach));
  const { integrationId } = hold;
  const integration = world.integrations.get(integrationId);
  const recordUrl = integration ? await findRecordUrls(integration) : noUrl;
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
      url: hold.about === 'contact' ? recordUrl(hold.crmId) : null,
      choices: !isOpen ? [] : listChoices(hold, { isGone }),
      evidence,
      batch: null,
    },
  };
}

/** Reads an open batch, its queue and a few of its contacts. */
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
    credits: getMostCredits(batch.kind, DECIDED.approve) * batch.count,
    decisions: batchDecisionsFor(batch),
    until: batch.until,
  };
  try {
    const examples = await readBatchExamples(world, batch, signal);
    const recordUrl = integration ? await findRecordUrls(integration) : noUrl;
    const withUrls = examples.map((one) => ({ ...one, url: recordUrl(one.contact) }));
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

/** Returns the address of a decision's page, within the current queue. */
export function decisionHref(item: Pick<QueueItem, 'id' | 'about'>, query: QueueQuery): string {
  return `${getDecisionPath(item)}${queueWords(query)}`;
}

function getDecisionPath({ id, about }: Pick<QueueItem, 'id' | 'about'>): string {
  return about === 'batch' ? `/decisions/batches/${id}` : `/decisions/${id}`;
}

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
  resubmitted: 'To be submitted again',
} as const;

/** Reads the recent answers that the user can withdraw. */
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
