/** Marks contacts for callers without a user. A daily limit replaces a user's rights. */
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

/**
 * The time for which a repeated call counts as the first call. The database stores the key for this time (`startOnce`).
 */
const REPETITION_MS = DAY_MS;

/** Returns the start of the UTC day that contains this time. */
export function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}

interface Wish {
  /** The contact's ID as the caller typed it. */
  typed: string;
  counter: Counter['counter'];
  /** The CRM's key for this workflow execution or click. */
  key: string;
}

export interface MarkedWithinDay {
  state: 'wanted' | 'limit';
  /**
   * The run that decides about the contact. Null for an erased contact, or if the call is repeated after more than a
   * day.
   */
  run: string | null;
  /** The number of marks that remain today. */
  left: number;
}

/**
 * Marks a contact, up to the daily limit. Repeated calls with the same key and contact count once. Throws a
 * ConfigurationError (unknown) for other clients' contacts, which never count.
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
  // donor-sync stores nothing about an erased contact, not even a fingerprint.
  if (own.isErased) return { state: 'wanted', run: null, left: await countLeft() };
  // A workflow can mark several contacts with one key.
  const one = `${client.id}\n${counter}\n${key}\n${own.crmId}`;
  const fingerprint = world.fingerprint('door_mark', one);
  const counted = await world.store.act((trx) => countMark(trx, { ...of, fingerprint }, day));
  if (counted.state === 'limit') return { state: 'limit', run: null, left: 0 };
  const isLate = counted.state === 'known' && world.clock.now() - counted.markedAt >= REPETITION_MS;
  // If the process crashed, the repeated call finds the same run.
  const run = isLate ? null : (await markOwn(world, client, own, fingerprint)).run;
  return { state: 'wanted', run, left: await countLeft() };
}
