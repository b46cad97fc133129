/**
 * Reads the queue of decisions for the pages. The queue counts decisions by client and reason, and contains no contact
 * names.
 */

import { isoTime } from '../../core/clock.ts';
import { describeCount } from '../../core/quantities.ts';
import { getBatchWords, isKind, KINDS } from '../../core/questions/question-kinds.ts';
import type { Reader } from '../../database/reader.ts';
import type { QuestionBatch } from '../statements/batches.ts';
import { listBatches } from '../statements/batches.ts';
import type { QueuePage, QueuePlace } from '../statements/decision-queue.ts';
import { countQueue, listAnsweredBatches, listQueuePage } from '../statements/decision-queue.ts';
import type { Question } from '../statements/questions.ts';
import { getSubject, reasonText } from './question.ts';

/** The search and the filters that a user has entered. */
export interface QueueQuery {
  /** The ID of the client that the user selected, or null for all clients. */
  client: string | null;
  reason: string | null;
  order: QueuePage['order'];
  /** The position of the last decision on the previous page. Null for the first page. */
  after: QueuePlace | null;
}

export interface DecisionQueue {
  /** The number of all pending decisions, regardless of the query. A batch counts as one decision. */
  total: number;
  /** Clients with pending decisions, most decisions first. */
  clients: { id: string; name: string; count: number }[];
  reasons: { reason: string; name: string; count: number }[];
  items: QueueItem[];
  /** The position from which the next page starts. Null on the last page. */
  next: QueuePlace | null;
}

/** One pending decision. */
export interface QueueItem {
  id: string;
  about: 'contact' | 'network' | 'batch';
  subject: string;
  integration: { id: string; name: string };
  reason: string;
  /** The reason for the decision, in two words. */
  name: string;
  why: string;
  /** When the decision was opened (ISO 8601). */
  since: string;
  place: QueuePlace;
}

export type ClientAccess = ReadonlyMap<string, { name?: string | undefined }>;

const QUEUE_PAGE = 50;

export function reasonName(reason: string): string | null {
  return isKind(reason) ? KINDS[reason].name : null;
}

/** Returns a page of the queue, with the number of decisions by client and reason. */
export async function readQueue(
  reader: Reader,
  reach: ClientAccess,
  query: QueueQuery,
): Promise<DecisionQueue> {
  const counts = await countDecisions(reader, reach);
  const { client, reason } = query;
  const ofClient = counts.filter(({ integration }) => client === null || integration === client);
  const wanted = new Set(
    ofClient.flatMap((one) => (reason === null || one.kind === reason ? one.integration : [])),
  );
  const items = await listItems(reader, reach, { ...query, only: wanted, limit: QUEUE_PAGE + 1 });
  const shown = items.slice(0, QUEUE_PAGE);
  return {
    total: sumCounts(counts),
    clients: grouped(counts, ({ integration }) => integration).map(([id, count]) => ({
      id,
      name: reach.get(id)?.name ?? id,
      count,
    })),
    reasons: grouped(ofClient, ({ kind }) => kind).map(([kind, count]) => ({
      reason: kind,
      name: reasonName(kind) ?? kind,
      count,
    })),
    items: shown,
    next: items.length > QUEUE_PAGE ? (shown.at(-1)?.place ?? null) : null,
  };
}

/** Returns the decision before and the decision after a decision in the queue. */
export async function readAround(
  reader: Reader,
  reach: ClientAccess,
  query: QueueQuery,
  place: QueuePlace,
): Promise<{ before: QueueItem[]; after: QueueItem[] }> {
  const { client, order } = query;
  const counts = await countDecisions(reader, reach);
  const known = counts.map(({ integration }) => integration);
  const only = new Set(client === null ? known : [client]);
  const opposite = order === 'oldest' ? 'newest' : 'oldest';
  const from = { ...query, only, after: place };
  const before = await listItems(reader, reach, { ...from, order: opposite, limit: BEFORE });
  const after = await listItems(reader, reach, { ...from, limit: AFTER });
  return { before: before.reverse(), after };
}

const BEFORE = 4;
const AFTER = 20;

