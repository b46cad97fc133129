import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findContacts } from '../../../src/contacts/contacts.ts';
import type { FieldSource } from '../../../src/core/field-map.ts';
import { countWaitingValues } from '../../../src/fields/statements/value-states.ts';
import { type Bed, fail, openSalesforce, type SalesforceCrm } from './testbed.ts';

const PEOPLE = 12;
const AMOUNTS = ['netWorth.low', 'netWorth.high', 'capacity.nonprofit'] as const;
const LABEL = 'netWorth.label';
const YEN = 150;

const ratesSchema = z.object({ records: z.array(z.object({ Id: z.string() })) });

/** A run reads the settings when it opens the org, so a test can change them. */
async function openOrg(mode: 'usdOnly' | 'convert') {
  const settings: Record<string, unknown> = { currency: mode };
  const bed = await openSalesforce({ people: PEOPLE, currencies: true, settings });
  const { org } = bed.crm;
  return {
    ...bed,
    setMode: (currency: 'usdOnly' | 'convert') => Object.assign(settings, { currency }),
    setCurrency: (id: string, code: string) => org.setValue(id, 'CurrencyIsoCode', code),
    async setRate(code: string, values: Record<string, unknown>) {
      const query = `SELECT Id FROM CurrencyType WHERE IsoCode = '${code}'`;
      const answer = await org.ask('GET', `/query?q=${encodeURIComponent(query)}`);
      const [type] = ratesSchema.parse(answer).records;
      await org.edit({ action: 'update', type: 'CurrencyType', id: type?.Id ?? '', values });
    },
    showRates: (access: 'hidden' | 'visible') =>
      org.control('PUT', 'object-access', { type: 'CurrencyType', access }),
  };
}

type CurrencyBed = Awaited<ReturnType<typeof openOrg>>;

/** Returns a contact's amounts as the CRM shows them. */
async function amountsOf({ crm, fieldFor }: Bed<SalesforceCrm>, id: string) {
  const values = await crm.read(id);
  return AMOUNTS.map((from) => {
    const value = values[fieldFor(from)] ?? null;
    return value === null ? null : Number(value);
  });
}

/** Returns a contact that has a value for each amount. */
async function aDonor(bed: Bed<SalesforceCrm>, except: readonly string[] = []): Promise<string> {
  for (const id of bed.crm.ids) {
    if (!except.includes(id) && (await amountsOf(bed, id)).every((value) => value !== null)) {
      return id;
    }
  }
  return fail('No contact has all of the amounts');
}

/** Returns the values that wait to be written, with the reason for each field. */
async function waitingIn({ world }: Bed<SalesforceCrm>) {
  const found = await countWaitingValues(world.store.reader, 'riverside');
  return found.map(({ field, state, contacts }) => ({ field, state, contacts }));
}

/**
 * Finds the contact that the tests check, with the contact's amounts in US dollars from the first sync of a different
 * org.
 */
async function findDonor() {
  const bed = await openOrg('usdOnly');
  await bed.world.sync();
  const id = await aDonor(bed);
  return { place: bed.crm.ids.indexOf(id), dollars: await amountsOf(bed, id) };
}

let donor: Promise<Awaited<ReturnType<typeof findDonor>>> | null = null;

/** Opens an org with one contact in yen. The service knows this contact. */
async function openWithYen(mode: 'usdOnly' | 'convert') {
  donor ??= findDonor();
  const { place, dollars } = await donor;
  const bed = await openOrg(mode);
  const id = bed.crm.ids[place] ?? fail('The contact is not there');
  await bed.setCurrency(id, 'JPY');
  const yen = dollars.map((value) => (value ?? 0) * YEN);
  return { ...bed, id, dollars, yen };
}

/** Buys a new profile of a contact for a credit. The new profile has unchanged amounts. */
async function refresh({ world }: CurrencyBed, id: string): Promise<void> {
  await world.database.db
    .updateTable('contacts')
    .set((eb) => ({ asked_at: eb('asked_at', '-', 400 * 86_400_000) }))
    .where('crm_id', '=', id)
    .execute();
  expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 1 });
}

const NONE = AMOUNTS.map(() => null);

