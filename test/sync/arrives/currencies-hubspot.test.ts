import { describe, expect, it } from 'vitest';
import { countWaitingValues } from '../../../src/fields/statements/value-states.ts';
import { type Bed, fail, type HubspotCrm, openHubspot } from './testbed.ts';

const PEOPLE = 12;
const AMOUNTS = ['netWorth.low', 'netWorth.high', 'capacity.nonprofit'] as const;
const CODE = 'giving_currency';
const NONE = AMOUNTS.map(() => null);

/**
 * The exchange rates in an account whose currency is EUR. One dollar is 0.9 euros and one yen is 0.006 euros, so one
 * dollar is 150 yen.
 */
const RATES = { USD: 0.9, JPY: 0.006 };

interface Choices {
  mode: 'usdOnly' | 'convert';
  /** False if the amounts are in the company currency. */
  isNamed?: boolean;
  company?: string;
  rates?: Record<string, number>;
}

async function openAccount({ mode, isNamed = true, company = 'EUR', rates = RATES }: Choices) {
  const settings: Record<string, unknown> = { currency: mode };
  const bed = await openHubspot({ people: PEOPLE, settings });
  const { account } = bed.crm;
  const setRates = (order: { company?: string; rates: Record<string, number> }) =>
    account.control('PUT', 'currencies', { company, ...order });
  await setRates({ rates });
  await account.ask('POST', '/crm/properties/2026-09/contacts', {
    ...{ name: CODE, label: 'Currency', groupName: 'contactinformation' },
    ...{ type: 'string', fieldType: 'text' },
  });
  for (const from of AMOUNTS) {
    const named = isNamed ? { currencyPropertyName: CODE } : {};
    const order = { property: bed.fieldFor(from), showCurrencySymbol: true, ...named };
    await account.control('PUT', 'property', order);
  }
  return {
    ...bed,
    setMode: (currency: 'usdOnly' | 'convert') => Object.assign(settings, { currency }),
    setRates,
    setCurrency: (id: string, code: string) =>
      account.edit({ action: 'update', id, values: { [CODE]: code } }),
  };
}

async function amountsOf({ crm, fieldFor }: Bed<HubspotCrm>, id: string) {
  const values = await crm.read(id);
  return AMOUNTS.map((from) => {
    const value = values[fieldFor(from)] ?? null;
    return value === null ? null : Number(value);
  });
}

async function statesIn({ world }: Bed<HubspotCrm>) {
  const found = await countWaitingValues(world.store.reader, 'riverside');
  return new Set(found.map(({ state }) => state));
}

async function findDonor() {
  const bed = await openHubspot({ people: PEOPLE });
  await bed.world.sync();
  for (const [place, id] of bed.crm.ids.entries()) {
    const dollars = await amountsOf(bed, id);
    if (dollars.every((value) => value !== null)) return { place, dollars };
  }
  return fail('No contact has all of the amounts');
}

let donor: ReturnType<typeof findDonor> | null = null;

async function openWithDonor(choices: Choices) {
  donor ??= findDonor();
  const { place, dollars } = await donor;
  const bed = await openAccount(choices);
  const id = bed.crm.ids[place] ?? fail('The contact is not there');
  const inRate = (rate: number, decimals: number) =>
    dollars.map((value) => Number(((value ?? 0) * rate).toFixed(decimals)));
  return { ...bed, id, dollars, yen: inRate(150, 0) };
}

describe('amounts in a HubSpot account with several currencies', () => {
  it('wait for contacts in other currencies, and are converted by the rates of the account once that is chosen', async () => {
    const bed = await openWithDonor({ mode: 'usdOnly' });
    const { world, crm, id } = bed;
    await bed.setCurrency(id, 'JPY');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
    expect(await statesIn(bed)).toEqual(new Set(['other_currency']));
    const spent = await world.spent();
    bed.setMode('convert');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    expect(await statesIn(bed)).toEqual(new Set());
    await bed.setRates({ rates: { USD: 0.95, JPY: 0.0063 } });
    const updates = await crm.countUpdates();
    await world.sync({ full: true });
    expect(await crm.countUpdates()).toBe(updates);
    await bed.setCurrency(id, 'USD');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.dollars);
    expect(await crm.countUpdates()).toBe(updates + 1);
    expect(await world.spent()).toBe(spent);
  });

  it('leave a contact that leaves US dollars where nothing is converted, and come back with the dollars', async () => {
    const bed = await openWithDonor({ mode: 'usdOnly' });
    const { world, id } = bed;
    await bed.setCurrency(id, 'USD');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.dollars);
    const spent = await world.spent();
    await bed.setCurrency(id, 'JPY');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
    expect(await statesIn(bed)).toEqual(new Set(['other_currency']));
    await bed.setCurrency(id, 'USD');
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.dollars);
    expect(await world.spent()).toBe(spent);
  });

  it('are in the company currency where the contact names none', async () => {
    const bed = await openWithDonor({ mode: 'convert' });
    await bed.world.sync();
    const [first = 0] = bed.dollars;
    const [amount] = await amountsOf(bed, bed.id);
    // One dollar is 0.9 euros.
    expect(amount).toBe(Number((first * 0.9).toFixed(2)));
  });

  it('wait while the token may not read the rates, and arrive without a credit', async () => {
    const bed = await openWithDonor({ mode: 'convert' });
    const { world, crm, id } = bed;
    await bed.setCurrency(id, 'JPY');
    const withdrawn = ['settings.currencies.read', 'settings.currencies.write'];
    await crm.account.control('PUT', 'scopes', { withdrawn });
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(NONE);
    expect(await statesIn(bed)).toEqual(new Set(['no_rate']));
    const spent = await world.spent();
    await crm.account.control('PUT', 'scopes', { withdrawn: [] });
    await world.sync();
    expect(await amountsOf(bed, id)).toEqual(bed.yen);
    expect(await world.spent()).toBe(spent);
  });

  it('wait in an account whose only currency is another one, and are as ever in one in US dollars', async () => {
    const euros = await openWithDonor({ mode: 'usdOnly', isNamed: false, rates: {} });
    await euros.world.sync();
    expect(await amountsOf(euros, euros.id)).toEqual(NONE);
    const order = { mode: 'usdOnly', isNamed: false, company: 'USD', rates: {} } as const;
    const dollars = await openWithDonor(order);
    await dollars.world.sync();
    expect(await amountsOf(dollars, dollars.id)).toEqual(dollars.dollars);
  });
});
