/** For callers without a user. A daily limit replaces a user's rights. */
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

/** A repeated call has the same caller while the key is stored (`startOnce`). */
const REPETITION_MS = DAY_MS;

/** The start of the day (UTC) that contains this moment. */
export function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}

interface Wish {
  /** As typed by the caller. */
  typed: string;
  counter: Counter['counter'];
  /** The CRM's key for this execution or click. */
  key: string;
}

export interface MarkedWithinDay {
  state: 'wanted' | 'limit';
  /** Null for an erased contact or a repetition after more than a day. The run that decides about the contact. */
  run: string | null;
  /** The marks that are left today. */
  left: number;
}

/**
 * The same key and contact count once. Throws a ConfigurationError (unknown) for other clients' contacts. They never
 * count.
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
  // Nothing about an erased contact is stored, not even a fingerprint.
  if (own.isErased) return { state: 'wanted', run: null, left: await countLeft() };
  // A flow can mark several contacts with one key.
  const one = `${client.id}\n${counter}\n${key}\n${own.crmId}`;
  const fingerprint = world.fingerprint('door_mark', one);
  const counted = await world.store.act((trx) => countMark(trx, { ...of, fingerprint }, day));
  if (counted.state === 'limit') return { state: 'limit', run: null, left: 0 };
  const isLate = counted.state === 'known' && world.clock.now() - counted.markedAt >= REPETITION_MS;
  // After a crash, the repeated call finds the same run.
  const run = isLate ? null : (await markOwn(world, client, own, fingerprint)).run;
  return { state: 'wanted', run, left: await countLeft() };
}
