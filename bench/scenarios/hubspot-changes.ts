import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Crm, withCrm } from '../crm.ts';
import { exactly, type Figure, plain, round, type Scenario } from '../figure.ts';

const CONTACTS = 60_000;

/**
 * The number of contacts that the scenario changes after the complete reading. While the connector reads the changes,
 * the contacts do not change again.
 */
const EDITED = 50_000;

/** HubSpot's own search limit, which determines the shortest possible time of a reading. */
const SEARCHES_PER_SECOND = 5;

const IDS_PER_REQUEST = 10_000;
const CONTACTS_PER_EDIT = 100;

/** The interval (ms) in which other contacts are changed while the changes are read. */
const EDIT_EVERY_MS = 50;
const MAX_EDITS = 20_000;

/** The time (ms) after which the stand-in's searches find a change. The searches have a delay of one second. */
const INDEXED_AFTER_MS = 2_000;

/** Reads changes beyond HubSpot's maximum of 10,000 results, while more changes are made. */
export const hubspotChanges: Scenario = {
  name: 'hubspot-changes',
  title:
    '50,000 of 60,000 contacts were edited in HubSpot, and the other contacts are edited during the run',
  measure: () => withCrm('hubspot', { contacts: CONTACTS, rate: 0 }, measureChanges),
};

async function measureChanges(crm: Crm): Promise<Figure[]> {
  const ids = await readIds(crm);
  const edited = ids.slice(0, EDITED);
  const others = ids.slice(EDITED);
  const reader = await crm.startReader({
    requestsPerTenSeconds: 0,
    searchesPerSecond: SEARCHES_PER_SECOND,
  });
  for (const [at, portion] of portionsOf(edited).entries()) await edit(crm, portion, at);
  await sleep(INDEXED_AFTER_MS);
  const reading = reader.readChanges();
  const [changes, edits] = await Promise.all([reading, editUntil(reading, crm, others)]);
  const times = countEach(changes.ids);
  return [
    exactly('contacts', edited.filter((id) => times.has(id)).length, '', EDITED),
    exactly('doubles', edited.filter((id) => (times.get(id) ?? 0) > 1).length, '', 0),
    exactly('missing', edited.filter((id) => !times.has(id)).length, '', 0),
    plain('other contacts that arrived', others.filter((id) => times.has(id)).length, ''),
    plain('edits of other contacts during the run', edits * CONTACTS_PER_EDIT, ''),
    plain('requests to read the changes', changes.calls, ''),
    exactly('answers of 429', changes.throttled, '', 0),
    plain('time to read the changes', round(changes.seconds), 's'),
  ];
}

const peopleSchema = z.object({ people: z.array(z.object({ id: z.string() })) });

async function readIds({ baseUrl }: Crm): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; offset < CONTACTS; offset += IDS_PER_REQUEST) {
    const query = `limit=${IDS_PER_REQUEST}&offset=${offset}`;
    const reply = await fetch(`${baseUrl}/_sandbox/people?${query}`);
    ids.push(...peopleSchema.parse(await reply.json()).people.map(({ id }) => id));
  }
  return ids;
}

/** Changes contacts in batches while the connector reads. */
async function editUntil(
  reading: Promise<unknown>,
  crm: Crm,
  ids: readonly string[],
): Promise<number> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  reading.then(over, over);
  const portions = portionsOf(ids);
  let edits = 0;
  for (; edits < MAX_EDITS && !isOver; edits += 1) {
    await edit(crm, portions[edits % portions.length] ?? [], edits);
    await sleep(EDIT_EVERY_MS);
  }
  return edits;
}

/** Gives each of the contacts a different job title. */
async function edit(
  { baseUrl, token }: Crm,
  ids: readonly string[],
  number: number,
): Promise<void> {
  const inputs = ids.map((id) => ({ id, properties: { jobtitle: `Friend of edit ${number}` } }));
  const reply = await fetch(`${baseUrl}/crm/objects/2026-09/contacts/batch/update`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs }),
  });
  if (!reply.ok) throw new Error(`An edit was refused: ${await reply.text()}`);
  await reply.arrayBuffer();
}

function portionsOf(ids: readonly string[]): string[][] {
  const portions: string[][] = [];
  for (let start = 0; start < ids.length; start += CONTACTS_PER_EDIT) {
    portions.push(ids.slice(start, start + CONTACTS_PER_EDIT));
  }
  return portions;
}

/** Counts how often each ID occurs. */
function countEach(ids: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}
