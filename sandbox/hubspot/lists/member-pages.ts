/** Reads the members of a list in pages, forwards or backwards. */

import { z } from 'zod';
import { validationError } from '../core/errors.ts';
import { isoTime } from '../properties/property.ts';
import { type HubspotContext, readQuery } from '../requests/context.ts';
import type { Member, MemberPage, Place } from './memberships.ts';
import type { ShownMembers } from './shown-members.ts';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 250;

/** Returns the page of members that the client requested, in HubSpot's form. */
export function readMembers(
  c: HubspotContext,
  memberships: ShownMembers,
  listId: number,
  order: MemberPage['order'],
) {
  const { limit, after, before } = readQuery(c, pageSchema);
  const isBackward = after === undefined && before !== undefined;
  const cursor = isBackward ? before : after;
  const found = memberships.page(listId, {
    order,
    direction: isBackward ? 'before' : 'after',
    from: cursor === undefined ? null : readPlace(cursor),
    // Reads one more member than necessary, to find out whether the list has another page.
    limit: limit + 1,
  });
  const shown = found.slice(0, limit);
  const hasMore = found.length > limit;
  const paging = pagingOf(c, { shown, hasMore, isBackward, isFirst: cursor === undefined });
  return { results: shown.map(toMember), ...paging, total: memberships.activity(listId).size };
}

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  after: z.string().min(1).optional(),
  before: z.string().min(1).optional(),
});

function toMember({ recordId, joinedAtMs }: Member) {
  return { recordId: String(recordId), membershipTimestamp: isoTime(joinedAtMs) };
}

interface Shown {
  shown: readonly Member[];
  hasMore: boolean;
  isBackward: boolean;
  isFirst: boolean;
}

/**
 * Returns the links to other pages. `next` always contains larger IDs or later times than `prev`, even when members are
 * read backwards.
 */
function pagingOf(c: HubspotContext, { shown, hasMore, isBackward, isFirst }: Shown) {
  const [lowest, highest] = isBackward ? [shown.at(-1), shown[0]] : [shown[0], shown.at(-1)];
  const hasNext = isBackward || hasMore;
  const hasPrevious = isBackward ? hasMore : !isFirst;
  const paging = {
    ...(hasNext && highest !== undefined ? { next: linkTo(c, 'after', highest) } : {}),
    ...(hasPrevious && lowest !== undefined ? { prev: linkTo(c, 'before', lowest) } : {}),
  };
  return Object.keys(paging).length === 0 ? {} : { paging };
}

function linkTo(c: HubspotContext, direction: 'after' | 'before', place: Place) {
  const cursor = Buffer.from(`${place.recordId}:${place.joinedAtMs}`).toString('base64url');
  const link = new URL(c.req.url);
  link.searchParams.delete('after');
  link.searchParams.delete('before');
  link.searchParams.set(direction, cursor);
  return { [direction]: cursor, link: link.href };
}

function readPlace(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, recordId, joinedAtMs] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (recordId === undefined || joinedAtMs === undefined) {
    throw validationError(`Invalid paging offset: ${cursor}`);
  }
  return { recordId: Number(recordId), joinedAtMs: Number(joinedAtMs) };
}
