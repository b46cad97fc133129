/** Marks a contact for a caller that has no user: the limit of a day takes the place of a user's rights. */
import {
  type Counter,
  countMark,
  countMarks,
  type DayLimit,
} from '../../clients/statements/door-marks.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { ActingWorld } from '../kit/operation.ts';
import { markOwn } from './mark.ts';
import { findOwnContact, requireInside } from './own-contact.ts';

export const DAY_MS = 86_400_000;

/** As long as a key leads to its run (`startOnce`), a repeated call is its caller's own repetition. */
const REPETITION_MS = DAY_MS;

/** The start of the day (UTC) in which this moment is. */
export function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}

interface Wish {
  /** The ID of the contact, as the caller typed it. */
  typed: string;
  counter: Counter['counter'];
  /** What the CRM calls this execution or click. */
  key: string;
}

export interface MarkedWithinDay {
  state: 'wanted' | 'limit';
  /** The run that decides; null for an erased contact, and for a repetition after more than a day. */
  run: string | null;
  /** How many more marks the day allows. */
  left: number;
}

/**
 * Marks a contact of the client if the limit of the day allows it. The same key and contact count once. Throws a
 * ConfigurationError (unknown) for a contact that is not the client's, which never counts.
 */
export async function markWithinDay(
  world: ActingWorld,
  client: Integration,
  { typed, counter, key }: Wish,
  day: DayLimit,
): Promise<MarkedWithinDay> {
  const own = await findOwnContact(world, client, typed);
  requireInside(client, own);
  const of = { integrationId: client.id, counter };
  const countLeft = async () =>
    Math.max(0, day.limit - (await countMarks(world.store.reader, of, day.since)));
  // Not even a fingerprint is stored of an erased contact.
  if (own.isErased) return { state: 'wanted', run: null, left: await countLeft() };
  // Several contacts can have the same key, because one flow can mark several contacts.
  const one = `${client.id}\n${counter}\n${key}\n${own.crmId}`;
  const fingerprint = world.fingerprint('door_mark', one);
  const counted = await world.store.act((trx) => countMark(trx, { ...of, fingerprint }, day));
  if (counted.state === 'limit') return { state: 'limit', run: null, left: 0 };
  const isLate = counted.state === 'known' && world.clock.now() - counted.markedAt >= REPETITION_MS;
  // If the process died after counting, the CRM repeats the call, and the key leads to the same run.
  const run = isLate ? null : (await markOwn(world, client, own, fingerprint)).run;
  return { state: 'wanted', run, left: await countLeft() };
}