/** Returns the number of pending decisions of each integration. */
export async function countByIntegration(
  reader: Reader,
  reach: ClientAccess,
): Promise<{ total: number; byIntegration: ReadonlyMap<string, number> }> {
  const counts = await countDecisions(reader, reach);
  const byIntegration = new Map(grouped(counts, ({ integration }) => integration));
  return { total: sumCounts(counts), byIntegration };
}

/**
 * Returns the number of pending decisions of each integration, for the frame of every page. The frame counts the same
 * decisions as the queue. An answered decision is not pending, even if the user can still withdraw the answer.
 */
export async function countPending(reader: Reader): Promise<ReadonlyMap<string, number>> {
  return new Map(grouped(await countAll(reader), ({ integration }) => integration));
}

interface Count {
  integration: string;
  kind: string;
  count: number;
}

/** Counts decisions. Integrations that no longer exist, or that the user has no access to, are skipped. */
async function countDecisions(reader: Reader, reach: ClientAccess): Promise<Count[]> {
  return (await countAll(reader)).filter(({ integration }) => reach.has(integration));
}

async function countAll(reader: Reader): Promise<Count[]> {
  const scope = { integrationIds: null, reason: null };
  const holds = (await countQueue(reader, scope)).map(({ integrationId, kind, count }) => ({
    integration: integrationId,
    kind,
    count,
  }));
  const batches = (await openBatches(reader)).map(({ integrationId, kind }) => ({
    integration: integrationId,
    kind,
    count: 1,
  }));
  return [...holds, ...batches];
}

async function openBatches(reader: Reader): Promise<QuestionBatch[]> {
  const batches = await listBatches(reader);
  if (batches.length === 0) return batches;
  const decided = await listAnsweredBatches(reader);
  return batches.filter(({ id }) => !decided.has(id));
}

interface Listed extends QueueQuery {
  /** Counts the decisions of only these integrations. */
  only: ReadonlySet<string>;
  limit: number;
}

async function listItems(
  reader: Reader,
  reach: ClientAccess,
  listed: Listed,
): Promise<QueueItem[]> {
  const { only, reason, order, after, limit } = listed;
  const integrationIds = [...only];
  const page: QueuePage = { integrationIds, reason, order, after, limit };
  const questions = await listQueuePage(reader, page);
  const batches = (await openBatches(reader)).filter(
    ({ kind }) => reason === null || kind === reason,
  );
  const items = [
    ...questions.map((question) => toQueueItem(question, reach)),
    ...batches
      .filter(({ integrationId }) => only.has(integrationId))
      .map((batch) => itemOfBatch(batch, reach)),
  ];
  const direction = order === 'oldest' ? 1 : -1;
  return items
    .filter(({ place }) => after === null || comparePlaces(place, after) * direction > 0)
    .sort((one, other) => comparePlaces(one.place, other.place) * direction)
    .slice(0, limit);
}

function comparePlaces([at, id]: QueuePlace, [otherAt, otherId]: QueuePlace): number {
  if (at !== otherAt) return at - otherAt;
  if (id === otherId) return 0;
  return id < otherId ? -1 : 1;
}

export function toQueueItem(question: Question, reach: ClientAccess): QueueItem {
  const { id, about, integrationId, kind, openedAt } = question;
  return {
    id,
    about,
    subject: getSubject(question),
    integration: { id: integrationId, name: reach.get(integrationId)?.name ?? integrationId },
    reason: kind,
    name: KINDS[kind].name,
    why: sentence(reasonText(question)),
    since: isoTime(openedAt),
    place: [openedAt, id],
  };
}

export function itemOfBatch(batch: QuestionBatch, reach: ClientAccess): QueueItem {
  const { id, integrationId, kind, count, since } = batch;
  return {
    id,
    about: 'batch',
    subject: describeCount(count, 'contact'),
    integration: { id: integrationId, name: reach.get(integrationId)?.name ?? integrationId },
    reason: kind,
    name: KINDS[kind].name,
    why: getBatchWords(kind).why(batch),
    since: isoTime(since),
    place: [since, id],
  };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function grouped(counts: readonly Count[], getKey: (count: Count) => string): [string, number][] {
  const sums = new Map<string, number>();
  for (const one of counts) sums.set(getKey(one), (sums.get(getKey(one)) ?? 0) + one.count);
  return [...sums].sort(([one, mine], [other, theirs]) => theirs - mine || (one < other ? -1 : 1));
}

function sumCounts(counts: readonly Count[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
