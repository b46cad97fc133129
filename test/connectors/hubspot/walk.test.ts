import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, ContactPage } from '../../../connectors/contract.ts';
import { type RestingTime, startRestingTime } from '../../helpers/resting-clock.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const CONTACTS = 1_500;
const WEEK_MS = 7 * 24 * 3_600_000;

describe('reading all contacts of a HubSpot that is far away', () => {
  let account: Account;
  let connector: Connector;
  let aheadMs: number;
  let time: RestingTime;

  async function start(options: object = {}): Promise<void> {
    const { fetch, clock, wait } = time;
    const far = { contacts: CONTACTS, donors: CONTACTS, latencyMs: 200, searchPerSecond: 5 };
    account = await openAccount(
      { ...far, clock: () => clock.now() + aheadMs, wait, ...options },
      fetch,
    );
    connector = await account.connector({ searchesPerSecond: 5 }, { clock });
  }

  beforeEach(() => {
    aheadMs = 0;
    time = startRestingTime();
  });
  afterEach(async () => {
    await connector.close();
    await account.close();
    time.stop();
  });

  it('has searches come from the other end, three a second at most', async () => {
    await start();
    const pages = await toArray(connector.readPages(null));
    expect(new Set(idsOf(pages))).toEqual(await everyone());
    const lists = await asked('GET', '/contacts');
    const searches = await asked('POST', '/search');
    expect(searches.length).toBeGreaterThanOrEqual(3);
    expect(lists.length).toBeLessThan(11);
    const answered = [...lists, ...searches].filter(({ status }) => status !== null);
    expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
    // Once the list has returned the contacts of a search, the connector ends the search.
    expect(lists.length + searches.length - answered.length).toBeLessThanOrEqual(1);
    const times = searches.map(({ at }) => Date.parse(at));
    const together = times.map((at) => times.filter((other) => other >= at && other < at + 900));
    expect(Math.max(...together.map(({ length }) => length))).toBeLessThanOrEqual(3);
  });

  it('leaves no request in flight after its end, nor if it is left early', async () => {
    await start({ contacts: 300 });
    await connector.close();
    let counted = 0;
    const onCall = () => {
      counted += 1;
    };
    connector = await account.connector({}, { clock: time.clock, onCall });
    const read = async () => void (await toArray(connector.readPages(null)));
    const readOnePage = async () => {
      for await (const _ of connector.readPages(null)) break;
    };
    for (const reading of [read, readOnePage]) {
      await reading();
      const countedAtEnd = counted;
      await time.clock.sleep(2_000);
      expect(counted).toBe(countedAtEnd);
    }
    expect(await asked('POST', '/search')).not.toEqual([]);
  });

  it('divides what is left where each search takes longer than the next one may wait', async () => {
    await start({ contacts: 4_000, donors: 4_000, latencyMs: 700 });
    await connector.close();
    connector = await account.connector({ employer: 'company' }, { clock: time.clock });
    expect(new Set(idsOf(await toArray(connector.readPages(null))))).toEqual(await everyone());
    const searches = (await asked('POST', '/search')).map(({ at }) => Date.parse(at));
    const gaps = searches.slice(1).map((at, index) => at - (searches[index] ?? at));
    expect(gaps.filter((gap) => gap < 600).length).toBeGreaterThan(searches.length / 2);
    expect(searches.length).toBeGreaterThan((await asked('GET', '/contacts')).length);
  });

  it('is left to the list where the list is quick', async () => {
    await start({ latencyMs: 0 });
    expect(idsOf(await toArray(connector.readPages(null)))).toHaveLength(CONTACTS);
    expect(await asked('POST', '/search')).toEqual([]);
  });

  it('goes on after the cursor of any page, and brings the rest', async () => {
    await start({ latencyMs: 150 });
    const pages = await toArray(connector.readPages(null));
    const all = await everyone();
    for (const at of [0, 2, 4, pages.length - 2]) {
      const rest = await toArray(connector.readPages(pages[at]?.cursor ?? null));
      const brought = new Set(idsOf([...pages.slice(0, at + 1), ...rest]));
      expect([...all].filter((id) => !brought.has(id))).toEqual([]);
      expect(cursorOf(rest)).toMatchObject({ since: expect.any(String) });
    }
  });

  it('is right after the next reading, whatever is edited, made, merged and archived meanwhile', async () => {
    await start({ searchLagMs: 2_000 });
    const ids = [...(await everyone())];
    const byHand = async (at: number) => {
      const [edited = '', gone = '', loser = '', winner = ''] = ids.slice(at, at + 4);
      await account.editContact(edited, { lastName: `Edited${at}` });
      await account.archiveContact(gone);
      await account.mergeContacts(loser, winner, at % 2 === 0);
      await account.addContacts([
        { firstName: 'New', lastName: `One${at}`, addresses: [], employers: [] },
      ]);
    };
    for (const at of [0, 700, 1_490]) await byHand(at);
    const known = new Map<string, string | null>();
    const learn = (page: ContactPage) => {
      for (const { id } of page.removed) known.delete(id);
      for (const { id, lastName } of page.contacts) known.set(id, lastName);
    };
    let cursor: string | null = null;
    let next = 100;
    for await (const page of connector.readPages(null)) {
      learn(page);
      cursor = page.cursor;
      if (next < 600) await byHand(next);
      next += 50;
    }
    expect((await asked('POST', '/search')).length).toBeGreaterThan(0);
    aheadMs = 60_000;
    for await (const page of connector.readPages(cursor)) learn(page);
    const now = new Map<string, string | null>();
    await connector.close();
    connector = await account.connector({}, { clock: time.clock });
    for (const id of await listed()) now.set(id.id, id.lastName);
    expect([...known].sort()).toEqual([...now].sort());
  });

  it('walks the whole list a week later, by the list alone, and not before', async () => {
    await start({ contacts: 400, latencyMs: 150 });
    const first = JSON.stringify(cursorOf(await toArray(connector.readPages(null))));
    aheadMs = WEEK_MS - 60_000;
    await connector.readByIds(['1'], []);
    const changes = await toArray(connector.readPages(first));
    expect(idsOf(changes)).toEqual([]);
    aheadMs = WEEK_MS + 60_000;
    await connector.readByIds(['1'], []);
    const searches = (await asked('POST', '/search')).length;
    const pages = await toArray(connector.readPages(JSON.stringify(cursorOf(changes))));
    expect(idsOf(pages)).toHaveLength(400);
    expect(await asked('POST', '/search')).toHaveLength(searches);
    const rest = await toArray(connector.readPages(pages[1]?.cursor ?? null));
    expect(idsOf(rest)).toHaveLength(200);
    expect(idsOf(await toArray(connector.readPages(pages.at(-1)?.cursor ?? null)))).toEqual([]);
  });

  it('reads those that are known by their ids, and what came since', async () => {
    await start({ latencyMs: 100 });
    const cursor = JSON.stringify(cursorOf(await toArray(connector.readPages(null))));
    const ids = [...(await everyone())];
    const [edited = '', gone = '', loser = '', winner = ''] = ids;
    await account.editContact(edited, { lastName: 'Edited' });
    await account.archiveContact(gone);
    const merged = await account.mergeContacts(loser, winner, true);
    const [made = ''] = await account.addContacts([
      { firstName: 'New', lastName: 'One', addresses: [], employers: [] },
    ]);
    const before = (await asked('GET', '/contacts')).length;
    const pages = await toArray(connector.readPages(null, knownOf(cursor, [...ids, 'no-id'])));
    const left = [gone, loser, winner];
    const expected = [...ids.filter((id) => !left.includes(id)), merged, made];
    expect(new Set(idsOf(pages))).toEqual(new Set(expected));
    const removed = pages.flatMap((page) => page.removed);
    expect(removed).toContainEqual({ id: gone, mergedInto: null });
    for (const id of [loser, winner]) {
      expect(removed).toContainEqual({ id, mergedInto: merged });
      expect(removed).not.toContainEqual({ id, mergedInto: null });
    }
    // Only the last page moves the cursor forward, because the connector reads newer changes after these pages.
    expect(new Set(pages.slice(0, -1).map((page) => page.cursor))).toEqual(new Set([cursor]));
    expect(cursorOf(pages)).not.toEqual(JSON.parse(cursor));
    const lists = (await asked('GET', '/contacts')).slice(before);
    expect(lists.map(({ query }) => query)).toEqual([expect.stringContaining('archived=true')]);
    const batches = (await asked('POST', '/contacts/batch/read')).slice(0, 15);
    const times = batches.map(({ at }) => Date.parse(at));
    // The connector returns archived contacts first. Otherwise donor-sync could mistake the winner of a merge for a new
    // contact.
    expect(pages.findIndex((page) => page.removed.some(({ id }) => id === gone))).toBe(0);
    expect(pages[0]?.contacts).toEqual([]);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(15 * 100);
  });

  it('searches for those that were created since alone, although a sync has modified all of them', async () => {
    await start({ latencyMs: 0, contacts: 1_200 });
    const cursor = JSON.stringify(cursorOf(await toArray(connector.readPages(null))));
    const ids = [...(await everyone())];
    const writes = connector.write(ids.map((id) => ({ id, values: { jobtitle: 'Friend' } })));
    expect(await toArray(writes)).toHaveLength(ids.length);
    const [made = ''] = await account.addContacts([
      { firstName: 'New', lastName: 'One', addresses: [], employers: [] },
    ]);
    aheadMs = 60_000;
    const before = (await account.requests()).length;
    const pages = await toArray(connector.readPages(null, knownOf(cursor, ids)));
    expect(idsOf(pages).toSorted()).toEqual([...ids, made].toSorted());
    expect(await asked('POST', '/contacts/search')).toHaveLength(1);
    // Reading the whole list takes one request for every hundred contacts.
    const requests = (await account.requests()).length - before;
    expect(requests).toBeLessThanOrEqual((ids.length / 100) * 1.6);
  });

  it('sees a contact again that had left, was restored, and was modified by nobody since', async () => {
    await start({ latencyMs: 0, contacts: 1_200 });
    const ids = [...(await everyone())];
    const [left = '', stillGone = '', ...present] = ids;
    for (const id of [left, stillGone]) await account.archiveContact(id);
    const cursor = JSON.stringify(cursorOf(await toArray(connector.readPages(null))));
    await account.edit({ action: 'restore', id: left });
    const known = knownOf(cursor, present, [left, stillGone]);
    const pages = await toArray(connector.readPages(null, known));
    expect(new Set(idsOf(pages))).toEqual(new Set([...present, left]));
  });

  it('walks the list although contacts are known, when it is time for it', async () => {
    await start({ contacts: 300, latencyMs: 0 });
    const cursor = JSON.stringify(cursorOf(await toArray(connector.readPages(null))));
    const known = knownOf(cursor, Array<string>(1_001).fill('no-id'));
    expect(idsOf(await toArray(connector.readPages(null, known)))).toEqual([]);
    aheadMs = WEEK_MS + 60_000;
    await connector.readByIds(['1'], []);
    const pages = await toArray(connector.readPages(null, known));
    expect(idsOf(pages)).toHaveLength(300);
    expect(JSON.parse(pages[0]?.cursor ?? '')).toMatchObject({ since: null, walk: 'list' });
  });

  it('walks the list of a small account all the same, which shows who is in no index yet', async () => {
    await start({ contacts: 300, latencyMs: 0, searchLagMs: 60_000 });
    const cursor = JSON.stringify(cursorOf(await toArray(connector.readPages(null))));
    const ids = [...(await everyone())];
    const [made = ''] = await account.addContacts([
      { firstName: 'New', lastName: 'One', addresses: [], employers: [] },
    ]);
    const known = knownOf(cursor, ids);
    expect(idsOf(await toArray(connector.readPages(null, known)))).toContain(made);
  });

  it('ends in the middle when the run stops', async () => {
    await start();
    await connector.close();
    const stop = new AbortController();
    connector = await account.connector({}, { clock: time.clock, signal: stop.signal });
    const reading = connector.readPages(null)[Symbol.asyncIterator]();
    void time.clock.sleep(700).then(() => stop.abort());
    await expect(async () => {
      while ((await reading.next()).done !== true);
    }).rejects.toMatchObject({ code: 'interrupted' });
  });

  async function everyone(): Promise<Set<string>> {
    return new Set((await account.people()).map(({ id }) => id));
  }

  async function listed() {
    const found: { id: string; lastName: string | null }[] = [];
    let after: string | null = null;
    do {
      const query: string = after === null ? '' : `&after=${after}`;
      const reply = await account.ask(
        'GET',
        `/crm/objects/2026-09/contacts?limit=100&properties=lastname${query}`,
      );
      const { results, paging } = listSchema.parse(reply);
      for (const { id, properties } of results)
        found.push({ id, lastName: properties.lastname?.trim() || null });
      after = paging?.next?.after ?? null;
    } while (after !== null);
    return found;
  }

  async function asked(method: string, ending: string) {
    const { requests } = requestsSchema.parse(await account.control('GET', 'requests'));
    return requests.filter((one) => one.method === method && one.path.endsWith(ending));
  }
});

/** Returns the contacts from earlier readings, and the contacts that have since left the account. */
function knownOf(cursor: string, ids: readonly string[], left: readonly string[] = []) {
  return {
    cursor,
    ids: () => portions(ids, 333),
    leftIds: () => portions(left, 333),
    isSameSelection: true,
  };
}

async function* portions(ids: readonly string[], size: number) {
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}

const requestsSchema = z.object({
  requests: z.array(
    z.object({
      ...{ at: z.string(), method: z.string(), path: z.string() },
      query: z.string(),
      status: z.number().nullable(),
    }),
  ),
});

const listSchema = z.object({
  results: z.array(
    z.object({ id: z.string(), properties: z.object({ lastname: z.string().nullish() }) }),
  ),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).nullish(),
});

function idsOf(pages: readonly ContactPage[]): string[] {
  return pages.flatMap(({ contacts }) => contacts.map(({ id }) => id));
}

function cursorOf(pages: readonly ContactPage[]): unknown {
  return JSON.parse(pages.at(-1)?.cursor ?? 'null');
}