describe('amounts in an org with several currencies', () => {
  let fieldsOf: (bed: CurrencyBed) => string[];
  beforeEach(() => {
    fieldsOf = ({ fieldFor }) => AMOUNTS.map((from: FieldSource) => fieldFor(from));
  });

  it('are written into records in US dollars alone, and the others wait with their reason', async () => {
    const bed = await openWithYen('usdOnly');
    const { world, crm, id, fieldFor } = bed;
    const report = await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
    // The label itself contains the currency.
    expect((await crm.read(id))[fieldFor(LABEL)]).toMatch(/^\$/);
    const waiting = await waitingIn(bed);
    for (const field of fieldsOf(bed)) {
      expect(waiting).toContainEqual({ field, state: 'other_currency', contacts: 1 });
    }
    const [reason] = report.valuesWaiting?.reasons ?? [];
    expect(reason?.text).toContain('set crm.currency to convert');
    const row = await findContacts(world.store.reader, 'riverside', [id]);
    expect(row.get(id)).toMatchObject({
      outcomeReason: 'fields_written_some_unfit',
      outcomeDetail: expect.stringContaining('this contact is in JPY'),
    });
    const updates = await crm.countUpdates();
    await world.sync({ full: true });
    expect(await crm.countUpdates()).toBe(updates);
  });

  it('are delivered without a credit once the mode converts them', async () => {
    const bed = await openWithYen('usdOnly');
    await bed.world.sync();
    const spent = await bed.world.spent();
    bed.setMode('convert');
    await bed.world.sync();
    expect(await amountsOf(bed, bed.id)).toEqual(bed.yen);
    expect(await waitingIn(bed)).toEqual([]);
    expect(await bed.world.spent()).toBe(spent);
  });

  it('are converted by the rate of the first delivery, so that a rate that moves writes nothing', async () => {
    const bed = await openWithYen('convert');
    const { world, crm, id } = bed;
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    const spent = await world.spent();
    await bed.setRate('JPY', { ConversionRate: 163.417 });
    const updates = await crm.countUpdates();
    await world.sync({ full: true });
    expect(await crm.countUpdates()).toBe(updates);
    await refresh(bed, id);
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    expect(await world.spent()).toBe(spent + 1);
    // The refresh writes its date, but no amount.
    expect(await crm.countUpdates()).toBeLessThanOrEqual(updates + 1);
  });

  it('are converted again, once, when the currency of the record changes', async () => {
    const bed = await openWithYen('convert');
    const { world, crm, id, dollars } = bed;
    await world.sync();
    const spent = await world.spent();
    for (const [code, rate] of [
      ['EUR', 0.92],
      ['USD', 1],
      ['JPY', YEN],
    ] as const) {
      const updates = await crm.countUpdates();
      await bed.setCurrency(id, code);
      await world.sync();
      const expected = dollars.map((value) => Number(((value ?? 0) * rate).toFixed(2)));
      expect([code, await amountsOf(bed, id)]).toEqual([code, expected]);
      // One of the two updates is the user's own change.
      expect(await crm.countUpdates()).toBeLessThanOrEqual(updates + 2);
      const after = await crm.countUpdates();
      await world.sync({ full: true });
      expect(await crm.countUpdates()).toBe(after);
    }
    expect(await world.spent()).toBe(spent);
  });

  it('stay as a user typed them, and blank where a user emptied them, when the currency changes', async () => {
    const bed = await openWithYen('convert');
    const { world, crm, id, yen } = bed;
    await world.sync();
    const [typed = '', emptied = ''] = fieldsOf(bed);
    await crm.org.setValue(id, typed, 777);
    await crm.org.setValue(id, emptied, null);
    await world.sync();
    await bed.setCurrency(id, 'USD');
    await world.sync();
    const [, , third] = bed.dollars;
    expect(await amountsOf(bed, id)).toEqual([777, null, third]);
    expect(yen).not.toContain(777);
  });

  it.each([
    ['is not active', (bed: CurrencyBed) => bed.setRate('USD', { IsActive: false }), 'USD'],
    ['is hidden from us', (bed: CurrencyBed) => bed.showRates('hidden'), ''],
    [
      "of the record's currency is not active",
      (bed: CurrencyBed) => bed.setRate('JPY', { IsActive: false }),
      'JPY',
    ],
  ] as const)('wait while a rate %s, and arrive without a credit', async (_, break_, code) => {
    const bed = await openWithYen('convert');
    const { world, id } = bed;
    await break_(bed);
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
    const [field] = fieldsOf(bed);
    expect(await waitingIn(bed)).toContainEqual({ field, state: 'no_rate', contacts: 1 });
    const spent = await world.spent();
    if (code === '') await bed.showRates('visible');
    else await bed.setRate(code, { IsActive: true });
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    expect(await world.spent()).toBe(spent);
  });

  it('leave a record that leaves US dollars where nothing is converted, and come back with the dollars', async () => {
    const bed = await openWithYen('usdOnly');
    const { world, crm, id, dollars } = bed;
    await bed.setCurrency(id, 'USD');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(dollars);
    const spent = await world.spent();
    for (let time = 0; time < 2; time += 1) {
      const updates = await crm.countUpdates();
      await bed.setCurrency(id, 'JPY');
      await world.sync();
      // $2.1M must not appear as ¥2.1M. One update is the user's change of the currency, and the second update is
      // donor-sync's write.
      expect(await amountsOf(bed, id)).toEqual(NONE);
      expect(await crm.countUpdates()).toBeLessThanOrEqual(updates + 2);
      const [field] = fieldsOf(bed);
      expect(await waitingIn(bed)).toContainEqual({ field, state: 'other_currency', contacts: 1 });
      const after = await crm.countUpdates();
      await world.sync({ full: true });
      expect(await crm.countUpdates()).toBe(after);
      await bed.setCurrency(id, 'USD');
      await world.sync();
      expect(await amountsOf(bed, id)).toEqual(dollars);
      expect(await waitingIn(bed)).toEqual([]);
    }
    await bed.setCurrency(id, 'JPY');
    await world.sync();
    bed.setMode('convert');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    expect(await world.spent()).toBe(spent);
  });

  it('stay as a user typed them when the record leaves US dollars and nothing is converted', async () => {
    const bed = await openWithYen('usdOnly');
    const { world, crm, id } = bed;
    await bed.setCurrency(id, 'USD');
    await world.sync();
    const [typed = ''] = fieldsOf(bed);
    await crm.org.setValue(id, typed, 777);
    await bed.setCurrency(id, 'JPY');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual([777, null, null]);
  });

  it('stay where the currency of a record can no longer be read: unknown is not another one', async () => {
    const bed = await openWithYen('usdOnly');
    const { world, crm, id, dollars } = bed;
    await bed.setCurrency(id, 'USD');
    await world.sync();
    const access = { type: 'Contact', field: 'CurrencyIsoCode' };
    await crm.org.control('PUT', 'field-access', { ...access, access: 'hidden' });
    await refresh(bed, id);
    expect(await amountsOf(bed, id)).toEqual(dollars);
  });

  it('that were converted stay when nothing is converted any more, or the rate is gone', async () => {
    const bed = await openWithYen('convert');
    const { world, id, yen } = bed;
    await world.sync();
    await bed.showRates('hidden');
    await refresh(bed, id);
    expect(await amountsOf(bed, id)).toEqual(yen);
    bed.setMode('usdOnly');
    await refresh(bed, id);
    expect(await amountsOf(bed, id)).toEqual(yen);
  });

  it('in dollars leave a record whose new currency has no rate, until it has one', async () => {
    const bed = await openWithYen('convert');
    const { world, id, dollars } = bed;
    await bed.setCurrency(id, 'USD');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(dollars);
    await bed.setRate('JPY', { IsActive: false });
    await bed.setCurrency(id, 'JPY');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
    await bed.setRate('JPY', { IsActive: true });
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
  });

  it('that an older version wrote as US dollars are converted by the first run after it', async () => {
    const bed = await openWithYen('convert');
    const { world, id, dollars } = bed;
    await bed.setCurrency(id, 'USD');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(dollars);
    const { db } = world.database;
    await db.updateTable('contacts').set({ currency: null }).execute();
    await db.updateTable('integrations').set({ cursor_scope: 'of an older version' }).execute();
    await bed.setCurrency(id, 'JPY');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
  });

  it('are undone to what stood there before, and stay so', async () => {
    const bed = await openWithYen('convert');
    const { world, id } = bed;
    const { id: runId } = await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    await bed.undo(runId);
    expect(await amountsOf(bed, id)).toEqual(NONE);
    await bed.setCurrency(id, 'EUR');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
  });
});
