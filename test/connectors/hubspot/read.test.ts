import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactPage } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { type Contact, identityText } from '../../../src/core/contact.ts';
import { toArray } from '../connector-options.ts';
import { openOrg } from '../salesforce/org.ts';
import { type Account, openAccount } from './account.ts';

const MARIA = { firstName: 'Maria', lastName: 'Lopez', addresses: [], employers: [] };

const CHECKBOX = {
  type: 'bool',
  fieldType: 'booleancheckbox',
  options: ['true', 'false'].map((value) => ({ value, label: value })),
};

describe('reading contacts from HubSpot', () => {
  let account: Account;
  let connector: Connector;
  let now: number;

  beforeEach(async () => {
    now = Date.now();
    account = await openAccount({ clock: () => now });
  });

  afterEach(async () => {
    await connector?.close();
    await account.close();
  });

  async function start(settings = {}, contacts = {}): Promise<void> {
    connector = await account.connector(settings, {}, contacts);
  }

  describe('who they are', () => {
    it('writes the parts of an address into one line, as it does for Salesforce', async () => {
      const [id = ''] = await account.create('contacts', [
        {
          lastname: 'Lopez',
          address: ' 1 Elm Street \nApt 4\n',
          city: 'Springfield',
          state: 'IL',
          zip: '62701',
          country: 'United States',
        },
      ]);
      await start();
      expect((await read(id)).addresses).toEqual([
        '1 Elm Street, Apt 4, Springfield, IL, 62701, United States',
      ]);
    });

    it('makes the same identity of a person as Salesforce does', async () => {
      const org = await openOrg({ contacts: 60, donors: 2_000 });
      const portal = await openAccount({ contacts: 60, donors: 2_000 });
      const identities: string[][] = [];
      for (const crm of [org, portal]) {
        const reader = await crm.connector();
        const ids = (await crm.people()).map(({ id }) => id);
        const found = await reader.readByIds(ids, []);
        identities.push(
          found.flatMap((one) => (one.state === 'found' ? [identityText(one.contact)] : [])),
        );
        await reader.close();
        await crm.close();
      }
      expect(identities[0]).toHaveLength(60);
      expect(identities[1]).toEqual(identities[0]);
    });

    it('takes white space for blank', async () => {
      const [id = ''] = await account.create('contacts', [
        { firstname: '  ', lastname: ' Lopez ' },
      ]);
      await start();
      expect(await read(id)).toMatchObject({ firstName: null, lastName: 'Lopez', addresses: [] });
    });

    it.each([
      ['company', ['Acme text']],
      ['associated', ['Acme Inc']],
      ['both', ['Acme Inc', 'Acme text']],
    ])('finds the employer where crm.employer says (%s)', async (employer, expected) => {
      const [id = ''] = await account.addContacts([{ ...MARIA, employers: ['Acme text'] }]);
      await account.employ(id, 'Acme Inc');
      await start({ employer });
      expect((await read(id)).employers).toEqual(expected);
    });

    it('names an employer once who stands in both places', async () => {
      const [id = ''] = await account.addContacts([{ ...MARIA, employers: ['ACME INC'] }]);
      await account.employ(id, 'Acme Inc');
      await start();
      expect((await read(id)).employers).toEqual(['Acme Inc']);
    });

    it('asks for the name of a company once, however many belong to it', async () => {
      const ids = await account.addContacts(people(250));
      for (const id of ids) await account.employ(id, 'Acme Inc');
      await start();
      await toArray(connector.readPages(null));
      expect(await asked('/companies/batch/read')).toBe(1);
    });

    it('asks for the companies of several pages at once, and tells each of its own contact', async () => {
      const ids = await account.addContacts(people(250));
      const employed = [0, 120, 240].map((at) => [ids[at] ?? '', `Company of ${at}`] as const);
      for (const [id, company] of employed) await account.employ(id, company);
      await start();
      const found = contactsIn(await toArray(connector.readPages(null)));
      expect(await asked('/companies/batch/read')).toBe(1);
      expect(found.map(({ id }) => id)).toEqual(ids);
      for (const [id, company] of employed) {
        expect(found.find((contact) => contact.id === id)?.employers).toEqual([company]);
      }
    });

    it('asks for no more companies at once than HubSpot takes', async () => {
      const ids = await account.addContacts(people(120));
      for (const id of ids) await account.employ(id, `Company of ${id}`);
      await start();
      const found = contactsIn(await toArray(connector.readPages(null)));
      expect(await asked('/companies/batch/read')).toBe(2);
      expect(found.map(({ employers }) => employers[0])).toEqual(
        ids.map((id) => `Company of ${id}`),
      );
    });

    it('makes do with the text where the token may not see companies', async () => {
      const [id = ''] = await account.addContacts([{ ...MARIA, employers: ['Acme text'] }]);
      await account.employ(id, 'Acme Inc');
      const scopes = ['oauth', 'crm.objects.contacts.read', 'crm.schemas.contacts.read'];
      await start({ auth: { type: 'token', token: await account.issueToken({ scopes }) } });
      expect((await read(id)).employers).toEqual(['Acme text']);
    });

    it.each([
      ['a checkbox', CHECKBOX, 'true', 'false'],
      ['a text', {}, 'Please do not research me', ''],
      ['a number', { type: 'number', fieldType: 'number' }, '1', '0'],
    ])('knows from %s who must not be researched', async (_, form, yes, no) => {
      await account.createProperty({ name: 'do_not_research', ...form });
      const ids = await account.addContacts(people(2));
      await account.setValue(ids[0] ?? '', 'do_not_research', yes);
      await account.setValue(ids[1] ?? '', 'do_not_research', no);
      await start({}, { optOutField: 'do_not_research' });
      expect((await read(ids[0] ?? '')).optedOut).toBe(true);
      expect((await read(ids[1] ?? '')).optedOut).toBe(false);
    });

    it('says which property the settings most likely mean', async () => {
      await expect(account.connector({}, {}, { optOutField: 'last_name' })).rejects.toMatchObject({
        code: 'crm_field_missing',
        message: expect.stringContaining('did you mean "lastname"?'),
      });
    });
  });

  describe('what changed', () => {
    it.each([
      ['a token', 4, async () => ({})],
      ['OAuth', 3, async () => ({ auth: { type: 'oauth', ...(await account.install()) } })],
    ])('costs few requests in a night without changes (%s)', async (_, requests, settings) => {
      await account.addContacts(people(5));
      const auth = await settings();
      await start(auth);
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      now += 3_600_000;
      const before = (await account.requests()).length;
      await start(auth);
      const pages = await toArray(connector.readPages(later(cursor)));
      expect(pages.flatMap(({ contacts }) => contacts)).toEqual([]);
      const paths = (await account.requests()).slice(before).map(({ path }) => path);
      const signIn = ['/account-info/2026-09/details', '/oauth/2026-03/token'];
      expect(paths.filter((path) => !signIn.includes(path))).toHaveLength(requests);
    });

    it('reads 12,000 contacts of one moment, each once, while others are edited', async () => {
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      const ids = await account.addContacts(people(12_000));
      const [early = '', late = ''] = [ids[10], ids[11_990]];
      const seen: string[] = [];
      for await (const page of connector.readPages(cursor)) {
        seen.push(...page.contacts.map(({ id }) => id));
        if (seen.length !== 200) continue;
        now += 5_000;
        for (const id of [early, late]) await account.editContact(id, { lastName: 'Edited' });
      }
      expect(seen).toHaveLength(12_000);
      expect(new Set(seen)).toEqual(new Set(ids));
    });

    it('goes on in the middle after the cursor of any page', async () => {
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      const ids = await account.addContacts(people(450));
      const pages = await toArray(connector.readPages(cursor));
      const [first] = pages;
      const rest = await toArray(connector.readPages(first?.cursor ?? null));
      expect(rest.flatMap(({ contacts }) => contacts)).toHaveLength(250);
      expect(new Set(idsOf([...pages.slice(0, 1), ...rest]))).toEqual(new Set(ids));
    });

    it('waits and goes on when the account searches too often', async () => {
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      const ids = await account.addContacts(people(250));
      const on = { path: '*/search' };
      await account.putFaults([{ on, every: 2, fault: { kind: 'secondlyLimit' } }]);
      expect(new Set(idsOf(await toArray(connector.readPages(cursor))))).toEqual(new Set(ids));
      const statuses = (await account.requests()).map(({ status }) => status);
      expect(statuses).toContain(429);
    });

    it('lets the searches of a second go by when there were too many', async () => {
      await account.addContacts(people(1));
      let waitedMs = 0;
      const clock = {
        now: () => now + waitedMs,
        async sleep(ms: number) {
          waitedMs += ms;
        },
      };
      connector = await account.connector({}, { clock });
      const on = { path: '*/search' };
      await account.putFaults([{ on, nth: 1, fault: { kind: 'secondlyLimit' } }]);
      await toArray(connector.readGroup({ property: 'lastname', equals: 'Last0' }));
      expect(waitedMs).toBeGreaterThanOrEqual(1_000);
    });

    it('keeps within the limit that HubSpot names, however small it is', async () => {
      await account.close();
      account = await openAccount({ clock: () => now, ratePer10s: 20 });
      const clock = {
        now: () => now,
        async sleep(ms: number) {
          now += ms;
        },
      };
      connector = await account.connector({ requestsPerTenSeconds: undefined }, { clock });
      for (let id = 1; id <= 60; id += 1) await connector.readByIds([`${id}`], []);
      expect((await account.requests()).filter(({ status }) => status === 429)).toEqual([]);
    });

    it('keeps the pace of searches without ever being throttled', async () => {
      await account.close();
      account = await openAccount({ clock: () => now, searchPerSecond: 5 });
      const ids = await account.create('contacts', cities(1_300));
      const clock = {
        now: () => now,
        async sleep(ms: number) {
          now += ms;
        },
      };
      connector = await account.connector({ searchesPerSecond: 5 }, { clock });
      const group = { property: 'city', equals: 'Springfield' };
      expect((await toArray(connector.readGroup(group))).flat()).toEqual(ids);
      expect((await account.requests()).filter(({ status }) => status === 429)).toEqual([]);
    });

    it('finds with the next reading what the index did not show yet', async () => {
      await account.close();
      account = await openAccount({ clock: () => now, searchLagMs: 30_000 });
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      const [id = ''] = await account.addContacts([MARIA]);
      now += 10_000;
      let early = cursor;
      for (let reading = 1; reading <= 3; reading += 1) {
        const pages = await toArray(connector.readPages(early));
        expect(idsOf(pages)).toEqual([]);
        early = cursorOf(pages);
      }
      now += 60_000;
      expect(idsOf(await toArray(connector.readPages(early)))).toEqual([id]);
    });

    it('goes by the clock of HubSpot, whatever the clock of this machine says', async () => {
      now -= 3_600_000;
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      now += 1_000;
      const [id = ''] = await account.addContacts([MARIA]);
      expect(idsOf(await toArray(connector.readPages(cursor)))).toEqual([id]);
    });

    it('sees a contact again that was restored, and does not call it gone', async () => {
      const [id = ''] = await account.addContacts([MARIA]);
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      now += 1_000;
      await account.archiveContact(id);
      await account.edit({ action: 'restore', id });
      const pages = await toArray(connector.readPages(cursor));
      expect(idsOf(pages)).toContain(id);
      expect(pages.flatMap(({ removed }) => removed)).toEqual([]);
    });

    it('tells where both live on if a merge made a new contact of them', async () => {
      const [loser = '', winner = ''] = await account.addContacts(people(2));
      await start();
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      now += 1_000;
      const merged = await account.mergeContacts(loser, winner, true);
      expect(merged).not.toBe(winner);
      const pages = await toArray(connector.readPages(cursor));
      const removed = pages.flatMap((page) => page.removed);
      for (const id of [loser, winner]) {
        expect(removed).toContainEqual({ id, mergedInto: merged });
        expect(removed).not.toContainEqual({ id, mergedInto: null });
      }
      expect(idsOf(pages)).toEqual([merged]);
      expect(await connector.readByIds([loser, merged, winner], [])).toMatchObject([
        { state: 'removed', mergedInto: merged },
        { state: 'found', id: merged },
        { state: 'removed', mergedInto: merged },
      ]);
    });

    it('reads everything if it does not know the cursor', async () => {
      const ids = await account.addContacts(people(3));
      await start();
      expect(idsOf(await toArray(connector.readPages('{"page":2}')))).toEqual(ids);
    });
  });

  describe('contacts.filter', () => {
    const FILTER = '[{propertyName: city, operator: EQ, value: Springfield}]';

    async function addCities(): Promise<string[]> {
      return account.create('contacts', [
        { lastname: 'In', city: 'Springfield' },
        { lastname: 'Out', city: 'Shelbyville' },
        { lastname: 'Also in', city: 'Springfield' },
      ]);
    }

    it('leaves out contacts that do not meet it, in the first reading and in later ones', async () => {
      const [first = '', , third = ''] = await addCities();
      await start({}, { filter: FILTER });
      const pages = await toArray(connector.readPages(null));
      expect(idsOf(pages)).toEqual([first, third]);
      now += 1_000;
      for (const id of [first, third]) await account.editContact(id, { firstName: 'New' });
      const [added = ''] = await account.create('contacts', [
        { lastname: 'New', city: 'Springfield' },
      ]);
      await account.create('contacts', [{ lastname: 'New', city: 'Shelbyville' }]);
      const later = await toArray(connector.readPages(cursorOf(pages)));
      expect(idsOf(later)).toEqual([first, third, added]);
    });

    it('leaves them out of a reading of all contacts again, also a week after the last one', async () => {
      const [first = '', , third = ''] = await addCities();
      await start({}, { filter: FILTER });
      const cursor = cursorOf(await toArray(connector.readPages(null))) ?? '';
      now += 8 * 86_400_000;
      await start({}, { filter: FILTER });
      async function* none() {}
      const known = { cursor, ids: none, leftIds: none, isSameSelection: true };
      const pages = await toArray(connector.readPages(null, known));
      expect(idsOf(pages)).toEqual([first, third]);
    });

    describe('with a search index that shows one contact late', () => {
      const HOUR_MS = 3_600_000;
      const NIGHT_MS = 24 * HOUR_MS;
      let late: string;

      beforeEach(async () => {
        [late = ''] = await addCities();
        now += 3 * HOUR_MS;
      });

      /** Reads the contacts as a run does. Each run connects first, and HubSpot's response contains HubSpot's time. */
      async function readNight(cursor: string | null, filter: string | null) {
        await connector?.close();
        await start({}, { filter });
        return toArray(connector.readPages(cursor));
      }

      /**
       * Edits a contact shortly before a reading, so that HubSpot's search cannot find the change yet. Returns the
       * reading's cursor.
       */
      async function editBeforeReading(beforeMs: number, filter: string | null): Promise<string> {
        const cursor = cursorOf(await readNight(null, filter));
        now += NIGHT_MS;
        await account.control('PUT', 'search-lag', { ids: [late], lagMs: 2 * beforeMs });
        await account.editContact(late, { firstName: 'New' });
        now += beforeMs;
        const pages = await readNight(cursor, filter);
        expect(idsOf(pages)).toEqual([]);
        now += NIGHT_MS;
        return cursorOf(pages);
      }

      it.each([FILTER, null])('finds the change the next night (filter: %s)', async (filter) => {
        const cursor = await editBeforeReading(HOUR_MS, filter);
        expect(idsOf(await readNight(cursor, filter))).toEqual([late]);
      });

      it('finds a change that is later still within a week, and nothing again afterwards', async () => {
        const pages = await readNight(await editBeforeReading(5 * HOUR_MS, FILTER), FILTER);
        expect(idsOf(pages)).toEqual([]);
        now += 6 * NIGHT_MS;
        const weekly = await readNight(cursorOf(pages), FILTER);
        expect(idsOf(weekly)).toContain(late);
        now += NIGHT_MS;
        expect(idsOf(await readNight(cursorOf(weekly), FILTER))).toEqual([]);
      });

      it('reads all contacts as they are, not as the index shows them', async () => {
        await account.control('PUT', 'search-lag', { ids: [late], lagMs: 2 * HOUR_MS });
        await account.editContact(late, { firstName: 'New' });
        const pages = await readNight(null, FILTER);
        const found = pages.flatMap(({ contacts }) => contacts).find(({ id }) => id === late);
        expect(found?.firstName).toBe('New');
      });

      it('finds a mark outside the filter that is later still within a week', async () => {
        const contacts = { filter: FILTER, optOutField: 'no_research' };
        await account.createProperty({ name: 'no_research', ...CHECKBOX });
        const [outside = ''] = await account.create('contacts', [
          { lastname: 'Out', city: 'Shelbyville' },
        ]);
        await start({}, contacts);
        const cursor = cursorOf(await toArray(connector.readPages(null)));
        await account.control('PUT', 'search-lag', { ids: [outside], lagMs: 10 * HOUR_MS });
        await account.setValue(outside, 'no_research', 'true');
        now += 5 * HOUR_MS;
        const marked = async (since: string) => {
          await connector.close();
          await start({}, contacts);
          return (await toArray(connector.findMarked?.(since) ?? [])).flat();
        };
        await connector.close();
        await start({}, contacts);
        const second = cursorOf(await toArray(connector.readPages(cursor)));
        expect(await marked(cursor)).toEqual([]);
        now += 8 * NIGHT_MS;
        expect(await marked(second)).toEqual([outside]);
      });

      it('reports who was archived in the meantime also when all contacts are read again', async () => {
        const cursor = cursorOf(await readNight(null, FILTER));
        await account.archiveContact(late);
        now += 8 * NIGHT_MS;
        const pages = await readNight(cursor, FILTER);
        expect(pages.flatMap(({ removed }) => removed)).toEqual([{ id: late, mergedInto: null }]);
      });
    });

    it('says which contacts meet it, in as many searches as HubSpot takes', async () => {
      const cities = Array.from({ length: 450 }, (_, at) => ({
        lastname: `Number ${at}`,
        city: at % 3 === 0 ? 'Springfield' : 'Shelbyville',
      }));
      const ids = await account.create('contacts', cities);
      const groups = ['Springfield', 'Nowhere', 'Elsewhere', 'Anywhere'].map((value) => ({
        filters: [{ propertyName: 'city', operator: 'EQ', value }],
      }));
      await start({}, { filter: JSON.stringify(groups) });
      const included = new Set<string>();
      for (let at = 0; at < ids.length; at += 100) {
        for (const id of (await connector.findIncluded?.(ids.slice(at, at + 100))) ?? []) {
          included.add(id);
        }
      }
      expect([...included]).toEqual(ids.filter((_, at) => at % 3 === 0));
      expect(await connector.findIncluded?.(['no id', '999999'])).toEqual(new Set());
    });

    it('takes groups, one of which must be met', async () => {
      const ids = await addCities();
      const groups = ['Springfield', 'Shelbyville'].map((value) => ({
        filters: [{ propertyName: 'city', operator: 'EQ', value }],
      }));
      await start({}, { filter: JSON.stringify(groups) });
      expect(idsOf(await toArray(connector.readPages(null)))).toEqual(ids);
    });

    it('is refused at once if it fits alone, but not together with the rest of a search', async () => {
      const marks = ['Deceased', 'DoNotContact', 'OptOut'].map(
        (mark) => `${mark}_${'x'.repeat(30)}`,
      );
      for (const name of marks) await account.createProperty({ name: name.toLowerCase() });
      const [deceasedField = '', doNotContactField = '', optOutField = ''] = marks.map((name) =>
        name.toLowerCase(),
      );
      const contacts = { deceasedField, doNotContactField, optOutField };
      const values = Array.from({ length: 35 }, (_, at) => `Town ${at}`);
      const group = { filters: [{ propertyName: 'city', operator: 'IN', values }] };
      const groups = Array(5).fill(group);
      const filter = JSON.stringify(groups);
      await expect(account.connector({}, {}, { ...contacts, filter })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_filter_invalid',
        message: expect.stringMatching(/5 groups .* 3,\d{3} characters, .* at most 3,000/),
      });
      const findings = await account.check({}, {}, { ...contacts, filter });
      expect(findings).toContainEqual(
        expect.objectContaining({ subject: 'contacts', ok: false, cause: 'crm_filter_invalid' }),
      );
      const fewer = JSON.stringify(groups.slice(0, 4));
      await start({}, { ...contacts, filter: fewer });
      const cursor = cursorOf(await toArray(connector.readPages(null)));
      await expect(toArray(connector.readPages(cursor))).resolves.toHaveLength(1);
    });

    it.each([
      ['is no list', 'city = Springfield'],
      ['has an operator that HubSpot has not', '[{propertyName: city, operator: LIKE, value: S}]'],
      ['names a property that is not there', '[{propertyName: town, operator: EQ, value: S}]'],
      [
        'is longer than a search may be',
        JSON.stringify(
          Array(5).fill(JSON.parse('{"propertyName":"city","operator":"EQ","value":"S"}')),
        ),
      ],
      ['is nested without an end', '['.repeat(200_000)],
    ])('is refused if it %s', async (_, filter) => {
      await expect(account.connector({}, {}, { filter })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_filter_invalid',
        message: expect.stringContaining('contacts.filter'),
      });
    });

    it('names the properties that the account does not have, as HubSpot itself does not', async () => {
      const filter =
        '[{propertyName: citi, operator: EQ, value: S}, {propertyName: zzz, operator: HAS_PROPERTY}]';
      const refused = account.connector({}, {}, { filter });
      await expect(refused).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_filter_invalid',
        message:
          'The filter names citi (did you mean "city"?) and zzz, which this HubSpot account does not have, ' +
          'or which this token cannot read. Write the internal name of each property into contacts.filter. ' +
          'You find it in HubSpot under Settings → Properties → the property.',
      });
    });

    it('says so if HubSpot refuses it although the account has all of its properties', async () => {
      const filter = '[{propertyName: city, operator: BETWEEN, value: A}]';
      await expect(account.connector({}, {}, { filter })).rejects.toMatchObject({
        code: 'crm_filter_invalid',
        message: expect.stringMatching(/has every property in it.*BETWEEN.*highValue/),
      });
    });
  });

  async function read(id: string): Promise<Contact> {
    const contacts = (await toArray(connector.readPages(null))).flatMap((page) => page.contacts);
    const contact = contacts.find((one) => one.id === id);
    if (contact === undefined) throw new Error('The contact was not read.');
    const [lookup] = await connector.readByIds([id], []);
    expect(lookup).toMatchObject({ state: 'found', contact });
    return contact;
  }

  async function asked(ending: string): Promise<number> {
    return (await account.requests()).filter(({ path }) => path.endsWith(ending)).length;
  }
});

function cities(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({ lastname: `L${at}`, city: 'Springfield' }));
}

function contactsIn(pages: readonly ContactPage[]): Contact[] {
  return pages.flatMap(({ contacts }) => contacts);
}

function idsOf(pages: readonly ContactPage[]): string[] {
  return contactsIn(pages).map(({ id }) => id);
}

function cursorOf(pages: readonly ContactPage[]): string {
  return pages.at(-1)?.cursor ?? '';
}

/** Returns the cursor as it would be one day later. HubSpot's clock also advances in its responses. */
function later(cursor: string): string {
  const { since } = JSON.parse(cursor);
  return JSON.stringify({ since: new Date(Date.parse(since) + 86_400_000).toISOString() });
}
