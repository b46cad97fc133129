import { z } from 'zod';
import { FatalError, RetriableError } from '../../src/core/errors.ts';
import type { GroupSelector, GroupSummary } from '../contract.ts';
import { eachOnce, unknownGroup } from '../reading/group-members.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { getCrmCode, readAs } from './errors.ts';
import type { Filter } from './filter.ts';
import { CONTACT_TYPE_ID } from './paths.ts';
import { isRecordId } from './record.ts';
import { searchPages } from './search.ts';
import type { HubspotSession } from './session.ts';
import { type HubspotGroup, hubspotGroupSchema } from './settings.ts';
import { READ_LISTS, requireScope } from './sign-in/scopes.ts';

/** The maximum number of lists in one request (HubSpot's limit), and the maximum number of requests. */
const LISTS_PER_PAGE = 500;
const MAX_LIST_PAGES = 20;

/** The maximum number of members in one request (HubSpot's limit). A list may have millions of members. */
const MEMBERS_PER_PAGE = 250;
const MAX_MEMBER_PAGES = 50_000;

/** Yields the contact IDs of a group in batches. The function yields each ID only once. */
export async function* readGroup(
  session: HubspotSession,
  selector: GroupSelector,
): AsyncGenerator<readonly string[]> {
  const group = hubspotGroupSchema.parse(selector);
  yield* eachOnce(listIds(session, group), session.signal);
}

const searchReplySchema = z.object({
  lists: z.array(
    z.object({
      listId: z.string(),
      name: z.string(),
      objectTypeId: z.string(),
      additionalProperties: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  hasMore: z.boolean(),
  offset: z.number(),
});

/**
 * Returns all lists of contacts. Users or HubSpot can maintain these lists. The number of members comes from HubSpot.
 */
export async function listGroups(session: HubspotSession): Promise<GroupSummary[]> {
  requireScope(session.signIn, READ_LISTS);
  const groups: GroupSummary[] = [];
  let offset = 0;
  for (let page = 0; page < MAX_LIST_PAGES; page += 1) {
    const reply = readAs(
      searchReplySchema,
      await session.api.searchLists({ count: LISTS_PER_PAGE, offset }),
    );
    for (const { listId, name, objectTypeId, additionalProperties } of reply.lists) {
      if (objectTypeId !== CONTACT_TYPE_ID) continue;
      groups.push({ selector: { list: listId }, name, memberCount: sizeIn(additionalProperties) });
    }
    if (!reply.hasMore || reply.offset <= offset) break;
    offset = reply.offset;
  }
  return groups;
}

function sizeIn(properties: Readonly<Record<string, unknown>> | undefined): number | null {
  const text = properties?.['hs_list_size'];
  const size = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
  return Number.isInteger(size) ? size : null;
}

function listIds(session: HubspotSession, group: HubspotGroup): AsyncIterable<string[]> {
  return 'list' in group ? listMembers(session, group.list) : contactsWith(session, group);
}

async function* contactsWith(
  { api, signal }: HubspotSession,
  { property, equals }: Extract<HubspotGroup, { property: string }>,
): AsyncGenerator<string[]> {
  const condition: Filter = { propertyName: property, operator: 'EQ', value: equals };
  const search = {
    conditions: [condition],
    groups: [],
    properties: ['hs_object_id'],
    afterId: null,
  };
  for await (const { records } of searchPages(api, search, signal)) {
    yield records.map(({ id }) => id);
  }
}

const membersSchema = z.object({
  results: z.array(z.object({ recordId: z.string() })),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).nullish(),
});

/**
 * Yields the members of a list. Throws if HubSpot is still determining the members. donor-sync would remove missing
 * members from their network, and adding a member again would cost a credit.
 */
async function* listMembers(session: HubspotSession, idOrName: string): AsyncGenerator<string[]> {
  const { api, signIn } = session;
  requireScope(signIn, READ_LISTS);
  const list = await findList(session, idOrName);
  requireComplete(idOrName, list);
  let count = 0;
  for await (const ids of memberPages(session, list.listId)) {
    count += ids.length;
    yield ids;
  }
  // A user may have changed the list's filters during the reading.
  const listAfter = await listIn(api.findListById(list.listId));
  if (listAfter === null) throw unknownGroup(noSuchList(idOrName));
  requireComplete(idOrName, listAfter);
  requireMembers(idOrName, count, Math.min(list.size ?? 0, listAfter.size ?? 0));
}

async function* memberPages({ api, signal }: HubspotSession, id: string): AsyncGenerator<string[]> {
  let after: string | null = null;
  for (let page = 0; page < MAX_MEMBER_PAGES; page += 1) {
    throwIfStopped(signal);
    const batch: unknown = await api.listMembers(id, { limit: MEMBERS_PER_PAGE, after });
    const reply = readAs(membersSchema, batch);
    yield reply.results.map(({ recordId }) => recordId);
    const next: string | null = reply.paging?.next?.after ?? null;
    if (next === null) return;
    if (next === after) break;
    after = next;
  }
  throw new FatalError('A HubSpot list never ends.', {
    code: 'crm_list_endless',
  });
}

const listSchema = z.object({
  list: z.object({
    listId: z.string(),
    objectTypeId: z.string(),
    processingStatus: z.string().optional(),
    size: z.number().optional(),
  }),
});

type List = z.infer<typeof listSchema>['list'];

/**
 * Throws if the list is not complete. HubSpot documents only the final status, so every other status means that the
 * list is not complete.
 */
function requireComplete(name: string, { processingStatus }: List): void {
  if (processingStatus === undefined || processingStatus === 'COMPLETE') return;
  throw inProgress(
    `HubSpot is still processing the list "${name}" (its status is ${processingStatus}), so members may be missing.`,
  );
}

/**
 * The share of a list's members that may be missing. HubSpot's counts are updated with a delay, and may include
 * contacts that the token cannot see. A difference of one member is always accepted.
 */
const MISSING_SHARE = 0.1;

function requireMembers(name: string, count: number, size: number): void {
  if (count >= size - Math.max(1, size * MISSING_SHARE)) return;
  throw inProgress(`HubSpot shows only ${count} of ${size} members of the list "${name}".`);
}

function inProgress(sentence: string): RetriableError {
  return new RetriableError(`${sentence} The list is read again by the next sync.`, {
    code: 'crm_list_in_progress',
  });
}

/** Finds a list by ID or by name. A list's name can look like an ID. */
async function findList({ api }: HubspotSession, idOrName: string): Promise<List> {
  const ways = [() => api.findListByName(idOrName)];
  if (isRecordId(idOrName)) ways.unshift(() => api.findListById(idOrName));
  for (const request of ways) {
    const list = await listIn(request());
    if (list === null) continue;
    if (list.objectTypeId === CONTACT_TYPE_ID) return list;
    throw unknownGroup(`The list "${idOrName}" in HubSpot does not contain contacts.`);
  }
  throw unknownGroup(noSuchList(idOrName));
}

function noSuchList(idOrName: string): string {
  return `HubSpot has no list "${idOrName}" of contacts that the token can see.`;
}

/** Returns the list from a response, or null if HubSpot says that the list does not exist. */
export async function listIn(answer: Promise<unknown>) {
  try {
    return readAs(listSchema, await answer).list;
  } catch (error) {
    if (UNKNOWN.has(getCrmCode(error) ?? '')) return null;
    throw error;
  }
}

const UNKNOWN: ReadonlySet<string> = new Set(['OBJECT_NOT_FOUND', 'NOT_FOUND']);
